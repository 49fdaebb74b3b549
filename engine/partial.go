package engine

// This file asks for the rest of a body whose connection broke off. What came is recorded as it came. The URL waits like
// one that failed, and is then asked for from the byte where the body broke off (Range, If-Range). An answer with status
// 206 that continues the body is recorded too, and internal/records joins them for readers. An answer with status 200 is
// a whole one, like any other. After any other, what the archive has stays the outcome of the URL.
// docs/decisions/0303-bodies-in-pieces.md has the reasons.

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/records"
	"kavosh/internal/spool"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/record"
)

// leastPiece is how many bytes of a body an answer must bring, so that the rest of it is asked for.
const leastPiece = 16 << 10

// sureAge is by how much a Last-Modified must be older than the answer, so that the body did not change twice within its
// second (RFC 9110, 8.8.2.2), even if two clocks made the two.
const sureAge = time.Minute

// begun returns what x, whose record main is of, brought of a body, if the far side broke it off and the rest can be asked
// for. It returns nil for nearly all answers.
func begun(x *kavosh.Exchange, main *kavosh.Capture) *kavosh.Partial {
	t := x.Task
	if !x.Broken || x.Status != http.StatusOK || x.Dropped != nil || t.Ask != nil || t.Variant || t.Kind == kavosh.Prerequisite || main.Payload < leastPiece {
		return nil
	}
	head := httpwire.Head{Fields: x.Header, Len: x.HeadLen}
	framing := httpwire.Frame(&head, http.MethodGet, x.Status)
	if framing.By == httpwire.UntilClose && x.Proto != "h2" || slices.Contains(x.Header.List("Accept-Ranges"), "none") {
		return nil
	}
	p := &kavosh.Partial{
		Record: main.Record, Time: main.Time, File: main.File, Offset: main.Offset, Validator: validator(x.Header),
		Coding: codings(x.Header), Size: main.Payload, Pieces: 1, Attempt: t.Attempt,
	}
	if framing.By == httpwire.ByLength {
		p.Whole = framing.Length
	}
	if p.Validator == "" || p.Coding != "" && (p.Whole == 0 || p.Validator[0] != '"') {
		return nil // a coding made anew for each answer may give other bytes
	}
	return p
}

// validator returns the value by which If-Range may ask for a part of what h describes (RFC 9110, 13.1.5): its ETag, if
// that is a strong one, or without an ETag its Last-Modified, if that is sure to change with the body. Else it returns "".
func validator(h kavosh.Header) string {
	if tags := h.Values("ETag"); len(tags) > 0 {
		tag := tags[0]
		if len(tags) > 1 || len(tag) < 2 || len(tag) > 1<<10 || tag[0] != '"' || strings.IndexByte(tag[1:], '"') != len(tag)-2 ||
			strings.ContainsFunc(tag, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return ""
		}
		return tag
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	date, bad := http.ParseTime(h.Get("Date"))
	if err != nil || bad != nil || date.Sub(modified) < sureAge {
		return ""
	}
	return h.Get("Last-Modified")
}

// codings returns the content codings that h names, in one text; "" for none.
func codings(h kavosh.Header) string {
	head := httpwire.Head{Fields: h}
	return strings.Join(slices.DeleteFunc(head.ContentCodings(), func(c string) bool { return c == "identity" }), ", ")
}

// continues reports whether x, whose payload has so many bytes, brought the next bytes of the body that p has the beginning
// of. whole is how many bytes the whole body has, as x says.
func continues(p *kavosh.Partial, x *kavosh.Exchange, size int64) (whole int64, ok bool) {
	first, last, whole, ok := httpwire.ContentRange(strings.Join(x.Header.Values("Content-Range"), ", "))
	coding, name := codings(x.Header), "Last-Modified"
	if p.Validator[0] == '"' {
		name = "ETag"
	}
	span := last - first + 1
	return whole, ok && x.Status == http.StatusPartialContent && first == p.Size && (p.Whole == 0 || p.Whole == whole) &&
		slices.Equal(x.Header.Values(name), []string{p.Validator}) && (coding == p.Coding || coding == "") &&
		record.MediaType(x.Header.Get("Content-Type")) != "multipart/byteranges" &&
		size > 0 && (size == span || size < span && x.Truncated != kavosh.Whole)
}

// continued says what came of asking for the rest of a body: x is the answer, with any status but 200.
func (c *crawl) continued(task *kavosh.Task, x *kavosh.Exchange) (item, error) {
	if !x.Answered() {
		return c.ended(*task, x, nil), nil
	}
	if _, ok := continues(task.Partial, x, x.Payload.Size()); !ok {
		return c.ended(*task, x, nil), nil
	}
	c.pend.announce(task.ID, written{c.recorder.End(), c.spool.end()})
	x.Digest = nil // the bytes are those of a part: nothing can be the same as them
	captures, err := c.recorder.Write(x)
	if err != nil {
		return item{}, err
	}
	return c.piece(*task, x, captures), nil
}

// piece says what comes of an answer that continues a body and is recorded: the body is whole, or its rest is asked for, or
// it stays as it is.
func (c *crawl) piece(task kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture) item {
	brought := captures[0].Payload
	whole, ok := continues(task.Partial, x, brought)
	if ok && task.Partial.Size+brought < whole && (x.Broken || x.Truncated == kavosh.Whole) && brought >= leastPiece && task.Partial.Pieces+1 < records.MaxPieces {
		more := *task.Partial
		more.Size, more.Whole, more.Attempt = more.Size+brought, whole, task.Attempt
		more.Pieces++
		if it, waits := c.waitForRest(task, x, captures, &more); waits {
			return it
		}
	}
	return c.ended(task, x, captures)
}

// brokeOff returns the item of a task that waits because the far side broke off its answer. waits is false for nearly all
// answers.
func (c *crawl) brokeOff(x *kavosh.Exchange, captures []kavosh.Capture) (it item, waits bool) {
	if rest := begun(x, &captures[0]); rest != nil {
		return c.waitForRest(*x.Task, x, captures, rest)
	}
	return item{}, false
}

// waitForRest returns the item of a task that waits until the rest of its body is asked for. rest says of which body, with
// what x brought, of which captures are. waits is false if it may not be asked for again.
func (c *crawl) waitForRest(task kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture, rest *kavosh.Partial) (it item, waits bool) {
	fresh := kavosh.Task{URL: task.URL, Kind: task.Kind} // what brought something does not count among the failures
	notBefore, again := c.frontier.Retry(&fresh, frontier.Answer{End: x.Began.Add(x.Took), Failure: kavosh.ResetFailure})
	if !again {
		return item{}, false
	}
	l := lineOf(&task, x)
	l.Outcome, l.MIME, l.Size = archive.Retry, captures[0].MIME, captures[0].Payload
	l.Reason = strings.TrimPrefix(fmt.Sprintf("%s; its rest, from byte %d on, is asked for not before %s", x.Detail, rest.Size, notBefore.UTC().Format(time.RFC3339)), "; ")
	it = item{update: frontier.Update{Task: task, Retry: notBefore, Bytes: l.Size}, line: &l, size: l.Size + 1024, urgent: true}
	it.update.Task.Partial = rest
	it.recorded(c.recorder, captures)
	c.quota.count(l.Size)
	return it, true
}

// ended returns the item of a task whose body came in pieces and will not be asked for again. captures are those of x, the
// last of these pieces; without captures x brought none of it.
func (c *crawl) ended(task kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture) item {
	p := task.Partial
	whole, err := c.stored(context.Background(), &cdx.Entry{Filename: p.File, Offset: p.Offset}, maxRead)
	if err != nil { // it is recorded, and stays so
		whole = &kavosh.Exchange{Status: http.StatusOK, Truncated: kavosh.TruncDisconnect, Header: x.Header, Wire: spool.Memory(nil), Payload: spool.Memory(nil)}
	}
	whole.Task, whole.Began, whole.Took = x.Task, x.Began, x.Took
	main := kavosh.Capture{File: p.File, Offset: p.Offset, MIME: record.MediaType(whole.Header.Get("Content-Type")), Payload: p.Size}
	if captures == nil {
		why := x.Detail
		if x.Status > 0 {
			why = strings.TrimSpace(fmt.Sprintf("the answer was %d %s", x.Status, x.Header.Get("Content-Range")))
		}
		whole.Failure, whole.Detail = kavosh.TruncatedAnswer, fmt.Sprintf("%d bytes came, and not the rest: %s", p.Size, why)
	} else {
		brought := captures[0].Payload
		main.File, main.Offset, main.Payload = captures[0].File, captures[0].Offset, p.Size+brought
		whole.Truncated, whole.Failure, whole.Detail = x.Truncated, x.Failure, x.Detail
		all, _ := continues(p, x, brought)
		switch {
		case main.Payload == all:
			whole.Truncated, whole.Failure, whole.Detail = kavosh.Whole, kavosh.NoFailure, fmt.Sprintf("the body came in %d pieces", p.Pieces+1)
		case x.Truncated == kavosh.Whole:
			whole.Truncated, whole.Failure, whole.Detail = kavosh.TruncDisconnect, kavosh.TruncatedAnswer, fmt.Sprintf("%d of %d bytes came", main.Payload, all)
		}
		if had := whole.Payload.Bytes(); int64(len(had)) == p.Size && p.Size < maxRead {
			body := make([]byte, p.Size+min(x.Payload.Size(), maxRead-p.Size))
			n, _ := x.Payload.ReadAt(body[copy(body, had):], 0) // what a disk does not give is not read for links
			whole.Payload = spool.Memory(body[:len(had)+n])
		}
	}
	o := c.reading(whole, nil)
	defer o.close()
	page := c.read(o)
	if err != nil {
		page.Notes = append(page.Notes, "what came first cannot be read: "+err.Error())
	}
	verdict, _ := c.purpose.weigh(whole, page) // --only kept the first piece, and so keeps the others
	found := c.revisits.found(whole, []kavosh.Capture{main}, page, c.revisits.look(o, page))
	it := c.judge(task, whole, []kavosh.Capture{main}, page, verdict)
	it.found, it.heard = found, c.hear(o, page)
	it.captures = captures
	return it
}
