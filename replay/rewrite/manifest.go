package rewrite

// This file rewrites the URLs in lists of video segments.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kavosh/lib/weburl"
)

// maxManifest is the longest manifest that is rewritten; a longer one is written unchanged.
const maxManifest = 8 << 20

// HLS writes the playlist r of HTTP Live Streaming (RFC 8216) to w with its references rewritten: each line that is no
// tag, and the attribute URI of each tag.
func HLS(w io.Writer, r io.Reader, p *Place) error { return whole(w, p.until(r), p.hls) }

// DASH writes the media presentation description r to w with its references rewritten: the text of BaseURL and
// Location, and attributes with references or templates of references.
func DASH(w io.Writer, r io.Reader, p *Place) error { return whole(w, p.until(r), p.dash) }

// WebManifest writes the manifest r of a web application to w with its references rewritten.
func WebManifest(w io.Writer, r io.Reader, p *Place) error {
	return whole(w, p.until(r), p.webManifest)
}

// whole reads all of r into memory and writes to w what change makes of it.
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
			rewritten, _ := p.URL(string(text), Object)
			out = append(append(out, rewritten...), end...)
			continue
		}
		out = append(append(out, p.quoted(text, []string{"URI"})...), end...)
	}
	return out
}

// quoted rewrites the values of the given attributes in a line or tag. An attribute has the form name="value" and
// follows a character that cannot be in a name.
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
			if rewritten, ok := p.URL(string(text[start:start+n]), Object); ok {
				out = append(append(out, text[done:start]...), rewritten...)
				done = start + n
			}
		}
		i = start + n
	}
	return append(out, text[done:]...)
}

func (p *Place) dash(src []byte) []byte {
	var out []byte
	references := []string{"media", "initialization", "sourceURL", "index", "bitstreamSwitching", "href"}
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
		refers := isNamed(tag[1:], "BaseURL") || isNamed(tag[1:], "Location") || isNamed(tag[1:], "PatchLocation")
		if !refers || bytes.HasSuffix(tag, []byte("/>")) {
			continue
		}
		text := src[:max(0, bytes.IndexByte(src, '<'))]
		if rewritten, ok := p.URL(decode(string(text), percent), Object); ok {
			out = append(out, encode(rewritten, '"')...)
			src = src[len(text):]
		}
	}
	return append(out, src...)
}

// webManifest rewrites all members of a manifest that are references.
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

// importMap rewrites the addresses of an import map, and the names of modules that are addresses. It removes digests,
// because the bytes of modules change.
func (p *Place) importMap(src []byte) []byte {
	return inJSON(src, func(path []string, v any) any {
		switch {
		case len(path) == 1 && path[0] == "integrity":
			return map[string]any{}
		case len(path) == 1 && path[0] == "imports", len(path) == 2 && path[0] == "scopes":
			return p.addresses(v)
		case len(path) == 1 && path[0] == "scopes":
			if scopes, ok := v.(map[string]any); ok {
				rewritten := map[string]any{}
				for scope, v := range scopes {
					rewritten[p.address(scope)] = v
				}
				return rewritten
			}
		}
		return v
	})
}

// addresses rewrites the names and addresses of an import map.
func (p *Place) addresses(v any) any {
	all, ok := v.(map[string]any)
	if !ok {
		return v
	}
	rewritten := map[string]any{}
	for name, v := range all {
		if ref, ok := v.(string); ok {
			v = p.address(ref)
		}
		rewritten[p.address(name)] = v
	}
	return rewritten
}

// address rewrites the name by which a module is imported, if it is an address and not a bare name.
func (p *Place) address(ref string) string {
	if weburl.SchemeLen(ref) > 0 || strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, ".") {
		ref, _ = p.URL(ref, Script)
	}
	return ref
}

// inJSON replaces every value of the JSON document src by what change makes of it, outer values before inner ones. path
// has the names of the members from the root to the value; change must not keep it. If src is no JSON, it is returned
// unchanged.
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

// Callback writes the JSONP response r to w and renames the function that it calls to name. Pages make a new name at
// each request and send it in the query. A response that calls nothing is written unchanged.
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
