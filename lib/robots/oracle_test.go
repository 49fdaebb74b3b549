package robots

import (
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"
)

// oracle asks Google's parser, as grobotstxt translated it, in the place of rules.Match.
func oracle(body, agent, path string) (allowed bool, line int) {
	m := grobotstxt.NewRobotsMatcher()
	allowed = m.AgentAllowed(body, agent, "http://h"+path)
	return allowed, m.MatchingLine()
}

// TestOracleAgrees runs the table of facts through Google's parser too.
func TestOracleAgrees(t *testing.T) {
	for _, tt := range matchTests {
		if tt.ours {
			continue
		}
		if tt.agent == "" {
			tt.agent = "FooBot"
		}
		for i, p := range append(tt.allow, tt.forbid...) {
			if allowed, line := oracle(tt.robots, tt.agent, p); allowed != (i < len(tt.allow)) {
				t.Errorf("%s: the oracle says %v for %q (line %d)", tt.name, allowed, p, line)
			}
		}
	}
}

// FuzzOracle compares us with Google's parser on everything but what docs/formats/robots.md says we read otherwise.
func FuzzOracle(f *testing.F) {
	for _, tt := range matchTests {
		for _, p := range append(tt.allow, tt.forbid...) {
			f.Add(tt.robots, p)
		}
	}
	f.Add("user-agent: FooBot\nallow: /*/a*b$\ndisallow: /a\nallow:/a/index.html\n", "/a/x/ab")
	f.Fuzz(func(t *testing.T, body, path string) {
		if !comparable(body) || !plainPath(path) {
			return
		}
		allowed, line := oracle(body, "FooBot", path)
		d := Parse([]byte(body)).For("FooBot").Match(path)
		if d.Allowed != allowed {
			t.Fatalf("%q\n%q: we say %+v, the oracle allowed=%v line %d", body, path, d, allowed, line)
		}
		if d.Line != line && d.Line != 0 && line != 0 {
			t.Fatalf("%q\n%q: we say line %d, the oracle line %d", body, path, d.Line, line)
		}
	})
}

// plainPath leaves out paths whose escaping the oracle does not normalise, and the one that is always allowed.
func plainPath(p string) bool {
	if !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || p == "/robots.txt" {
		return false
	}
	for i := 0; i < len(p); i++ {
		if classOf(p[i]) == encoded || strings.IndexByte("%#$*'()![]", p[i]) >= 0 {
			return false
		}
	}
	return true
}

// comparable leaves out files that hold what we read otherwise on purpose.
func comparable(body string) bool {
	if len(body) > MaxBytes || strings.HasPrefix(strings.TrimSpace(strings.TrimLeft(body, "\xEF\xBB\xBF")), "<") ||
		strings.HasPrefix(body, "\xFE\xFF") || strings.HasPrefix(body, "\xFF\xFE") {
		return false
	}
	if strings.ContainsAny(body, "ſKİ") { // letters that Unicode folds into ASCII, which the oracle lets pass
		return false
	}
	for _, s := range lines(body) {
		s, _, _ = strings.Cut(s, "#")
		name, value, ok := split(strings.TrimSpace(s))
		if !ok {
			continue
		}
		switch k := keyOf(name); {
		case k == agentKey:
			// Characters that grobotstxt takes as part of a token and Google's own code does not.
			if strings.ContainsAny(value, "~$%'+*^`|") && !strings.HasPrefix(value, "*") {
				return false
			}
			fallthrough
		case k == disallowKey:
			if !googleName(name) {
				return false
			}
		}
		// Escapes that we decode, those in lower case (grobotstxt breaks their digits where Google's code does not), and
		// characters that a URL never holds plain.
		for i := 0; i < len(value); i++ {
			if v, ok := escape(value[i:]); ok && (classOf(v) == plain || value[i+1] >= 'a' || value[i+2] >= 'a') ||
				value[i] < 0x80 && classOf(value[i]) == encoded && value[i] != '%' {
				return false
			}
		}
	}
	return true
}

func googleName(name string) bool {
	name = strings.ToLower(name)
	for _, p := range []string{"user-agent", "useragent", "user agent", "disallow", "dissallow", "dissalow", "disalow", "diaslow", "diasllow", "disallaw"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// FuzzEncoding holds that neither a rule's nor a path's way of escaping changes the answer, and that nothing panics.
func FuzzEncoding(f *testing.F) {
	f.Add("/بایگانی/", "/بایگانی/۱")
	f.Add("/a*b$", "/a/b")
	f.Add("/%D8%a8%2F", "/\xD8\xA8%2f")
	f.Add("/%%4", "/%%41")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if strings.ContainsAny(pattern, "\r\n#") || strings.ContainsAny(path, "#") || len(pattern) > 1000 {
			return
		}
		if c := canonical(path); canonical(c) != c && !strings.Contains(path, "%") {
			t.Fatalf("canonical(%q) = %q, and of that %q", path, c, canonical(c))
		}
		r := Parse([]byte("user-agent: *\ndisallow: " + pattern + "\n")).For("x")
		if plain, escaped := r.Match(path), r.Match(escapeAll(path)); plain != escaped && path != "/robots.txt" {
			t.Fatalf("rule %q: %q gives %+v, %q gives %+v", pattern, path, plain, escapeAll(path), escaped)
		}
	})
}

// escapeAll escapes what may be escaped without changing what a path means: each octet that canonical decodes or encodes.
func escapeAll(path string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' {
			if _, ok := escape(path[i:]); ok {
				b.WriteString(strings.ToLower(path[i : i+3]))
				i += 2
				continue
			}
			return path // a stray percent sign: escaping what follows could make an escape of it
		}
		if classOf(c) == reserved {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
