package main

// This file crawls one site in one mode.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
)

// run is what came of a crawl.
type run struct {
	used
	Pages    int             `json:"pages"`    // HTML pages that the site had
	Requests int             `json:"requests"` // that the server got
	Turn     int             `json:"turn"`     // most requests to a host in one turn; 0 without a delay
	Rest     time.Duration   `json:"rest"`     // shortest rest of a host after a turn, for each of its requests
	Problem  string          `json:"problem"`  // why the crawl did not end by itself, or with another status than 0
	Met      map[string]role `json:"met"`      // URLs that the crawl knows
}

// role is what a URL is to a crawl.
type role int

const (
	untried  role = iota // a guess that was not requested: perhaps also a link, which the log does not say twice
	guess                // a guess that was requested, and is nothing
	link                 // what a page links to, or a guess that is something
	resource             // what was requested to show a page
)

// crawl crawls a site, or returns the kept result if it was crawled before.
func (o *options) crawl(s site, mode string) (*run, error) {
	dir := o.folder(s.name, mode)
	if r, err := read(dir); err == nil || !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root := s.root(o.dir)
	pages, err := s.trim(root, o.pages)
	if err != nil {
		return nil, fmt.Errorf("%w: make browser-sites brings the sites", err)
	}
	server := &server{site: &s, root: root, pages: pages}
	address, stop, err := listen(server)
	if err != nil {
		return nil, err
	}
	defer stop()
	r := &run{Pages: len(pages)}
	archived := filepath.Join(dir, "archive")
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	if r.used, err = watch(o.command(ctx, s, mode, archived, address)); err != nil {
		r.Problem = err.Error()
	}
	server.mu.Lock()
	r.Requests = len(server.log)
	if o.delay > 0 {
		r.Turn, r.Rest = rest(server.log, o.delay)
	}
	server.mu.Unlock()
	if r.Met, err = met(archived); err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return r, os.WriteFile(filepath.Join(dir, "run.json"), text, 0o644)
}

func (o *options) folder(site, mode string) string {
	return filepath.Join(o.dir, "runs", fmt.Sprintf("%d-%v", o.pages, o.delay), site, mode)
}

func read(dir string) (*run, error) {
	text, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		return nil, err
	}
	r := new(run)
	return r, json.Unmarshal(text, r)
}

// command returns the crawl. All hosts are at the server. What is at https is elsewhere, and left out.
func (o *options) command(ctx context.Context, s site, mode, archived, address string) *exec.Cmd {
	if mode == "again" {
		mode = "always"
	}
	cmd := exec.CommandContext(ctx, o.kavosh, "crawl", "--archive", archived, "--browser", mode, "--delay", o.delay.String(), "--address-delay", "0",
		"--connect-to", "::"+address, "--exclude", "^https:", "--json", s.seed())
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// met reads what a crawl knows of URLs. robots.txt does not count.
func met(archived string) (map[string]role, error) {
	urls := map[string]role{}
	for l, err := range archive.ReadLog(vfs.Default, archived, "") {
		if err != nil {
			return nil, err
		}
		if l.Outcome != archive.Retry && l.Kind != kavosh.Prerequisite.String() {
			urls[l.URL] = max(urls[l.URL], roleOf(&l))
		}
	}
	return urls, nil
}

func roleOf(l *archive.Line) role {
	requested := l.Outcome != archive.Refused
	switch {
	case l.Kind == kavosh.Embed.String() && requested:
		return resource
	case l.Kind != kavosh.Speculative.String() || l.Status == http.StatusOK:
		return link
	case requested:
		return guess
	}
	return untried
}
