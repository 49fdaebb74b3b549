package extract

// This file is the reader of style sheets: it finds their links. Documents are hostile input.

import (
	"bytes"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"kavosh"
	"kavosh/lib/ascii"
	csstext "kavosh/lib/css"
	"kavosh/lib/weburl"
)

// readCSS reads a style sheet.
func readCSS(r *reading, text []byte) { readCSSFrom(r, r.base, text, "") }

// readCSSFrom reads a style sheet, style element or style attribute: url(), @import, and the strings in image-set() and
// src(). Addresses are relative to base. guessed is the Attr of its links if the CSS itself is a guess; else "".
func readCSSFrom(r *reading, base *weburl.URL, text []byte, guessed string) {
	input := parse.NewInputBytes(text)
	defer input.Restore()
	lexer := css.NewLexer(input)
	var (
		importing bool // between @import and its address
		naming    bool // in @namespace, whose URL is only a name
		functions int  // open parentheses inside an image-set() or src()
		value     []byte
	)
	add := func(ref []byte, attr string) {
		l := kavosh.Link{Kind: kavosh.Embed, Element: "css", Attr: attr}
		if guessed != "" {
			if !wholeURL(ref) {
				return
			}
			l.Element, l.Attr = "script", guessed
		}
		if len(ref) > 0 && len(bytes.TrimSpace(ref)) > 0 {
			r.add(base, ref, l)
		}
	}
	for !r.full {
		kind, data := lexer.Next()
		switch kind {
		case css.ErrorToken:
			return
		case css.AtKeywordToken:
			importing = ascii.EqualFold(data, "@import")
			naming = ascii.EqualFold(data, "@namespace")
		case css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken:
			importing, naming, functions = false, false, 0
		case css.URLToken:
			if naming {
				continue
			}
			value = cssURL(value[:0], data)
			if importing {
				add(value, "@import")
				importing = false
			} else {
				add(value, "url()")
			}
		case css.StringToken:
			switch {
			case importing:
				value = csstext.Unescape(value[:0], unquote(data), utf8.AppendRune)
				add(value, "@import")
				importing = false
			case functions == 1:
				value = csstext.Unescape(value[:0], unquote(data), utf8.AppendRune)
				add(value, "image-set()")
			}
		case css.FunctionToken:
			name := data[:len(data)-1]
			switch {
			case functions > 0: // type("image/avif") in an image-set
				functions++
			case ascii.EqualFold(name, "image-set") || ascii.EqualFold(name, "-webkit-image-set") ||
				ascii.EqualFold(name, "src") || ascii.EqualFold(name, "url"):
				functions = 1
			}
		case css.LeftParenthesisToken:
			if functions > 0 {
				functions++
			}
		case css.RightParenthesisToken:
			functions = max(0, functions-1)
		case css.CustomPropertyValueToken:
			// the lexer sees --icon: url(x) as one token
			if bytes.IndexByte(data, '(') >= 0 && r.depth < maxDepth {
				r.depth++
				readCSSFrom(r, base, bytes.Clone(data), guessed)
				r.depth--
			}
		}
	}
}

// cssURL appends the address in a url(…) token to dst.
func cssURL(dst, token []byte) []byte {
	i := bytes.IndexByte(token, '(')
	token = bytes.TrimSuffix(token[i+1:], []byte(")"))
	token = bytes.Trim(token, " \t\r\n\f")
	if len(token) > 0 && (token[0] == '"' || token[0] == '\'') {
		token = unquote(token)
	}
	return csstext.Unescape(dst, token, utf8.AppendRune)
}

// unquote returns a quoted string without its quotes.
func unquote(s []byte) []byte {
	if len(s) > 0 {
		if n := len(s) - 1; n > 0 && s[n] == s[0] {
			return s[1:n]
		}
		return s[1:]
	}
	return s
}
