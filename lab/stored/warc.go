package stored

// This file opens WARC and ARC files as a stored web.

import (
	"errors"
	"fmt"
	"io"
	"os"

	"kavosh"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// place is where a record is.
type place struct {
	path   string
	offset int64
}

// openWARC reads the responses in WARC or ARC files: the first of each URL, and revisits as the responses they refer
// to. It leaves out what is not a response of the web, and counts what could not be read. It skips damaged records.
func openWARC(name string, files []string, followed map[string][]followed) (*Web, error) {
	b := newBuilder(name)
	b.followed = followed
	b.web.Left = &Left{}
	type revisit struct{ url, digest string }
	var places []place
	var later []revisit // their originals may be in a later file
	originals := warc.NewOriginals()
	keep := func(url string, a *Answer, at place) {
		if b.add(url, a, nil) {
			places = append(places, at)
		}
	}
	for _, path := range files {
		err := eachAnswer(path, func(rec *warc.Record) error {
			key, err := weburl.Key(rec.TargetURI())
			if err != nil || !weburl.Fetchable(key) {
				return nil // from a resolver, or a decision of ours
			}
			if rec.Type() == "revisit" {
				later = append(later, revisit{key, rec.Header.Get("WARC-Payload-Digest")})
				return nil
			}
			originals.Note(rec, path)
			if b.web.Find(key) >= 0 {
				return nil
			}
			a, err := answerOf(rec)
			if err != nil {
				b.web.Left.Broken++
				return nil
			}
			keep(key, &a, place{path, rec.Offset})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, r := range later {
		if b.web.Find(r.url) >= 0 {
			continue
		}
		path, offset, ok := originals.Find(r.digest)
		if ok {
			if a, digest, err := answerAt(path, offset); err == nil && warc.SameDigest(digest, r.digest) {
				keep(r.url, &a, place{path, offset})
				continue
			}
		}
		b.web.Left.Revisits++
	}
	b.web.answer = func(i int) (Answer, error) {
		a, _, err := answerAt(places[i].path, places[i].offset)
		if err != nil {
			err = fmt.Errorf("%s, offset %d: %w", places[i].path, places[i].offset, err)
		}
		return a, err
	}
	return b.done()
}

func eachAnswer(path string, each func(*warc.Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := warc.NewReader(f)
	if err != nil {
		return err
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t := rec.Type(); t != "response" && t != "resource" && t != "revisit" {
			continue
		}
		if err := each(rec); err != nil {
			return err
		}
	}
}

func answerOf(rec *warc.Record) (Answer, error) {
	head, payload, err := rec.Payload()
	if err != nil {
		return Answer{}, err
	}
	body, err := io.ReadAll(io.LimitReader(payload, maxBody))
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: head.Status, Header: head.Fields, Body: body}
	if rec.Type() == "resource" {
		a.Status = 200
		a.Header = kavosh.Header{{Name: "Content-Type", Value: rec.ContentType()}}
	}
	return a, nil
}

// answerAt reads the answer at a place, and the digest of its payload.
func answerAt(path string, offset int64) (Answer, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Answer{}, "", err
	}
	rec, err := warc.ReadAt(f, info.Size(), offset)
	if err != nil {
		return Answer{}, "", err
	}
	a, err := answerOf(rec)
	return a, rec.Header.Get("WARC-Payload-Digest"), err
}
