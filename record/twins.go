package record

import (
	"sync"

	"kavosh"
)

// twins knows the payloads that are being written and those written last, which Options.Original is not told of before
// they are durable in the capture log: of exchanges with one payload that arrive together, the first is written whole and
// the others wait for its place and revisit it. An original lies in front of its revisits in the crawl's files, so that no
// crash keeps a revisit without it. The zero value is ready.
type twins struct {
	sync.Mutex
	written sync.Cond           // of writing: somebody is done
	writing map[string]struct{} // digests
	known   map[string]int      // digest → place in last
	last    []kavosh.Prior      // the last originals written, a ring
	next    int                 // place in it
}

// maxTwins is how many originals are remembered: more than become durable at once, at a speed of thousands in a second.
const maxTwins = 4096

// claim finds an original that was just written. When there is none, the caller is the one to write it, and must call
// done with what came of it; others that claim the same digest wait until then.
func (t *twins) claim(digest string) (original kavosh.Prior, found bool) {
	t.Lock()
	defer t.Unlock()
	for {
		if i, ok := t.known[digest]; ok {
			return t.last[i], true
		}
		if _, taken := t.writing[digest]; !taken {
			break
		}
		t.written.Wait()
	}
	if t.writing == nil {
		t.writing = map[string]struct{}{}
	}
	t.writing[digest] = struct{}{}
	return original, false
}

// done ends a claim. Of captures, nil when nothing was written, the first may be an original from now on.
func (t *twins) done(digest string, captures []kavosh.Capture) {
	t.Lock()
	defer t.Unlock()
	delete(t.writing, digest)
	t.remember(captures)
	t.written.Broadcast()
}

// remember takes in the captures of a group.
func (t *twins) remember(captures []kavosh.Capture) {
	if len(captures) == 0 {
		return
	}
	c := &captures[0]
	if c.Type != "response" || c.Digest == "" || c.Status < 200 || c.Status > 299 || c.Truncated != kavosh.Whole ||
		c.Failure != kavosh.NoFailure || c.Method != "" || c.Payload < minRevisit {
		return
	}
	if t.known == nil {
		t.known, t.last = make(map[string]int, maxTwins), make([]kavosh.Prior, maxTwins)
	}
	place := &t.last[t.next]
	if t.known[place.Digest] == t.next {
		delete(t.known, place.Digest)
	}
	*place = kavosh.Prior{
		URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest, ETag: c.ETag, LastModified: c.Modified, MIME: c.MIME, File: c.File, Offset: c.Offset,
	}
	t.known[c.Digest] = t.next
	t.next = (t.next + 1) % maxTwins
}
