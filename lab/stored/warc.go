package stored

import (
	"errors"
	"fmt"
	"io"
	"os"

	"kavosh"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// place is where a record lies.
type place struct {
	file   int // index
	offset int64
}

// openWARC reads the responses of WARC or ARC files, of each URL the first. Revisits and what is no answer are left out.
// Damaged records are passed over, as everywhere.
func openWARC(name string, files []string) (*Web, error) {
	b := newBuilder(name)
	var places []place
	for i, path := range files {
		err := eachResponse(path, func(rec *warc.Record) error {
			key, err := weburl.Key(rec.TargetURI())
			if err != nil || b.web.Find(key) >= 0 {
				return nil
			}
			a, err := answerOf(rec)
			if err != nil {
				return nil // not whole
			}
			if b.add(key, &a, nil) {
				places = append(places, place{i, rec.Offset})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	b.web.answer = func(i int) (Answer, error) {
		p := places[i]
		a, err := answerAt(files[p.file], p.offset)
		if err != nil {
			err = fmt.Errorf("%s, offset %d: %w", files[p.file], p.offset, err)
		}
		return a, err
	}
	return b.done()
}

func eachResponse(path string, each func(*warc.Record) error) error {
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
		if t := rec.Type(); t != "response" && t != "resource" {
			continue
		}
		if err := each(rec); err != nil {
			return err
		}
	}
}

// answerOf reads the answer in a record.
func answerOf(rec *warc.Record) (Answer, error) {
	head, payload, err := rec.Payload()
	if err != nil {
		return Answer{}, err
	}
	body, err := io.ReadAll(io.LimitReader(payload, maxBody))
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: head.Status, Body: body}
	for _, f := range head.Fields {
		a.Header = append(a.Header, kavosh.Field{Name: f.Name, Value: f.Value})
	}
	if rec.Type() == "resource" {
		a.Status = 200
		a.Header = kavosh.Header{{Name: "Content-Type", Value: rec.ContentType()}}
	}
	return a, nil
}

func answerAt(path string, offset int64) (Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Answer{}, err
	}
	rec, err := warc.ReadAt(f, info.Size(), offset)
	if err != nil {
		return Answer{}, err
	}
	return answerOf(rec)
}
