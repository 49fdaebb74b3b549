package records

// This file joins a body that came in pieces: with an answer that the server broke off, and with the answers (status
// 206) that brought the rest of it.

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
)

// Continues is the field of a response record whose payload continues that of an earlier one. Its value is the
// WARC-Record-ID of the response with the first bytes of the body, a space, and the WARC-Date of that response.
const Continues = "Kavosh-Continues"

// MaxPieces is the most pieces of one body.
const MaxPieces = 32

// maxPassed is how many captures of a URL, the nearest in time to the first piece of a body, are looked at to find the
// others. The clock may have been set back between two of them.
const maxPassed = 1000

// piece is a part of a body: what one answer brought.
type piece struct {
	*Payload
	from, to int64 // it is bytes from ≤ n < to of the body; to is -1 if only reading the piece tells it
	whole    int64 // bytes of the whole body, as this answer says; -1 if it does not
}

// whole opens a capture's own record. If its payload is a piece of a body, Body is as much of the body as the index has
// pieces of, from its first byte on.
func (r *Records) whole(ctx context.Context, e *cdx.Entry) (*Payload, error) {
	p, err := r.Alone(ctx, e)
	if err != nil || r.Index == nil || p.Type != "response" || p.Truncated != "disconnect" && p.Truncated != "time" && !p.Record.Has(Continues) {
		return p, err
	}
	pieces, err := r.pieces(ctx, p)
	if err != nil || len(pieces) == 0 {
		closeAll(pieces)
		if err != nil {
			p.Close()
			p = nil
		}
		return p, err
	}
	first, last := pieces[0].Payload, &pieces[len(pieces)-1]
	body := *first
	body.Record, body.entry, body.again, body.opened = p.Record, e, nil, nil
	body.done = func() { closeAll(pieces) }
	body.Body = &joined{left: pieces}
	body.Chunked, body.Size = last.to < 0, cmp.Or(max(last.to, 0), last.from+last.Size)
	if last.to != last.whole {
		body.Truncated = cmp.Or(last.Truncated, first.Truncated)
	} else if last.to >= 0 {
		body.Truncated = ""
	}
	p.Close()
	return &body, nil
}

// pieces opens the pieces of the body that p has a piece of, in order and without a gap. There are none if the first is
// not found.
func (r *Records) pieces(ctx context.Context, p *Payload) (all []piece, err error) {
	id, date := p.Record.Get("WARC-Record-ID"), p.Record.Get("WARC-Date")
	if first := p.Record.Get(Continues); first != "" {
		id, date, _ = strings.Cut(first, " ")
	}
	began, err := warc.ParseDate(date)
	if err != nil {
		return nil, nil
	}
	stamp := began.UTC().Format("20060102150405")
	passed := 0
	for e, err := range r.Index.Query(ctx, cdx.Query{URL: p.Target, MatchType: cdx.Exact, Closest: stamp}) {
		if err != nil {
			return all, err
		}
		if passed++; passed > maxPassed || len(all) == MaxPieces {
			break
		}
		if e.Status != http.StatusPartialContent && (e.Status != http.StatusOK || e.Timestamp != stamp) || e.MIME == revisitMIME {
			continue
		}
		one, err := r.Alone(ctx, &e)
		if err != nil {
			return all, err
		}
		if part, ok := pieceOf(one, id); ok {
			all = append(all, part)
		} else {
			one.Close()
		}
	}
	slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	kept := all[:0:0]
	for _, one := range all {
		n := len(kept)
		switch {
		case n == 0 && one.from > 0, n > 0 && kept[n-1].to >= 0 && one.from > kept[n-1].to, // there is a gap before it
			n > 0 && one.from == kept[n-1].from: // it is a copy
			one.Close()
		default:
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// pieceOf returns p as a piece of the body whose first piece is the record with an ID. ok is false if it is none.
func pieceOf(p *Payload, id string) (one piece, ok bool) {
	one = piece{p, 0, -1, -1}
	if first, _, _ := strings.Cut(p.Record.Get(Continues), " "); first == "" {
		ok = p.Record.Get("WARC-Record-ID") == id
	} else if from, last, whole, known := httpwire.ContentRange(p.Header.Get("Content-Range")); known && first == id && from > 0 {
		one, ok = piece{p, from, -1, whole}, true
		if p.Truncated == "" {
			one.to = last + 1
		}
	}
	if !p.Chunked {
		one.to = one.from + p.Size
	}
	return one, ok
}

// closeAll closes pieces.
func closeAll(pieces []piece) {
	for _, one := range pieces {
		one.Close()
	}
}

// joined reads pieces one after the other, each as far as the next one begins.
type joined struct {
	left []piece // those that are not read to their end
	at   int64   // bytes of the body that are read
}

func (j *joined) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if len(j.left) == 1 {
		return j.left[0].Body.Read(b)
	}
	end := j.left[1].from
	n, err := j.left[0].Body.Read(b[:min(int64(len(b)), end-j.at)])
	j.at += int64(n)
	switch {
	case j.at == end:
		j.left, err = j.left[1:], nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // the piece is shorter than it was
	}
	return n, err
}
