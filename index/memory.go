package index

// This file indexes loose WARC and ARC files in memory. It writes no file.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Memory is an index in memory, for loose WARC and ARC files. It needs about 300 bytes for each capture. After Sort it
// is safe for concurrent use.
type Memory struct {
	entries []cdx.Entry
}

// Read adds the captures of one file under the given name. If it returns an error, it has added the captures before it.
// A file that is compressed as a whole cannot be read at an offset, so it is refused with an error.
func (m *Memory) Read(ctx context.Context, f io.Reader, name string) error {
	r, err := warc.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var last record
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		this := record{id: rec.ID(), url: rec.TargetURI(), to: rec.Header.Get("WARC-Concurrent-To")}
		var e cdx.Entry
		ok := false
		if rec.Type() == "request" {
			this.method, this.query = cdx.RequestOf(rec)
		} else {
			e, ok = cdx.FromRecord(rec)
		}
		if err := r.Finish(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if rec.Shared {
			return fmt.Errorf("%s is compressed as a whole, so that no record can be read alone: make a copy with `kavosh repair %s -o OUT`", name, name)
		}
		if rec.Broken {
			last = record{}
			continue
		}
		if together := this.url == last.url && (this.to == last.id && last.id != "" || last.to == this.id && this.id != ""); together {
			if ok && last.query != "" {
				e.Asked(last.method, last.query)
			}
			if n := len(m.entries); last.listed && this.query != "" {
				m.entries[n-1].Asked(this.method, this.query)
			}
		}
		if this.listed = ok; ok {
			e.Filename, e.Offset, e.Length = name, rec.Offset, rec.Length
			m.entries = append(m.entries, e)
		}
		last = this
	}
}

// record is what must be known of a record to tell whether the next one belongs to it. A request and its response
// follow each other, and the second names the first.
type record struct {
	id, url, to   string
	method, query string // for a request
	listed        bool   // it made the newest entry
}

// Sort makes the index ready for queries, after the last Read.
func (m *Memory) Sort() {
	slices.SortStableFunc(m.entries, func(a, b cdx.Entry) int { return cdx.Compare(&a, &b) })
}

// Len returns the number of captures.
func (m *Memory) Len() int { return len(m.entries) }

// Search yields the entries with from ≤ line < to; backward reverses the order.
func (m *Memory) Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error] {
	return cdx.Search(m.entries, from, to, backward)
}

// Query yields the captures that match q.
func (m *Memory) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return failed(err)
		}
		return cdx.Search(m.entries, from, to, q.Reverse)
	})
}
