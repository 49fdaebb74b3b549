package profile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
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
	if err := f.Save(made, "three plain words"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Path("news"))
	if info, _ := os.Stat(f.Path("news")); err != nil || bytes.Contains(data, []byte("S3CRET")) || bytes.Contains(data, []byte("news.example")) || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: %q", err, info.Mode(), data)
	}
	opened := f.Open()
	got, err := opened.Load("news", "three plain words")
	if err != nil || cmp.Diff(made, got) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(made, got))
	}
	if _, err := f.Open().Load("news", "three plain word"); err == nil || !strings.Contains(err.Error(), "this passphrase does not open it") {
		t.Error(err)
	}
	if _, err := f.Open().Load("other", "x"); err == nil || !strings.Contains(err.Error(), "there is no profile other") {
		t.Error(err)
	}
	if names, err := f.Names(); err != nil || !cmp.Equal(names, []string{"news"}) {
		t.Error(names, err)
	}
	// It is saved again and again with what it was opened with.
	changed := *made
	for _, sign := range []string{"changed", "changed again"} {
		changed.Sign = sign
		if err := opened.Save(&changed); err != nil {
			t.Fatal(err)
		}
	}
	again, err := f.Open().Load("news", "three plain words")
	if saved, _ := os.ReadFile(f.Path("news")); err != nil || cmp.Diff(&changed, again) != "" || bytes.Contains(saved, []byte("S3CRET")) || bytes.Contains(saved, []byte("SECRET-KEY")) {
		t.Errorf("%v: %s", err, cmp.Diff(&changed, again))
	}
	// Whoever made it anew comes first.
	if err := f.Save(made, "other plain words"); err != nil {
		t.Fatal(err)
	}
	data, _ = os.ReadFile(f.Path("news"))
	if err := opened.Save(&changed); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(f.Path("news")); !bytes.Equal(again, data) {
		t.Error("a profile was saved over one that was made anew")
	}
	for _, cut := range []int{0, len(heading) - 1, len(heading) + 2, len(heading) + 100, len(data) - 20, len(data) - 1} {
		if p, _, err := open(data[:cut], "other plain words"); err == nil || p != nil {
			t.Fatalf("cut to %d bytes: %v, %v", cut, p, err)
		}
	}
	// Earlier profiles are one file for the passphrase.
	to, err := age.NewScryptRecipient("three plain words")
	if err != nil {
		t.Fatal(err)
	}
	to.SetWorkFactor(10)
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := encrypt(text, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path("news"), earlier, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := opened.Load("news", "three plain words"); err != nil || cmp.Diff(made, got) != "" || opened.Save(&changed) != nil {
		t.Errorf("%v: %s", err, cmp.Diff(made, got))
	}
	if again, err := opened.Load("news", "three plain words"); err != nil || cmp.Diff(&changed, again) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(&changed, again))
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
	f.Add([]byte(heading + "5\nage-e"))
	f.Add([]byte("age-encryption.org/v1\n-> scrypt 8dq3Y3eN4nGq0Jj8rQkq3w 1\nxx\n--- x\n"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if p, _, err := open(sealed, "three plain words"); err == nil && p == nil {
			t.Error("neither a profile nor an error")
		}
	})
}
