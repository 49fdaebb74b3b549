package rewrite

// This file rewrites the URLs in style sheets.

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	csstext "kavosh/lib/css"
)

// maxCSS is how many bytes of a style sheet are rewritten; the rest is written unchanged.
const maxCSS = 32 << 20

// CSS writes the style sheet r to w with its references rewritten. Everything else keeps its bytes.
func CSS(w io.Writer, r io.Reader, p *Place) error {
	r = p.until(r)
	src, err := io.ReadAll(io.LimitReader(r, maxCSS))
	if err != nil && len(src) == 0 {
		return fmt.Errorf("read style sheet: %w", err)
	}
	if _, werr := w.Write(p.css(src)); werr != nil {
		return werr
	}
	if err != nil {
		return fmt.Errorf("read style sheet: %w", err)
	}
	_, err = io.Copy(w, r)
	return err
}

// css returns src with its references rewritten.
func (p *Place) css(src []byte) []byte {
	if !mayRefer(src) {
		return src
	}
	var out []byte // nil until the first change
	var c sheet
	done := 0
	// The lexer writes a NUL after its input, so it needs a copy.
	lexer := css.NewLexer(parse.NewInputBytes(bytes.Clone(src)))
	for pos, n := 0, 0; ; n++ {
		tt, tok := lexer.Next()
		if tt == css.ErrorToken {
			break
		}
		if n%often == 0 && p.ctx.Err() != nil {
			return src
		}
		start := pos
		pos += len(tok)
		mod, ok := c.next(tt, tok)
		if !ok {
			continue
		}
		changed, ok := p.cssToken(tt, tok, mod)
		if !ok {
			continue
		}
		out = append(append(out, src[done:start]...), changed...)
		done = pos
	}
	if out == nil {
		return src
	}
	return append(out, src[done:]...)
}

// mayRefer returns false for style sheets that cannot contain a reference.
func mayRefer(src []byte) bool {
	return bytes.IndexByte(src, '(') >= 0 || bytes.IndexByte(src, '@') >= 0
}

// sheet is the state needed to know which strings and url() of a style sheet are references.
type sheet struct {
	at    string   // at-rule whose prelude is being read: "import", "namespace"
	calls []string // the functions around the current token, in lower case
}

// next reports whether a token is a reference that may need rewriting, and returns its modifier.
func (c *sheet) next(tt css.TokenType, tok []byte) (mod string, ok bool) {
	switch tt {
	case css.AtKeywordToken:
		c.at = strings.ToLower(string(tok[1:]))
	case css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken:
		c.at, c.calls = "", c.calls[:0]
	case css.FunctionToken:
		if len(c.calls) < 64 {
			c.calls = append(c.calls, strings.ToLower(unescapeCSS(string(tok[:len(tok)-1]))))
		}
	case css.RightParenthesisToken:
		c.calls = c.calls[:max(0, len(c.calls)-1)]
	case css.LeftParenthesisToken:
		if len(c.calls) < 64 {
			c.calls = append(c.calls, "")
		}
	case css.URLToken:
		if c.at == "namespace" {
			return "", false
		}
		if c.at == "import" {
			return Style, true
		}
		return Image, true
	case css.StringToken:
		if c.at == "import" && len(c.calls) == 0 {
			return Style, true
		}
		if n := len(c.calls); n > 0 {
			switch c.calls[n-1] {
			case "image-set", "-webkit-image-set", "image", "src", "url", "-webkit-cross-fade", "cross-fade":
				return Image, true
			}
		}
	}
	return "", false
}

// cssToken rewrites the reference in tok, a url() or a string; it returns false if tok may stay.
func (p *Place) cssToken(tt css.TokenType, tok []byte, mod string) ([]byte, bool) {
	s := string(tok)
	before, after := "", ""
	if tt == css.URLToken {
		open := strings.IndexByte(s, '(') + 1
		inner := strings.TrimSuffix(s[open:], ")")
		value := strings.Trim(inner, " \t\r\n\f")
		at := strings.Index(inner, value)
		before, after = s[:open]+inner[:at], inner[at+len(value):]+s[open+len(inner):]
		s = value
	}
	quote := ""
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		quote = s[:1]
		s = strings.TrimSuffix(s[1:], quote)
	}
	escaped := strings.Contains(s, `\`)
	if escaped {
		s = unescapeCSS(s)
	}
	rewritten, ok := p.URL(s, mod)
	if !ok {
		return nil, false
	}
	if escaped {
		if quote == "" {
			quote = `"`
		}
		rewritten = escapeCSS.Replace(rewritten)
	}
	return []byte(before + quote + rewritten + quote + after), true
}

var escapeCSS = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `'`, `\'`, "\n", `\a `, "\r", `\d `, "\f", `\c `)

// unescapeCSS resolves the backslash escapes of a string or URL. It percent-encodes characters beyond ASCII, because
// the style sheet's encoding is not known here.
func unescapeCSS(s string) string {
	return string(csstext.Unescape(nil, s, func(dst []byte, r rune) []byte {
		if r < utf8.RuneSelf {
			return append(dst, byte(r))
		}
		return percent(dst, r)
	}))
}

// spellCSS escapes a character beyond ASCII for a style sheet.
func spellCSS(dst []byte, r rune) []byte {
	return append(strconv.AppendUint(append(dst, '\\'), uint64(r), 16), ' ')
}
