package main

// This file gives the archive a past: its front pages as if they had been captured on days since 2014.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kavosh/lib/warc"
)

// fronts are the pages with a past, each with how many days there are at least from one capture to the next.
var fronts = map[string]int{"https://www.bagh.example/": 23, "https://www.bagh.example/en/": 31, "https://www.bagh.example/fa/": 61, "https://carnet.example/": 47, "https://kitab.example/": 89, "http://old.example/": 203}

// writePast copies the captures of the front pages to a WARC file, with a comment behind that makes each another.
func writePast(archive, path string) error {
	names, err := filepath.Glob(filepath.Join(archive, "warc", "*"))
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	for _, name := range names {
		err = errors.Join(err, copyFronts(w, name))
	}
	return errors.Join(err, f.Close())
}

func copyFronts(w *warc.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := warc.NewReader(f)
	for err == nil {
		var rec *warc.Record
		if rec, err = in.Next(); err != nil {
			break
		}
		days := fronts[rec.TargetURI()]
		if days == 0 || rec.Type() != "response" {
			continue
		}
		var block []byte
		if block, err = io.ReadAll(rec.Block); err == nil {
			err = repeat(w, rec.TargetURI(), string(block), days)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// repeat writes an answer as captures over the years.
func repeat(w *warc.Writer, url, answer string, days int) error {
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	kept := lines[:0]
	for _, line := range lines {
		if name, _, _ := strings.Cut(strings.ToLower(line), ":"); name != "content-length" && name != "transfer-encoding" && name != "content-encoding" {
			kept = append(kept, line)
		}
	}
	if len(kept) < len(lines)-1 { // coded: the body cannot be added to
		return nil
	}
	at := time.Date(2014, 3, 21, 7, 12, 0, 0, time.UTC)
	for n := 0; at.Before(time.Now()); n++ {
		block := strings.Join(kept, "\r\n") + "\r\n\r\n" + body + fmt.Sprintf("<!-- %d -->", n/2)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: url},
			{Name: "WARC-Date", Value: warc.FormatDate(at)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			return err
		}
		at = at.AddDate(0, 0, days+n*n%17)
	}
	return nil
}
