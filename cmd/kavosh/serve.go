package main

// This file is the command kavosh serve: it connects collections, access rules, replay, pages and API at two addresses.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"kavosh/access"
	"kavosh/internal/knownhosts"
	"kavosh/lib/units"
	"kavosh/site"
)

type serveCmd struct {
	Paths          []string        `arg:"" optional:"" name:"archive" help:"Archives to show, each PATH or NAME=PATH: folders that kavosh crawl made, WARC, ARC or WACZ files, folders of such, or addresses of such files at HTTP servers."`
	Archive        []string        `sep:"none" placeholder:"[NAME=]PATH" help:"The same as a flag. May be repeated."`
	Addr           string          `default:"127.0.0.1:8088" help:"Address of the home pages."`
	ReplayAddr     string          `default:"127.0.0.1:8089" help:"Address of the archived pages: an origin of its own, so that their scripts can touch nothing else."`
	Host           []string        `sep:"none" placeholder:"NAME" help:"Answer to this host name, too, such as that of a proxy in front. The addresses' own hosts, localhost and this machine's addresses are known. May be repeated."`
	CollectionHost string          `placeholder:"*.HOST" help:"Host name at which each collection's pages have an origin of their own, with * for the collection's name, such as *.replay.example.org:8089."`
	MaxSpan        units.Span      `placeholder:"TIME" help:"Widest time that the pictures, styles, scripts and frames of a page may lie from it, such as 12h, 30d or 52w; any by default."`
	OnSite         []units.Network `placeholder:"CIDR" help:"Addresses of the reading rooms: readers there see what kavosh access has made on-site. May be repeated."`
	Proxy          []units.Network `name:"trusted-proxy" placeholder:"CIDR" help:"Addresses of proxies in front, whose X-Forwarded-For says where a reader is. That of others is ignored."`
	Lang           string          `choice:"en,fa" default:"en" help:"Language for readers whose browser asks for neither English nor Persian."`
}

// Help returns the text above the flags in the help.
func (serveCmd) Help() string {
	return `Examples:

    kavosh serve example.org.kavosh
    kavosh serve news=archives/news papers=archives/papers
    kavosh serve --addr :0 --replay-addr :0 *.warc.gz         any free ports
    kavosh serve https://example.org/files/news.wacz          only what is looked at is fetched

A collection is named after its file or folder unless NAME= says otherwise; loose files without a name go together. The collection "web" is all of them at once. A crawl may go on while its archive is served. Ctrl-C stops.`
}

// Run serves until the program is interrupted.
func (c *serveCmd) Run(p *program) error {
	paths := append(c.Archive, c.Paths...)
	if len(paths) == 0 {
		return usage("what to show? name an archive, such as kavosh serve example.org.kavosh")
	}
	return c.serve(p, paths, func(set *collections, homeURL, _ string) {
		for _, collection := range set.collections {
			fmt.Fprintf(p.out, "%-20s %s%s/\n", collection.Name, homeURL, url.PathEscape(collection.Name))
		}
		fmt.Fprintf(p.out, "Open %s in a browser; Ctrl-C stops.\n", homeURL)
	})
}

// serve serves the archives at paths until the program is interrupted. It calls ready with the two base URLs, with
// final slashes.
func (c *serveCmd) serve(p *program, paths []string, ready func(set *collections, homeURL, pagesURL string)) error {
	ctx, stop := p.interruptible(nil)
	defer stop()
	set, err := openCollections(ctx, p, paths)
	if err != nil {
		return err
	}
	home, err := listen("--addr", c.Addr, c.Host)
	if err != nil {
		return err
	}
	defer home.Close()
	pages, err := listen("--replay-addr", c.ReplayAddr, c.Host)
	if err != nil {
		return err
	}
	defer pages.Close()
	readingRooms := access.Site{Addresses: units.Prefixes(c.OnSite), Proxies: units.Prefixes(c.Proxy)}
	options := site.Options{Lang: c.Lang, CollectionHost: c.CollectionHost, MaxSpan: time.Duration(c.MaxSpan)}
	return serveReplay(ctx, p, set, options, &readingRooms, home, pages, func(homeURL, pagesURL string) { ready(set, homeURL, pagesURL) })
}

// listen opens a TCP address that a flag gave. Readers may reach it by its host or by one of the names.
func listen(flag, addr string, names []string) (*knownhosts.Listener, error) {
	at, err := knownhosts.ParseAddress(flag, addr, names)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return at.Listen()
}

// serveReplay serves collections at two listeners until ctx ends. It completes options itself. rooms tells who is on
// site. It calls ready with the two base URLs, with final slashes.
func serveReplay(ctx context.Context, p *program, set *collections, options site.Options, rooms *access.Site, home, pages *knownhosts.Listener, ready func(home, pages string)) error {
	var readers site.Foreground
	defer startSearches(ctx, p, set, &readers).Close()
	defer site.KeepWanted(ctx, set.collections, func(err error) {
		fmt.Fprintln(p.err, "kavosh: what readers miss is not kept:", oneLine(err))
	}).Close()
	// Go lets the heap grow by as much as it holds before it collects garbage. This memory counts but is never touched,
	// so it costs nothing. Without it, the server of a small archive would collect a hundred times a second.
	headroom := make([]byte, 128<<20)
	defer runtime.KeepAlive(headroom)
	options.HomeAddr, options.ReplayAddr = home.URL(), pages.URL()
	handlers, origins, err := newHandlers(p, set, options, rooms)
	if err != nil {
		return err
	}
	pages.Also = origins
	defer set.renderer.Close()
	defer set.studio.Close()
	servers := []*http.Server{
		home.Server(readers.Noted(handlers[0]), knownhosts.MaxAsked), pages.Server(readers.Noted(handlers[1]), knownhosts.MaxAsked),
	}
	failed := make(chan error, len(servers))
	for i, l := range []*knownhosts.Listener{home, pages} {
		go func() { failed <- servers[i].Serve(l) }()
	}
	defer startWatches(ctx, p, set, options.ReplayAddr)()
	ready(options.HomeAddr+"/", options.ReplayAddr+"/")
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, s := range servers {
		if s.Shutdown(end) != nil {
			s.Close() // a slow reader's connection is cut
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// startSearches indexes collections from now on, so that they can be searched. Requests of readers go before that.
func startSearches(ctx context.Context, p *program, set *collections, readers *site.Foreground) *site.Searches {
	s := site.StartSearches(ctx, set.collections, site.Searching{Derived: derived(), Links: linksName, Yield: readers.Yield,
		Trouble: func(err error) { fmt.Fprintln(p.err, "kavosh:", oneLine(err)) }})
	if len(s.Union) > 0 {
		set.searcher = s.Union
	}
	return s
}

// newHandlers returns the handlers of the home origin and of the replay's origin, which options name. origins reports
// whether a host is the origin of a collection in the replay.
func newHandlers(p *program, set *collections, options site.Options, rooms *access.Site) (handlers [2]http.Handler, origins func(host string) bool, err error) {
	trouble := func(text string) { fmt.Fprintln(p.err, "kavosh:", text) }
	set.studio.Renderer, set.studio.Check, set.studio.Trouble = &set.renderer, set.renderer.Works, trouble
	options.Searcher = set.searcher
	options.Collections, options.Version, options.Camera, options.Trouble = set.collections, version(), &set.studio, trouble
	server, err := site.New(options)
	if err != nil {
		return handlers, nil, err
	}
	set.renderer.Pages = server.ReplayHandler()
	pages, machines, files := server.HomeHandler(), newAPI(p, set, options.HomeAddr, options.ReplayAddr), newFiles(p, set, options.HomeAddr)
	home := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // no mux, because it would change "//" in archived URLs
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			machines.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/wasapi/"):
			files.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
	return [2]http.Handler{rooms.Handler(home), rooms.Handler(server.ReplayHandler())}, server.ReplayHandler().OriginOfCollection, nil
}
