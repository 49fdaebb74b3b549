package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteTo makes a file, fails to replace it, replaces it behind a link, and writes to a device.
func TestWriteTo(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "texts"), filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	say := func(text string, end error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, end)
		}
	}
	interrupted := errors.New("interrupted")
	if err := writeTo(name, say("half", interrupted)); !errors.Is(err, interrupted) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("half a file is left")
	}
	for _, c := range []struct {
		name, text string
		end        error
		want       string
	}{{name, "first", nil, "first"}, {name, "half", interrupted, "first"}, {link, "second", nil, "second"}} {
		if err := writeTo(c.name, say(c.text, c.end)); !errors.Is(err, c.end) {
			t.Errorf("%s: %v", c.text, err)
		}
		if got, err := os.ReadFile(name); string(got) != c.want {
			t.Errorf("after %q the file has %q, %v", c.text, got, err)
		}
	}
	if files, err := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%v are left, %v", files, err)
	}
	if err := writeTo(os.DevNull, say("nothing", nil)); err != nil {
		t.Error(err)
	}
}
