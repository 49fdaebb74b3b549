package behaviours

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const head = "name = 'news'\nversion = '1'\nsource = 'us'\n"

// A pack that is wrong is refused with the line and what to write.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"version = '1'\nsource = 'us'":                                                                                         `a pack has a name: write name = "news" at the top`,
		head + "titel = 'x'":                                                                                                   `line 4: there is no setting "titel" here`,
		head + "[[behaviour]]\nname = 'a'\nsite = ['*']":                                                                       `line 6: there is no setting "site" here; did you mean sites?`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'clik'":                                                         `line 4: do = "clik" is not known; did you mean click?`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'click'":                                                        `line 4: say what is acted on, by CSS selectors`,
		head + "\n[[behaviour]]\nsites = ['*']":                                                                                `line 5: a behaviour has a name`,
		head + "[[behaviour]]\nname = '*'\nsites = ['*']\ndo = 'scroll'":                                                       `line 4: the name "*" means all behaviours`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['a.test/b']\ndo = 'scroll'":                                                `line 4: "a.test/b" is no site`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'scroll'\ntimes = 9999":                                         `line 4: times = 9999 is not from 1 to 500`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'scroll'\ntime = '1h'":                                          `line 4: time is not from 0 to 1m0s`,
		head + "[[behaviour]]\nname = ":                                                                                        `line 5: `,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'dismiss'\nfind = ['a']\nclose = ['x']\nsteps = [['settings']]": `steps lead to a button that refuses`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'dismiss'\nfind = ['a']\nsay = ['no']\nsteps = [[]]":            `a step has no words`,
		head + "[[behaviour]]\nname = 'a'\nsites = ['*']\ndo = 'click'\nfind = ['a']\naccept = ['ok']":                         `line 4: steps, close and accept go with do = "dismiss"`,
	} {
		if _, err := Read("p.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "p.toml") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}

// Packs add rules for their sites, take the place of others of the same name, and turn them off.
func TestFor(t *testing.T) {
	dir := t.TempDir()
	pack := head + `
[never]
ask = ["mark-read"]
[[behaviour]]
name = "months"
sites = [".news.test"]
do = "click"
find = [".month"]
[[behaviour]]
name = "scroll"
sites = ["https://www.news.test/live/"]
do = "nothing"
[[behaviour]]
name = "*"
sites = ["off.test"]
do = "nothing"
`
	if err := os.WriteFile(filepath.Join(dir, "news.toml"), []byte(pack), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	has := func(url, name string) bool {
		for _, r := range s.For(url) {
			if r.Name == name {
				return true
			}
		}
		return false
	}
	for _, c := range []struct {
		url, name string
		want      bool
	}{
		{"https://www.news.test/", "months", true}, {"https://news.test/", "months", true}, {"https://xnews.test/", "months", false},
		{"https://www.news.test/", "scroll", true}, {"https://www.news.test/live/1", "scroll", false}, {"https://www.news.test/live/1", "tabs", true},
		{"https://other.test/", "tabs", true},
	} {
		if has(c.url, c.name) != c.want {
			t.Errorf("%s on %s: not %v", c.name, c.url, c.want)
		}
	}
	if rules := s.For("http://off.test/x"); len(rules) > 0 {
		t.Errorf("%d rules where they are turned off", len(rules))
	}
	if got := strings.Join(s.IDs(), " "); got != "everywhere@5 news@1" {
		t.Errorf("packs %s", got)
	}
	if !s.Forbids("http://a.test/x?do=markRead") {
		t.Error("what a pack adds to [never] is not forbidden")
	}
	if none, err := Load([]string{"off"}); err != nil || none.For("http://a.test/") != nil {
		t.Errorf("off: %v", err)
	}
	for _, values := range [][]string{{"off", dir}, {filepath.Join(dir, "none.toml")}, {t.TempDir()}, {dir, dir}} {
		if _, err := Load(values); err == nil {
			t.Errorf("no error for %q", values)
		}
	}
}

// URLs that name what is never done are told from those that only speak of it.
func TestForbids(t *testing.T) {
	s := NewSet(BuiltIn())
	for url, want := range map[string]bool{
		"http://a.test/logout": true, "http://a.test/user/sign_out.php": true, "http://a.test/?action=logOut": true, "http://a.test/api/posts/5/delete": true,
		"http://a.test/wp-login.php?action=logout&x=1": true, "http://a.test/LOGOUT/": true, "http://a.test/add-to-cart?id=1": true, "http://a.test/x?logout": true,
		"http://a.test/": false, "http://a.test/how-to-delete-files": false, "http://a.test/img/delete.png": false, "http://a.test/blog/logouts-explained": false,
		"http://a.test/undelete": false, "http://a.test/more?page=2": false, "%": false,
	} {
		if s.Forbids(url) != want {
			t.Errorf("%s: not %v", url, want)
		}
	}
}

// A pack may come from anywhere: whatever is in it, what is read of it keeps its bounds.
func FuzzRead(f *testing.F) {
	f.Add(string(everywhere))
	f.Add(head + "[[behaviour]]\nname='a'\nsites=['*','.b.test','http://c.test/']\ndo='dismiss'\nfind=['x']\nclose=['y']\ntimes=3\ntime='2s'\npause=0")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read("p.toml", []byte(text))
		if err != nil {
			if m, ok := err.(*Mistake); !ok || m.Text == "" || strings.ContainsAny(m.Text, "\r\n") {
				t.Fatalf("%#v", err)
			}
			return
		}
		s := NewSet(p)
		s.Forbids("http://a.test/logout")
		for _, r := range s.For("http://a.test/") {
			if r.Times < 1 || r.Times > mostTimes || r.TimeMS < 0 || r.TimeMS > mostTime.Milliseconds() || len(r.Find) > maxTexts {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// No rule of the pack that comes with the program asks for a thing by words that are never clicked.
func TestWordsAgree(t *testing.T) {
	pack := BuiltIn()
	for _, r := range pack.Rules {
		says := slices.Concat(r.Say, r.Close, r.Accept)
		for _, s := range r.Steps {
			says = append(says, s...)
		}
		for _, say := range says {
			words := strings.FieldsFunc(say, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\u200c' })
			for i := range words {
				for j := i + 1; j <= len(words); j++ {
					if part := strings.Join(words[i:j], " "); slices.Contains(pack.Never.Say, part) {
						t.Errorf("%s: %q is never clicked, for %q", r.Name, say, part)
					}
				}
			}
		}
	}
}
