package main

// This file is kavosh control ARCHIVE pings ADDR: it takes URLs that others submit, and gives them to a running crawl
// as seeds.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kavosh/engine"
	"kavosh/internal/knownhosts"
	"kavosh/seeds"
)

// takePings listens at addr for URLs that others submit, and gives them to the crawl of the archive in dir as seeds,
// until the program is interrupted.
func takePings(p *program, dir, addr string, names []string) error {
	at, err := knownhosts.ParseAddress("control … pings", addr, names)
	if err != nil {
		return usageError{err.Error()}
	}
	if _, err := engine.Tell(dir, &engine.Command{Name: "status"}); err != nil {
		return err // no crawl would accept them
	}
	listener, err := at.Listen()
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	fmt.Fprintf(p.err, "kavosh: submit seeds at %s/ping; Ctrl-C ends it\n", listener.URL())
	submit := func(who string, urls []string) (string, bool, error) {
		reply, err := engine.Tell(dir, &engine.Command{Name: "submit", Who: who, URLs: urls})
		return cmp.Or(reply.Error, reply.Text), reply.Error == "", err
	}
	server := listener.Server(seeds.Pings(submit, time.Now), 16<<10)
	server.ReadTimeout, server.WriteTimeout = 10*time.Second, 2*time.Minute
	context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // requests that are still open end with the process
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
