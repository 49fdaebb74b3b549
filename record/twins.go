package record

// This file keeps two workers from storing one and the same payload twice at the same moment.

import (
	"sync"

	"kavosh"
)

// twins remembers the payloads being written and those written last, which Options.Original does not find before they
// are durable in the capture log. If several exchanges with one payload arrive together, the first is written in full;
// the others wait for its place and become revisits of it. An original is always before its revisits in the crawl's
// files, so no crash keeps a revisit without its original. The zero value is ready.
type twins struct {
	sync.Mutex
	written sync.Cond           // broadcast when a digest leaves writing
	writing map[string]struct{} // digests of payloads being written
	known   map[string]int      // digest to index in last
	last    []kavosh.Prior      // ring of the last originals written
	next    int                 // next index in last to use
}

// maxTwins is how many originals are remembered: more than become durable at once at thousands per second.
const maxTwins = 4096

// claim finds an original that was just written. If found is false, the caller must write it and call done; others that
// claim the same digest wait until then.
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

// done ends a claim. captures are those of the written group, or nil; the first may become an original.
func (t *twins) done(digest string, captures []kavosh.Capture) {
	t.Lock()
	defer t.Unlock()
	delete(t.writing, digest)
	t.remember(captures)
	t.written.Broadcast()
}

// remember adds the captures of a group.
func (t *twins) remember(captures []kavosh.Capture) {
	if len(captures) == 0 {
		return
	}
	c := &captures[0]
	if c.Type != "response" || c.Digest == "" || c.Status < 200 || c.Status > 299 || c.Truncated != kavosh.Whole ||
		c.Failure != kavosh.NoFailure || c.Method != "" || c.Payload < MinRevisit {
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
		URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest, ETag: c.ETag, LastModified: c.Modified, MIME: c.MIME,
		File: c.File, Offset: c.Offset,
	}
	t.known[c.Digest] = t.next
	t.next = (t.next + 1) % maxTwins
}
