package main

// This file is the command kavosh identity: keys that sign the requests of crawls, and what servers need to know them.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"kavosh/internal/knownhosts"
	"kavosh/lib/httpsig"
	"kavosh/lib/units"
)

type identityCmd struct {
	New    identityNewCmd    `cmd:"" help:"Make a key."`
	Show   identityShowCmd   `cmd:"" help:"Print the name and the public half of keys."`
	Serve  identityServeCmd  `cmd:"" help:"Serve the public halves of keys, and address ranges, to servers that want to know the crawler."`
	Ranges identityRangesCmd `cmd:"" help:"Print the address ranges from which a crawler comes, as JSON."`
}

// Help returns the text above the subcommands in the help.
func (identityCmd) Help() string {
	return `Servers know a crawl by signatures that nobody else can make (Web Bot Auth, RFC 9421):

    kavosh identity new bot.pem
    kavosh identity serve bot.pem --host bot.example.org --range 192.0.2.0/24      behind https://bot.example.org
    kavosh crawl --identity bot.pem --signature-agent https://bot.example.org https://example.org/

Whoever has the file can crawl in your name: keep it to yourself.`
}

type identityNewCmd struct {
	File string `arg:"" name:"file" help:"The file for the key; it must not be there yet."`
}

// Run makes a key that its owner alone can read.
func (c *identityNewCmd) Run(p *program) error {
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("%s is there already, and may be a key: name a file that is not", c.File)
	case err != nil:
		return err
	}
	key := httpsig.NewKey()
	_, err = f.Write(key.PEM())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(c.File)
		return err
	}
	_, err = fmt.Fprintf(p.out, "The key %s is in %s. Keep it to yourself; kavosh identity show prints what others may know.\n", key.ID(), c.File)
	return err
}

type identityShowCmd struct {
	Files []string `arg:"" name:"file" help:"Files that kavosh identity new made."`
	JSON  bool     `name:"json" help:"Print the directory alone, as a JWK set."`
}

// Run prints the names of keys and their directory.
func (c *identityShowCmd) Run(p *program) error {
	directory, err := readKeys(c.Files)
	if err != nil {
		return err
	}
	if !c.JSON {
		for i, key := range directory.Keys {
			fmt.Fprintf(p.out, "%s  %s\n", key.ID(), c.Files[i])
		}
	}
	_, err = p.data.Write(directory.JSON())
	return err
}

// readKeys reads the files of keys.
func readKeys(files []string) (*httpsig.Directory, error) {
	d := &httpsig.Directory{Now: time.Now}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		key, err := httpsig.ParseKey(text)
		if err != nil {
			return nil, usage("%s: %v; name a file that kavosh identity new made", file, err)
		}
		d.Keys = append(d.Keys, key)
	}
	return d, nil
}

type identityServeCmd struct {
	Files []string        `arg:"" name:"file" help:"Files that kavosh identity new made: the key in use and, while you change it, the other one."`
	Addr  string          `default:"127.0.0.1:8087" help:"Address to serve at."`
	Host  []string        `sep:"none" placeholder:"NAME" help:"Answer to this host name, too: that of --signature-agent. May be repeated."`
	Range []units.Network `sep:"none" placeholder:"CIDR" help:"The crawler comes from these addresses: they are served as /ip-ranges.json. May be repeated."`
}

// Help returns the text above the flags in the help.
func (identityServeCmd) Help() string {
	return `Example:

    kavosh identity serve bot.pem --host bot.example.org --range 192.0.2.0/24 --range 2001:db8::/32

Servers want https. Put a server for https in front, which passes the Host field on, since the answers are signed for it.`
}

// Run serves until the program is interrupted.
func (c *identityServeCmd) Run(p *program) error {
	directory, err := readKeys(c.Files)
	if err != nil {
		return err
	}
	listener, err := listen("--addr", c.Addr, c.Host)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+httpsig.DirectoryPath, directory)
	fmt.Fprintln(p.out, listener.URL()+httpsig.DirectoryPath)
	if len(c.Range) > 0 {
		ranges := rangesJSON(c.Range, time.Now())
		mux.HandleFunc("GET /ip-ranges.json", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(ranges)
		})
		fmt.Fprintln(p.out, listener.URL()+"/ip-ranges.json")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	server := listener.Server(mux, knownhosts.MaxAsked)
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type identityRangesCmd struct {
	Ranges []units.Network `arg:"" name:"cidr" help:"Address ranges, such as 192.0.2.0/24, or addresses."`
}

// Run prints the ranges.
func (c *identityRangesCmd) Run(p *program) error {
	_, err := p.data.Write(rangesJSON(c.Ranges, time.Now()))
	return err
}

// rangesJSON returns address ranges in the form in which search engines publish theirs.
func rangesJSON(ranges []units.Network, now time.Time) []byte {
	type prefix struct {
		V6 string `json:"ipv6Prefix,omitempty"`
		V4 string `json:"ipv4Prefix,omitempty"`
	}
	list := struct {
		Created  string   `json:"creationTime"`
		Prefixes []prefix `json:"prefixes"`
	}{Created: now.UTC().Format("2006-01-02T15:04:05.000000")}
	for _, r := range ranges {
		if r.Addr().Is4() {
			list.Prefixes = append(list.Prefixes, prefix{V4: r.String()})
		} else {
			list.Prefixes = append(list.Prefixes, prefix{V6: r.String()})
		}
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		panic(err) // it is made of texts alone
	}
	return append(text, '\n')
}
