package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// urls is a follower that keeps URLs, and only what was committed.
type urls struct {
	cursor  journal.Cursor
	kept    []string
	added   []string
	commits int
	fullAt  int
}

func (u *urls) Name() string           { return "urls@1" }
func (u *urls) Cursor() journal.Cursor { return u.cursor }

func (u *urls) Reset(generation int) error {
	*u = urls{cursor: journal.At(generation, 0), fullAt: u.fullAt}
	return nil
}

func (u *urls) Add(_ context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	u.added = append(u.added, c.URL)
	return len(u.added) == u.fullAt, nil
}

func (u *urls) Commit(c journal.Cursor) error {
	u.kept, u.added, u.cursor = append(u.kept, u.added...), nil, c
	u.commits++
	return nil
}

// logged writes captures of URLs into a writer's file of a generation of the log of the archive a.
func logged(t *testing.T, fs vfs.FS, generation, writer int, urls ...string) {
	t.Helper()
	if err := disk.MkdirAll(fs, "a"); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(fs, "a/archive.json", []byte(`{"format":1,"name":"a"}`)); err != nil {
		t.Fatal(err)
	}
	l, err := journal.Open(fs, journal.File(fs, "a/log", generation, writer))
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		l.Append(index.AppendCapture(nil, &kavosh.Capture{URL: url, Time: time.Unix(1, 0), Type: "response"}))
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
}

// follow lets u follow the log of a, and wants it to have kept these URLs then.
func follow(t *testing.T, fs vfs.FS, u *urls, want ...string) {
	t.Helper()
	log, err := OpenLog(fs, "a")
	if err == nil {
		err = log.Follow(t.Context(), u, Following{})
	}
	if err != nil || !slices.Equal(u.kept, want) || len(u.added) > 0 {
		t.Errorf("%v: kept %q, not committed %q; want %q", err, u.kept, u.added, want)
	}
}

// A follower reads each capture of each writer once, goes on where it was, and begins anew with another generation and where the log is
// not the one that it knew.
func TestFollow(t *testing.T) {
	fs, u := vfs.NewMem(), &urls{fullAt: 2}
	logged(t, fs, 1, 1, "a", "b", "c")
	follow(t, fs, u, "a", "b", "c")
	if u.commits != 2 {
		t.Errorf("%d commits of three captures, where two are enough for one", u.commits)
	}
	follow(t, fs, u, "a", "b", "c")
	if u.commits != 2 {
		t.Error("it commits what is not new")
	}
	logged(t, fs, 1, 2, "x") // another machine
	logged(t, fs, 1, 1, "d")
	follow(t, fs, u, "a", "b", "c", "d", "x")
	logged(t, fs, 1, 2, "y")
	follow(t, fs, u, "a", "b", "c", "d", "x", "y")

	u.cursor = u.cursor.With(2, u.cursor.Of(2)-1) // in the middle of a line: of another log
	follow(t, fs, u, "a", "b", "c", "d", "x", "y")
	u.cursor = u.cursor.With(1, 1<<40) // beyond its end
	follow(t, fs, u, "a", "b", "c", "d", "x", "y")

	logged(t, fs, 2, 1, "new")
	follow(t, fs, u, "new")
	follow(t, fs, &urls{}, "new")
}

// Who is interrupted keeps what was committed, and its cursor says no more than that.
func TestFollowInterrupted(t *testing.T) {
	fs, u := vfs.NewMem(), &urls{fullAt: 2}
	logged(t, fs, 1, 1, "a", "b", "c", "d", "e")
	log, err := OpenLog(fs, "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = log.Follow(ctx, u, Following{Added: func(n int64) {
		if n == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || fmt.Sprint(u.kept) != "[a b]" {
		t.Errorf("%v, kept %q", err, u.kept)
	}
	u.added = nil // lost, as by a crash
	follow(t, fs, u, "a", "b", "c", "d", "e")
}

// What the list of followers holds is committed within commitEvery, where there is a clock, so that search finds it in time.
func TestFollowCommitsInTime(t *testing.T) {
	fs, u := vfs.NewMem(), &urls{}
	logged(t, fs, 1, 1, "a", "b", "c")
	log, err := OpenLog(fs, "a")
	if err != nil {
		t.Fatal(err)
	}
	clock := &stepping{step: commitEvery / 2}
	committed := 0
	err = log.Follow(t.Context(), u, Following{Clock: clock, Committed: func() error { committed++; return nil }})
	if err != nil || committed < 2 || len(u.kept) != 3 {
		t.Errorf("%v: %d commits, kept %q", err, committed, u.kept)
	}
}

// stepping is a clock that goes on by a step each time it is read.
type stepping struct {
	now  time.Time
	step time.Duration
}

func (c *stepping) Now() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

func (c *stepping) Sleep(context.Context, time.Duration) error { return nil }
