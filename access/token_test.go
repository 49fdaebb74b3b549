package access

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
)

// A token is taken up to its end and not from then on, until it is revoked, whatever other tokens there are.
func TestTokenEnds(t *testing.T) {
	fs := archive(t)
	until := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	var secrets []string
	for _, end := range []time.Time{until, {}, {}} {
		secret, _, err := AddToken(fs, "archive", clock.Real{}, "someone", "library", end)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	follower := FollowTokens(fs, "archive")
	want := func(at time.Time, taken ...bool) {
		t.Helper()
		for i, secret := range secrets {
			if known, err := follower.Knows(secret, at); known != taken[i] || err != nil {
				t.Errorf("token %d at %v: %t, %v", i+1, at, known, err)
			}
		}
	}
	want(until.Add(-1), true, true, true)
	want(until, false, true, true)
	for _, c := range []struct {
		id      int
		revoked bool
	}{{2, true}, {2, false}, {0, false}, {-1, false}, {4, false}} {
		if _, err := RevokeToken(fs, "archive", clock.Real{}, "someone", c.id); (err == nil) != c.revoked {
			t.Errorf("revoking token %d: %v", c.id, err)
		}
	}
	want(until.Add(-1), true, false, true)
}

// coarseFS gives all files one time of change, as some file systems do for changes close together.
type coarseFS struct{ vfs.FS }

type coarseInfo struct{ vfs.FileInfo }

func (coarseInfo) ModTime() time.Time { return time.Time{} }

func (fs coarseFS) Stat(name string) (vfs.FileInfo, error) {
	info, err := fs.FS.Stat(name)
	return coarseInfo{info}, err
}

// A revoked token ends at once, also where the file's time does not tell of the change.
func TestRevokedAtOnce(t *testing.T) {
	fs := coarseFS{archive(t)}
	secret, token, err := AddToken(fs, "archive", clock.Real{}, "someone", "library", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	follower := FollowTokens(fs, "archive")
	if known, err := follower.Knows(secret, time.Now()); !known || err != nil {
		t.Fatalf("%t, %v", known, err)
	}
	if _, err := RevokeToken(fs, "archive", clock.Real{}, "someone", token.ID); err != nil {
		t.Fatal(err)
	}
	if known, err := follower.Knows(secret, time.Now()); known || err != nil {
		t.Errorf("a revoked token: %t, %v", known, err)
	}
}
