package main

// This file is the command kavosh token: it makes, lists and revokes tokens for fetching WARC files. Package access
// keeps them.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/export"
	"kavosh/internal/clock"
)

type tokenCmd struct {
	target
	Args  []string `arg:"" optional:"" name:"archive-and-command" help:"The archive's folder, then the command."`
	Until moment   `placeholder:"DATE" help:"add: the token ends then, such as 2027-01-01 or 1405/10/11."`
	JSON  bool     `name:"json" help:"Print tokens as JSON, one object a line."`
}

// Help returns the text above the flags in the help.
func (tokenCmd) Help() string {
	return `Tokens let programs fetch an archive's WARC files from kavosh serve, by WASAPI. Commands:

    kavosh token ARCHIVE add 'National Library' --until 2027-01-01
    kavosh token ARCHIVE list
    kavosh token ARCHIVE revoke 1

    curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8088/wasapi/v1/webdata

A token is shown once, when it is made: only its hash is kept. Revoking ends it at once. Files with captures that
kavosh access has closed are not served. On a network, serve behind https:
without it, a token is sent unencrypted.`
}

// Run makes, lists or revokes tokens.
func (c *tokenCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 0, len(rest) == 1 && rest[0] == "list":
		return c.list(p, dir)
	case len(rest) == 2 && rest[0] == "add":
		return c.add(p, dir, rest[1])
	case len(rest) == 2 && rest[0] == "revoke":
		id, err := listed(rest[1], "a token", "token "+dir)
		if err != nil {
			return err
		}
		if _, err := access.RevokeToken(vfs.Default, dir, clock.Real{}, whoami(), id); err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.out, "Token %d is revoked.\n", id)
		return err
	}
	return usage("write it as kavosh token %s list | add NAME | revoke NUMBER", dir)
}

// add makes a token and prints its secret, which cannot be shown again.
func (c *tokenCmd) add(p *program, dir, name string) error {
	secret, t, err := access.AddToken(vfs.Default, dir, clock.Real{}, whoami(), name, c.Until.Time)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "Token %d, for %s. It is shown this once: keep it.\n", t.ID, t.Name)
	secrets, err := filesWithSecrets(filepath.Join(dir, "warc"))
	if err != nil {
		return err
	}
	if secrets > 0 {
		fmt.Fprintf(p.err, "kavosh: CREDENTIALS AND COOKIES are in %s, from a crawl with --keep-secrets: who has this token can fetch and use them.\n", plural(secrets, "file"))
	}
	_, err = fmt.Fprintln(p.out, secret)
	return err
}

func (c *tokenCmd) list(p *program, dir string) error {
	list, err := access.Tokens(vfs.Default, dir)
	if err != nil {
		return err
	}
	if len(list) == 0 && !c.JSON {
		_, err = fmt.Fprintln(p.out, "No tokens: nobody can fetch WARC files.")
		return err
	}
	enc := json.NewEncoder(p.out)
	for _, t := range list {
		state := "in force"
		switch {
		case t.Ended:
			state = "revoked"
		case !t.Until.IsZero() && !time.Now().Before(t.Until):
			state = "ended " + t.Until.Local().Format(time.DateOnly)
		case !t.Until.IsZero():
			state = "until " + t.Until.Local().Format(time.DateOnly)
		}
		if c.JSON {
			t.Hash = ""
			err = enc.Encode(t)
		} else {
			_, err = fmt.Fprintf(p.out, "%d  %s, %s (%s, %s)\n", t.ID, t.Name, state, t.Who, t.Time.Local().Format("2006-01-02 15:04"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// filesWithSecrets returns how many WARC files in a folder contain credentials and cookies.
func filesWithSecrets(dir string) (n int, err error) {
	files, err := archive.FilesBelow(dir, archive.IsWebFile)
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		if export.KeepsSecrets(f) {
			n++
		}
		f.Close()
	}
	return n, nil
}
