package index

import (
	"context"
	"iter"

	"kavosh/lib/cdx"
)

// Joined are several indexes that answer as one. It is safe for concurrent use when they are.
type Joined []Part

// Part gives the entries whose lines are from ≤ line < to by bytes ("" for to: without end), the last first when backward is
// set.
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
