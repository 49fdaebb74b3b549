package fetch

// This file keeps out of the records what gives access to a site where a person is logged in (Options.Cookies): values
// of cookies in answers, and what scripts send of the browser's storage.

import (
	"bytes"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// leastSecret is the length in bytes from which the value of a cookie is taken for a secret: shorter ones, such as
// "dark", stand in many texts.
const leastSecret = 8

// private reports whether a person is logged in at a host of this name.
func (h *HTTP) private(host string) bool {
	return h.jar != nil && slices.Contains(h.o.Cookies.domains, weburl.Domain(trimBrackets(host)))
}

// Given returns the cookies that a host's registrable domain has now, if a person is logged in there, in the order in which
// they were made.
func (h *HTTP) Given(host string) (given []kavosh.Cookie) {
	if !h.private(host) {
		return nil
	}
	h.jar.mu.Lock()
	defer h.jar.mu.Unlock()
	kept := slices.Clone(h.jar.mu.domains[weburl.Domain(trimBrackets(host))])
	slices.SortFunc(kept, func(a, b *cookie) int { return int(a.Made - b.Made) })
	for _, c := range kept {
		if c.live(h.jar.clock.Now()) {
			given = append(given, c.Cookie)
		}
	}
	return given
}

// Secrets returns the texts that give access to a host where a person is logged in, which no record may have; nil where
// nobody is.
func (h *HTTP) Secrets(host string) []string {
	if !h.private(host) {
		return nil
	}
	all := []string{}
	for _, c := range h.Given(host) {
		if len(c.Value) >= leastSecret {
			all = append(all, c.Value)
		}
	}
	if h.o.Tokens != nil {
		all = append(all, h.o.Tokens(host)...)
	}
	return all
}

// Ends reports whether a Set-Cookie field takes a cookie away.
func (h *HTTP) Ends(field string) bool {
	now := h.o.Clock.Now()
	c, ok := parseCookie("https", "host.invalid", "/", dropDomain(field), now)
	return ok && !c.live(now)
}

// dropDomain returns a Set-Cookie field without its Domain attribute.
func dropDomain(field string) string {
	parts := strings.Split(field, ";")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return strings.EqualFold(strings.Trim(name, " \t"), "domain")
	}), ";")
}

// mask is what stands in records in place of each byte of a secret.
const mask = 'x'

// maskCookies masks the values of cookies in the Set-Cookie fields of a head, in place. It returns false if there are none.
func maskCookies(head []byte) (masked bool) {
	within, value := false, false // a Set-Cookie field; its cookie's value
	for line := range bytes.Lines(head) {
		name, rest, found := bytes.Cut(line, []byte(":"))
		if len(line) == 0 || line[0] != ' ' && line[0] != '\t' {
			within = found && ascii.EqualFold(string(bytes.TrimSpace(name)), "set-cookie")
			if value = false; !within {
				continue
			}
			line = rest
			pair, _, _ := bytes.Cut(rest, []byte(";"))
			if at := bytes.IndexByte(pair, '='); at >= 0 {
				line = rest[at+1:]
			}
			value = true
		}
		for i := 0; within && value && i < len(line) && line[i] != '\r' && line[i] != '\n'; i++ {
			if value = line[i] != ';'; value {
				line[i], masked = mask, true
			}
		}
	}
	return masked
}

// maskTexts masks each of the secrets in text, in place.
func maskTexts(text []byte, secrets []string) {
	for _, s := range secrets {
		for rest := text; ; {
			at := bytes.Index(rest, []byte(s))
			if at < 0 || s == "" {
				break
			}
			for i := range s {
				rest[at+i] = mask
			}
			rest = rest[at+len(s):]
		}
	}
}

// holdsOne reports whether one of the secrets is in text.
func holdsOne(text string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(s string) bool { return s != "" && strings.Contains(text, s) })
}
