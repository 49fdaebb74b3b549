package access

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
)

// Whatever happens to the files in which an archive's decisions stand: nothing that was closed is shown, the error says how
// to go on, nobody can write, and once what is left was accepted it holds.
func TestNoDamageOpensWhatWasClosed(t *testing.T) {
	fs := archive(t)
	for _, text := range []string{"takedown http://a.test/1", "on-site http://a.test/2", "takedown http://a.test/3"} {
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Decide(fs, "archive", clock.Real{}, "someone", Decision{Do: "remove", ID: 2}); err != nil {
		t.Fatal(err)
	}
	secret, _, err := AddToken(fs, "archive", clock.Real{}, "someone", "library", time.Time{})
	if err == nil {
		_, err = RevokeToken(fs, "archive", clock.Real{}, "someone", 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	index := lines{*entry("http://a.test/1", "20260101000000", ""), *entry("http://a.test/2", "20260101000000", ""), *entry("http://a.test/3", "20260101000000", "")}
	sound := map[string][]byte{}
	for _, name := range []string{"archive.json", "decisions/access.jsonl", "decisions/tokens.jsonl"} {
		if sound[name], err = disk.ReadFile(fs, "archive/"+name); err != nil {
			t.Fatal(err)
		}
	}
	for name, was := range sound {
		damages := map[string][]byte{"missing": nil, "empty": {}, "zeros": make([]byte, len(was)), "garbage after it": append(bytes.Clone(was), "\x01\xff garbage\n"...), "twice": append(bytes.Clone(was), was...)}
		for i := range was {
			flipped := bytes.Clone(was)
			flipped[i] ^= 1 << (i % 8)
			damages[fmt.Sprintf("byte %d flipped", i)] = flipped
			damages[fmt.Sprintf("cut at %d", i)] = was[:i]
		}
		for what, damaged := range damages {
			t.Run(name+" "+what, func(t *testing.T) {
				fs := vfs.NewMem()
				files := maps.Clone(sound)
				if files[name] = damaged; damaged == nil {
					delete(files, name)
				}
				for name, data := range files {
					if err := errors.Join(fs.MkdirAll("archive/decisions", 0o755), disk.WriteFile(fs, "archive/"+name, data)); err != nil {
						t.Fatal(err)
					}
				}
				g := NewGuard(index, index, Follow(fs, "archive", clock.Real{}))
				var wrong error // that somebody who looks is told
				for i := range index {
					err := shown(t.Context(), g, &index[i])
					if err == nil && i != 1 {
						t.Fatalf("%s is opened", index[i].URL)
					}
					if i == 1 {
						wrong = err
					}
				}
				if known, err := FollowTokens(fs, "archive").Knows(secret, time.Now()); known {
					t.Fatal("a revoked token is taken")
				} else if wrong == nil {
					wrong = err
				}
				if wrong == nil {
					// What a flipped bit changes in a name or a date is nothing that anybody goes by; and a line less its end is none.
					if name != "archive.json" && what != fmt.Sprintf("cut at %d", len(was)) {
						t.Error("nobody notices")
					}
					return
				}
				if text := wrong.Error(); !strings.Contains(text, "archive") || !strings.Contains(text, "`kavosh") && !strings.Contains(text, "put it back") && !strings.Contains(text, "use that kavosh") {
					t.Errorf("the error names no fix: %v", wrong)
				}
				_, ruled := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown http://a.test/4"))
				_, _, tokened := AddToken(fs, "archive", clock.Real{}, "someone", "another", time.Time{})
				if ruled == nil && tokened == nil {
					t.Error("decisions are added to what is damaged")
				}
				if _, err := about.Read(fs, "archive"); err != nil {
					return // there is nothing to accept before archive.json is put back
				}
				if _, err := Accept(fs, "archive"); err != nil {
					t.Fatal(err)
				}
				_, ruled = Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown http://a.test/2"))
				_, _, tokened = AddToken(fs, "archive", clock.Real{}, "someone", "another", time.Time{})
				opened := shown(t.Context(), NewGuard(index, index, Follow(fs, "archive", clock.Real{})), &index[1])
				if ruled != nil || tokened != nil || opened == nil || strings.Contains(opened.Error(), "accept") {
					t.Errorf("after it was accepted: %v, %v, %v", ruled, tokened, opened)
				}
				if known, err := FollowTokens(fs, "archive").Knows(secret, time.Now()); known || err != nil {
					t.Errorf("after it was accepted: the revoked token %t, %v", known, err)
				}
			})
		}
	}
}
