package main

// This file is --status of kavosh crawl: the page of the running crawl, its numbers for programs, and the token by which
// people command it there.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kavosh/engine"
	"kavosh/engine/status"
	"kavosh/internal/knownhosts"
	"kavosh/site"
	"kavosh/site/draw"
	"kavosh/site/live"
)

// statusPage is the page of a crawl, and its numbers.
type statusPage struct {
	http.Handler
	numbers *status.Numbers
	page    *live.Page
	server  *http.Server
	url     string
	archive string
	token   string // the file that has the token; "" before it is written
}

// startStatus serves the page of a crawl of an archive at addr. Readers may reach it by its host or by one of the names.
func startStatus(addr, archive string, names []string) (*statusPage, error) {
	listener, err := listen("--status", addr, names)
	if err != nil {
		return nil, err
	}
	s, err := newStatusPage(archive)
	if err != nil {
		return nil, err
	}
	s.url, s.server = listener.URL()+"/", listener.Server(s, knownhosts.MaxAsked)
	go s.server.Serve(listener)
	return s, nil
}

// newStatusPage makes the page of a crawl of an archive, which is served nowhere yet.
func newStatusPage(archive string) (*statusPage, error) {
	set, err := draw.New(draw.Options{Version: version()})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	s := &statusPage{Handler: mux, numbers: status.New(), page: live.New(set, time.Now), archive: archive}
	mux.Handle("GET /metrics", s.numbers)
	mux.Handle("GET /status.json", s.numbers)
	mux.Handle("/", s.page)
	return s, nil
}

// begin shows a crawl that has begun, and tells by say where it is shown.
func (s *statusPage) begin(id string, say func(format string, args ...any)) {
	dir := s.archive
	collection, err := site.OpenArchive(dir, site.NameOf(dir), site.TitleOf(dir), site.Live{Queued: engine.Waiting, Running: running})
	if err != nil {
		say("the crawl cannot be shown at %s: %v", s.url, err)
		return
	}
	c := live.Crawl{
		ID:       id,
		Crawl:    func(ctx context.Context) (*draw.Crawl, error) { return collection.Crawls.Crawl(ctx, id) },
		Settings: func() *draw.Settings { return settingsNow(dir) },
		Tell:     func(form live.Command) (string, error) { return obeyForm(dir, form) },
	}
	file := filepath.Join("crawls", id, "token")
	token := live.NewToken()
	err = writeToken(filepath.Join(dir, file), token)
	if err == nil {
		s.token, c.Token, c.File = filepath.Join(dir, file), token, filepath.ToSlash(file)
	}
	s.page.Show(c)
	say("watch it at %s", s.url)
	if err != nil {
		say("the crawl cannot be commanded there: %v", err)
		return
	}
	say("to command it there, give the token that is in %s", quoted(s.token))
}

// close ends the page. Its token is no longer good for anything, and goes.
func (s *statusPage) close() {
	_ = s.server.Close() // nobody waits for its answers
	if s.token != "" {
		_ = os.Remove(s.token) // the next crawl makes a new one in any case
	}
}

// writeToken writes a token to a new file that its owner alone may read. A killed crawl may have left one there.
func writeToken(path, token string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}

// formCommands are the commands of kavosh control that forms may give, by their first word or two. None of them reads a
// file of this machine.
var formCommands = []string{
	"pause", "resume", "stop", "workers", "delay", "address-delay", "delay-factor", "host-rate", "rate",
	"limit", "scope", "rules add", "rules remove", "permit", "seeds", "host", "priority",
}

// obeyForm gives the running crawl of the archive in dir the command that a form asks for, as kavosh control does.
func obeyForm(dir string, form live.Command) (string, error) {
	c := controlCmd{Why: form.Why, Zone: form.Zone}
	if form.For != "" {
		if err := c.For.UnmarshalText([]byte(form.For)); err != nil {
			return "", err
		}
	}
	words := form.Words
	if len(words) == 0 || !slices.Contains(formCommands, words[0]) && !slices.Contains(formCommands, strings.Join(words[:min(len(words), 2)], " ")) {
		return "", fmt.Errorf("the page does not take this command: say kavosh control %s %s", quoted(dir), strings.Join(words, " "))
	}
	cmd, err := c.command(&program{}, words)
	if err != nil {
		return "", err
	}
	cmd.Who, cmd.Why = "status page", form.Why
	reply, err := engine.Tell(dir, &cmd)
	switch {
	case err != nil:
		return "", err
	case reply.Error != "":
		return "", errors.New(reply.Error)
	}
	return strings.TrimSpace(replyText(&reply)), nil
}
