package profile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kavosh"
)

func TestProfilesAreSealed(t *testing.T) {
	f := Folder(filepath.Join(t.TempDir(), "profiles"))
	made := &kavosh.Profile{
		Name: "news", Domains: []string{"news.example"}, Check: "https://news.example/me", Sign: "Maryam",
		Cookies: []kavosh.Cookie{{Name: "sid", Value: "S3CRET-COOKIE", Domain: "news.example", Path: "/"}},
		Storage: []kavosh.Stored{{Origin: "https://news.example", Key: "token", Value: "S3CRET-TOKEN"}},
	}
	seen := f.Watch([]string{"news"})
	if err := f.Save(made, "three plain words"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Path("news"))
	if info, _ := os.Stat(f.Path("news")); err != nil || bytes.Contains(data, []byte("S3CRET")) || bytes.Contains(data, []byte("news.example")) || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: %q", err, info.Mode(), data)
	}
	got, err := f.Load("news", "three plain words")
	if err != nil || cmp.Diff(made, got) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(made, got))
	}
	if _, err := f.Load("news", "three plain word"); err == nil || !strings.Contains(err.Error(), "this passphrase does not open it") {
		t.Error(err)
	}
	if _, err := f.Load("other", "x"); err == nil || !strings.Contains(err.Error(), "there is no profile other") {
		t.Error(err)
	}
	if names, err := f.Names(); err != nil || !cmp.Equal(names, []string{"news"}) {
		t.Error(names, err)
	}
	// Whoever made it anew comes first.
	changed := *made
	changed.Sign = "changed"
	if err := seen.Save(&changed, "three plain words"); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(f.Path("news")); !bytes.Equal(again, data) {
		t.Error("a profile was saved over one that was made anew")
	}
	if err := f.Remove("news"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "../x", "a/b", ".x", strings.Repeat("n", 65)} {
		if CheckName(name) == nil || f.Save(&kavosh.Profile{Name: name}, "three plain words") == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("age-encryption.org/v1\n-> scrypt 8dq3Y3eN4nGq0Jj8rQkq3w 1\nxx\n--- x\n"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if p, err := open(sealed, "three plain words"); err == nil && p == nil {
			t.Error("neither a profile nor an error")
		}
	})
}
