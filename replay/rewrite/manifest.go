package rewrite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// maxManifest is the longest manifest that is rewritten; a longer one passes through as it is.
const maxManifest = 8 << 20

// HLS writes the playlist r of HTTP Live Streaming (RFC 8216) to w: each line that is no tag is a reference, and so is
// the attribute URI of a tag.
func HLS(w io.Writer, r io.Reader, p *Place) error { return whole(w, p.until(r), p.hls) }

// DASH writes the media presentation description r to w: the text of BaseURL and Location and the attributes that hold
// references, templates among them.
func DASH(w io.Writer, r io.Reader, p *Place) error { return whole(w, p.until(r), p.dash) }

// WebManifest writes the manifest r of a web application to w.
func WebManifest(w io.Writer, r io.Reader, p *Place) error {
	return whole(w, p.until(r), p.webManifest)
}

// whole rewrites what r holds at once.
func whole(w io.Writer, r io.Reader, change func([]byte) []byte) error {
	src, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil && len(src) == 0 {
		return fmt.Errorf("read manifest: %w", err)
	}
	if len(src) <= maxManifest {
		src = change(src)
	}
	if _, err := w.Write(src); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	_, err = io.Copy(w, r)
	return err
}

func (p *Place) hls(src []byte) []byte {
	var out []byte
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, " \t\r\n")
		end := line[len(text):]
		if !bytes.HasPrefix(text, []byte("#")) {
			led, _ := p.URL(string(text), Object)
			out = append(append(out, led...), end...)
			continue
		}
		out = append(append(out, p.quoted(text, []string{"URI"})...), end...)
	}
	return out
}

// quoted is a line or tag with the values of the attributes names led into the archive: name="value", after a character
// that no name holds.
func (p *Place) quoted(text []byte, names []string) []byte {
	var out []byte
	done := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '=' || text[i+1] != '"' && text[i+1] != '\'' {
			continue
		}
		start := i + 2
		n := bytes.IndexByte(text[start:], text[i+1])
		if n < 0 {
			break
		}
		for _, name := range names {
			before, ok := bytes.CutSuffix(text[:i], []byte(name))
			if !ok || len(before) > 0 && (isAlnum(before[len(before)-1]) || before[len(before)-1] == '-') {
				continue
			}
			if led, ok := p.URL(string(text[start:start+n]), Object); ok {
				out = append(append(out, text[done:start]...), led...)
				done = start + n
			}
		}
		i = start + n
	}
	return append(out, text[done:]...)
}

func (p *Place) dash(src []byte) []byte {
	var out []byte
	references := []string{"media", "initialization", "sourceURL", "index", "bitstreamSwitching", "href", "indexRange"}
	for len(src) > 0 {
		i := bytes.IndexByte(src, '<')
		if i < 0 {
			break
		}
		out, src = append(out, src[:i]...), src[i:]
		end := bytes.IndexByte(src, '>')
		if end < 0 {
			break
		}
		tag := src[:end+1]
		src = src[end+1:]
		out = append(out, p.quoted(tag, references)...)
		if !isNamed(tag[1:], "BaseURL") && !isNamed(tag[1:], "Location") && !isNamed(tag[1:], "PatchLocation") || bytes.HasSuffix(tag, []byte("/>")) {
			continue
		}
		text := src[:max(0, bytes.IndexByte(src, '<'))]
		if led, ok := p.URL(decode(string(text), percent), Object); ok {
			out = append(out, encode(led, '"')...)
			src = src[len(text):]
		}
	}
	return append(out, src...)
}

// webManifest leads in the members of a manifest that are references, wherever they stand.
func (p *Place) webManifest(src []byte) []byte {
	return inJSON(src, func(path []string, v any) any {
		ref, ok := v.(string)
		if !ok {
			return v
		}
		switch path[len(path)-1] {
		case "src":
			ref, _ = p.URL(ref, Image)
		case "start_url", "scope", "url", "action":
			ref, _ = p.URL(ref, p.links)
		}
		return ref
	})
}

// importMap leads in the addresses of an import map, and the names of modules that are addresses. Digests are dropped: the
// bytes differ.
func (p *Place) importMap(src []byte) []byte {
	return inJSON(src, func(path []string, v any) any {
		switch {
		case len(path) == 1 && path[0] == "integrity":
			return map[string]any{}
		case len(path) == 1 && path[0] == "imports", len(path) == 2 && path[0] == "scopes":
			return p.addresses(v)
		case len(path) == 1 && path[0] == "scopes":
			if scopes, ok := v.(map[string]any); ok {
				led := map[string]any{}
				for scope, v := range scopes {
					led[p.address(scope)] = v
				}
				return led
			}
		}
		return v
	})
}

// addresses are the names and addresses of an import map, led into the archive.
func (p *Place) addresses(v any) any {
	all, ok := v.(map[string]any)
	if !ok {
		return v
	}
	led := map[string]any{}
	for name, v := range all {
		if ref, ok := v.(string); ok {
			v = p.address(ref)
		}
		led[p.address(name)] = v
	}
	return led
}

// address is what a module is imported by, led into the archive when it is an address and no bare name.
func (p *Place) address(ref string) string {
	if schemeLen(ref) > 0 || strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, ".") {
		ref, _ = p.URL(ref, Script)
	}
	return ref
}

// inJSON is the JSON document src with every value replaced by what change makes of it, inner ones after those they
// stand in. path is the names of the members that lead to it, until change returns. What is no JSON stays.
func inJSON(src []byte, change func(path []string, v any) any) []byte {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return src
	}
	var walk func(path []string, v any) any
	walk = func(path []string, v any) any {
		if len(path) > 0 {
			v = change(path, v)
		}
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				v[name] = walk(append(path, name), inner)
			}
		case []any:
			for i, inner := range v {
				v[i] = walk(append(path, "[]"), inner)
			}
		}
		return v
	}
	out, err := json.Marshal(walk(nil, doc)) // escapes "<", so that it may stand in a script element
	if err != nil {
		return src
	}
	return out
}

// Callback writes the answer r of JSONP to w with the function renamed that it calls: the name is made anew at each
// request, and the one wanted is in the request's query. An answer that calls nothing stays.
func Callback(w io.Writer, r io.Reader, name string) error {
	return whole(w, r, func(src []byte) []byte {
		start := len(src) - len(bytes.TrimLeft(src, " \t\r\n;"))
		for bytes.HasPrefix(src[start:], []byte("/*")) {
			end := bytes.Index(src[start:], []byte("*/"))
			if end < 0 {
				return src
			}
			start += end + 2
			start += len(src[start:]) - len(bytes.TrimLeft(src[start:], " \t\r\n;"))
		}
		end := start
		for end < len(src) && (isWordByte(src[end]) || strings.IndexByte(".[]\"'", src[end]) >= 0) {
			end++
		}
		if end == start || end >= len(src) || src[end] != '(' {
			return src
		}
		return append(append(bytes.Clone(src[:start]), name...), src[end:]...)
	})
}
