package quality

// This file keeps what was found of pages as they are replayed, so that others can show it.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/lib/cdx"
)

// LooksName is the folder below an archive's folder derived that has what was found (docs/formats/fidelity.md): the file looksFile, and
// WARC files with the pictures, the texts, and what pages asked for.
const LooksName = "fidelity@1"

const (
	looksFile = "looks.jsonl"
	maxLooks  = 64 << 20 // bytes of looksFile that are read
)

// looksHead is the first line of looksFile; each other line is a Look.
type looksHead struct {
	Made time.Time `json:"made"`
	Of   int       `json:"of"` // pages there are
}

// KeepLooks replaces what is kept in a folder. of is how many pages there are.
func KeepLooks(fs vfs.FS, dir string, made time.Time, of int, looks []*Look) error {
	return disk.Replace(fs, fs.PathJoin(dir, looksFile), func(w io.Writer) error {
		out := bufio.NewWriter(w)
		lines := json.NewEncoder(out)
		err := lines.Encode(looksHead{made.UTC().Truncate(time.Second), of})
		for _, k := range looks {
			err = errors.Join(err, lines.Encode(k))
		}
		return errors.Join(err, out.Flush())
	})
}

// Kept returns what is kept in a folder, of the pages that may be shown and whose capture of then the archive still has, and when it was
// found. f is nil if nothing is kept. of is how many pages may be shown now; so many of the worst are listed.
func (r *Reader) Kept(ctx context.Context, fs vfs.FS, dir string, of, most int) (f *Fidelity, made time.Time, err error) {
	file, err := fs.Open(fs.PathJoin(dir, looksFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, made, nil
	}
	if err != nil {
		return nil, made, err
	}
	defer file.Close()
	lines := json.NewDecoder(io.LimitReader(file, maxLooks))
	var head looksHead
	damaged := func(err error) error {
		return fmt.Errorf("%s is damaged: run kavosh quality --rendered again (%w)", dir, err)
	}
	if err := lines.Decode(&head); err != nil {
		return nil, made, damaged(err)
	}
	var looks []*Look
	random := 0
	for range MaxLooks {
		k := &Look{}
		if err := lines.Decode(k); err == io.EOF {
			break
		} else if err != nil {
			return nil, made, damaged(err)
		}
		switch e, err := r.shows(ctx, k.URL, k.Time); {
		case err != nil:
			return nil, made, err
		case e == nil:
			continue
		default:
			k.Capture = *e
		}
		if looks = append(looks, k); k.Random {
			random++
		}
	}
	f = NewFidelity(max(random, min(of, head.Of)), most)
	for _, k := range looks {
		f.Add(k)
	}
	return f, head.Made, nil
}

// shows returns the capture of a page of a second; nil if there is none, or if it may not be shown.
func (r *Reader) shows(ctx context.Context, url string, at time.Time) (*cdx.Entry, error) {
	stamp := at.UTC().Format(stampLayout)
	for e, err := range r.Records.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, From: stamp, To: stamp}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if e.Timestamp != stamp {
			continue
		}
		if refused, err := mayHave(ctx, r.Records, &e); refused == nil || err != nil {
			return &e, err
		}
	}
	return nil, nil
}
