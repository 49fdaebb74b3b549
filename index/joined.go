package index

import (
	"context"
	"iter"

	"kavosh/lib/cdx"
)

// Joined answers queries from several indexes as if they were one. It is safe for concurrent use if they are.
type Joined []Part

// Part is one of these indexes. It yields the entries whose lines are ≥ from and < to, compared as bytes; to "" means
// no end. With backward it yields the last first.
type Part interface {
	Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error]
}

// Query yields the captures that q asks for.
func (j Joined) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return failed(err)
		}
		var seqs []iter.Seq2[cdx.Entry, error]
		for _, part := range j {
			seqs = append(seqs, part.Search(from, to, q.Reverse))
		}
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range cdx.Merge(q.Reverse, seqs...) {
				if err == nil {
					err = ctx.Err()
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	})
}
