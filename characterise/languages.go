package characterise

// This file detects the languages of captures on all processors, for a survey.

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"runtime"
	"strings"

	"kavosh/lib/lang"
)

// Read adds the captures that read yields, in their order, and calls added after each. It sets their Lang and Digest:
// languages are detected on all processors.
func (s *Survey) Read(ctx context.Context, read func(ctx context.Context, yield func(*Capture) error) error, added func()) error {
	model := lang.Load()
	free := make(chan *lang.Identifier, runtime.GOMAXPROCS(0))
	for range cap(free) {
		free <- model.New()
	}
	type reading struct {
		*Capture
		ready chan struct{}
	}
	readings := make(chan reading, 2*cap(free))
	end := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(readings)
		end <- read(ctx, func(c *Capture) error {
			id := <-free
			next := reading{c, make(chan struct{})}
			go func() {
				c.Lang, c.Digest = languageOf(id, c), digest(c)
				close(next.ready)
				free <- id
			}()
			select {
			case readings <- next:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for c := range readings {
		<-c.ready
		if err := s.Add(c.Capture); err != nil {
			return err // the reader ends because the context does
		}
		added()
	}
	return <-end
}

// languageOf returns the most probable language of a capture, or "" if it has no text.
func languageOf(id *lang.Identifier, c *Capture) string {
	p := c.Page
	found := id.Page(lang.Page{Title: p.Title, Text: p.Text, Tags: []string{p.Lang}, Charset: p.Charset}).Languages
	if len(found) == 0 {
		return ""
	}
	return found[0].Code
}

// digest returns a number that is equal for captures with the same text.
func digest(c *Capture) uint64 {
	h := fnv.New64a()
	if c.Page.Text == "" { // frames, pictures
		fmt.Fprint(h, c.Bytes, c.Page.URL)
	} else {
		io.WriteString(h, strings.Join([]string{c.Page.Title, c.Page.Text}, "\n"))
	}
	return h.Sum64()
}
