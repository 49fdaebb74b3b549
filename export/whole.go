package export

// This file makes the records that stand in an exported WACZ file in place of records that name or need something left
// out.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// whole is a record that replaces another. For a revisit whose original is left out, it is a response: the revisit's
// head with the original's payload.
type whole struct {
	header   warc.Header
	head     []byte // the HTTP head, or the whole block
	chunked  bool   // the head says that the payload is chunked
	status   int
	mime     string
	original cdx.Entry // the record that has the payload; zero if none is needed
	size     int64     // bytes of the payload
}

// referring lists the fields by which a revisit names its original.
var referring = []string{"WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"}

// wholeOf makes a response from a revisit whose original is left out. If that is impossible, it makes a revisit that
// does not name what is left out. It returns nil for a revisit that stays. If tooLong, the block is too long for a
// revisit, and the record must be left out.
func (p *WACZ) wholeOf(ctx context.Context, rec *warc.Record) (x *whole, tooLong bool, err error) {
	block, err := io.ReadAll(io.LimitReader(rec.Block, httpwire.MaxHead))
	if err != nil {
		return nil, false, err
	}
	if x, err = p.responseOf(ctx, rec, block); x != nil || err != nil {
		return x, false, err
	}
	refers := strings.Trim(rec.Header.Get("WARC-Refers-To-Target-URI"), "<>")
	if refers == "" {
		return nil, false, nil
	}
	silent, err := p.leavesOut(ctx, refers, rec.Date().UTC().Format("20060102150405"))
	if err != nil || !silent {
		return nil, false, err
	}
	x = &whole{header: rec.Header.Clone(), head: block}
	for _, name := range referring {
		x.header.Del(name)
	}
	return x, int64(len(block)) < rec.Size, nil
}

// responseOf returns nil for a revisit whose original is packed or cannot be found, or has another payload.
func (p *WACZ) responseOf(ctx context.Context, rec *warc.Record, block []byte) (*whole, error) {
	original, err := p.Records.Original(ctx, cdx.EntryOf(rec), rec.Header)
	if errors.Is(err, records.ErrNoOriginal) {
		return nil, nil
	}
	if err != nil || p.packed[original.Filename] && p.Shows(original) {
		return nil, err
	}
	unchanged := strings.HasSuffix(rec.Header.Get("WARC-Profile"), "server-not-modified")
	if unchanged && !p.Shows(original) {
		return nil, nil // its head says 304, and the original's head must not be shown
	}
	x := &whole{header: rec.Header.Clone(), original: *original, status: 200}
	for _, name := range append([]string{"WARC-Profile", "WARC-Truncated", "WARC-Block-Digest"}, referring...) {
		x.header.Del(name)
	}
	x.header.Set("WARC-Type", "response")
	x.header.Set("Content-Type", "application/http; msgtype=response")
	head, ok := httpwire.Head{}, false
	for rest := block; !unchanged; {
		n := httpwire.HeadEnd(rest)
		if n < 0 {
			break
		}
		head, ok = httpwire.ParseResponseHead(rest[:n])
		rest = rest[n:]
		x.head = block[:len(block)-len(rest)]
		if !ok || head.Status < 100 || head.Status > 199 {
			break
		}
	}
	wanted, err := warc.ParseDigest(rec.Header.Get("WARC-Payload-Digest"))
	sum := wanted.New()
	if err != nil || sum == nil {
		return nil, nil
	}
	held, err := p.Records.Alone(ctx, original)
	if err != nil {
		return nil, nil // the original cannot be read, so the revisit stays as it is
	}
	defer held.Close()
	if x.size, err = io.Copy(sum, warc.Until(ctx, held.Body)); err != nil || !wanted.Matches(sum.Sum(nil)) {
		return nil, ctx.Err()
	}
	if !ok || head.Status == http.StatusNotModified {
		// A revisit may have no head, and a 304's head does not describe a payload. So the fields about the payload come from
		// the original.
		head, x.head = httpwire.Head{Status: 200}, []byte("HTTP/1.1 200 OK\r\n")
		for _, name := range []string{"Content-Type", "Content-Encoding"} {
			if v := held.Header.Get(name); v != "" {
				x.head = fmt.Appendf(x.head, "%s: %s\r\n", name, v)
			}
		}
		x.head = fmt.Appendf(x.head, "Content-Length: %d\r\n\r\n", x.size)
	}
	x.status, x.mime, x.chunked = head.Status, original.MIME, head.Chunked()
	if said, _, _ := strings.Cut(head.Get("Content-Type"), ";"); said != "" {
		x.mime = strings.ToLower(strings.TrimSpace(said))
	}
	x.header.Set("Content-Length", strconv.FormatInt(int64(len(x.head))+x.size+int64(len(x.before())+len(x.after())), 10))
	return x, nil
}

// before and after return the bytes around the payload of a chunked response.
func (x *whole) before() string {
	if !x.chunked || x.size == 0 {
		return ""
	}
	return strconv.FormatInt(x.size, 16) + "\r\n"
}

func (x *whole) after() string {
	switch {
	case !x.chunked:
		return ""
	case x.size == 0:
		return "0\r\n\r\n"
	}
	return "\r\n0\r\n\r\n"
}

// maxNote is the longest note or request that can be rewritten, and the longest word in one, in bytes.
const maxNote = 64 << 10

// silentOf rewrites a note or request that names what is left out, such as the page that led to it: "-" replaces the
// name. It returns nil if there is nothing to replace. If tooLong, the record cannot be rewritten.
func (p *WACZ) silentOf(ctx context.Context, rec *warc.Record) (x *whole, tooLong bool, err error) {
	at := rec.Date().UTC().Format("20060102150405")
	var failed error
	silence := func(text string) string {
		return weburl.Silence(text, "-", func(url string) bool {
			silent, err := p.leavesOut(ctx, url, at)
			failed = cmp.Or(failed, err)
			return silent
		})
	}
	if rec.Size > maxNote {
		words := bufio.NewScanner(rec.Block)
		words.Buffer(nil, maxNote)
		words.Split(bufio.ScanWords)
		for !tooLong && words.Scan() {
			tooLong = silence(words.Text()) != words.Text()
		}
		if err := words.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
			return nil, false, err
		}
		return nil, tooLong || words.Err() != nil, failed
	}
	block, err := io.ReadAll(rec.Block)
	if err != nil {
		return nil, false, err
	}
	text := silence(string(block))
	if failed != nil || text == string(block) {
		return nil, false, failed
	}
	x = &whole{header: rec.Header.Clone(), head: []byte(text)}
	x.header.Del("WARC-Block-Digest")
	x.header.Del("WARC-Payload-Digest")
	x.header.Set("Content-Length", strconv.Itoa(len(x.head)))
	return x, false, nil
}

// leavesOut reports whether a URL, or every capture of it, is left out.
func (p *WACZ) leavesOut(ctx context.Context, url, at string) (bool, error) {
	if !p.Shows(&cdx.Entry{URL: url, Timestamp: at}) {
		return true, nil
	}
	captured := false
	for e, err := range p.Records.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: maxLooked}) {
		if err != nil || p.Shows(&e) {
			return false, err
		}
		captured = true
	}
	return captured, nil
}

// maxLooked is how many captures of a URL are tried to find a packed one.
const maxLooked = 100

// writeWhole writes a record with the compression of its file and returns its length in bytes.
func (p *WACZ) writeWhole(ctx context.Context, w io.Writer, name string, x *whole) (int64, error) {
	var payload io.Reader = strings.NewReader("")
	if x.original.Filename != "" {
		held, err := p.Records.Alone(ctx, &x.original)
		if err != nil {
			return 0, err
		}
		defer held.Close()
		payload = held.Body
	}
	how := warc.Compression{}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		how.Format = warc.Gzip
	}
	return warc.NewWriter(w, how).WriteRecord(x.header,
		warc.Until(ctx, io.MultiReader(bytes.NewReader(x.head), strings.NewReader(x.before()), payload, strings.NewReader(x.after()))))
}
