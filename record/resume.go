package record

// This file reads back the groups that a crawl wrote, after a crash, and names WARC files.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/spool"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
)

// Group is a whole group of records found in a file: an exchange that the crawl may not know yet.
type Group struct {
	Task     uint64 // the task's ID and attempt
	Attempt  int
	Page     string           // if its records are renderings: the URL of their page, and Exchange says nothing; else ""
	Exchange *kavosh.Exchange // what the records say; Task has URL, ID and Attempt, and the way to the URL if Seed is set
	Captures []kavosh.Capture
}

// Resume reads the crawl's WARC files from the given place, after a crash. It calls found for each whole group in
// order, cuts off a group that was cut short, and seals the open file (or removes it if it has no group). It returns
// the Serial for the next Recorder.
func Resume(fs vfs.FS, dir, crawl string, from Place, found func(Group) error) (serial int, err error) {
	files, err := Files(fs, dir)
	if err != nil {
		return 0, err
	}
	serial = from.Serial
	for i, name := range files {
		n, ok := SerialOf(name, crawl)
		if !ok {
			continue
		}
		serial = max(serial, n+1)
		open := strings.HasSuffix(name, openSuffix)
		if open && i > 0 && files[i-1]+openSuffix == name {
			// After a power cut, a file that was being sealed may have both names. All its bytes were durable before it got the
			// second name, and are read under that one.
			if err := remove(fs, dir, name); err != nil {
				return 0, err
			}
			continue
		}
		var at int64
		switch {
		case n == from.Serial:
			at = from.Offset
		case n < from.Serial && !open:
			continue
		case n < from.Serial:
			at = -1 // everything in it is known; it only needs sealing
		}
		if err := resumeFile(fs, dir, name, at, found); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	return serial, nil
}

const openSuffix = ".open"

// suffix returns the file name suffix for a compression format.
func suffix(f warc.Format) string {
	if f == warc.Zstd {
		return ".warc.zst"
	}
	return ".warc.gz"
}

// Files returns the names of the WARC files in dir, sealed or .open, in the order they were begun.
func Files(fs vfs.FS, dir string) ([]string, error) {
	names, err := fs.List(dir)
	if err != nil {
		if _, statErr := fs.Stat(dir); statErr != nil {
			return nil, nil // no file was begun yet
		}
		return nil, err
	}
	files := slices.DeleteFunc(names, func(name string) bool { return !warc.IsName(strings.TrimSuffix(name, openSuffix)) })
	slices.Sort(files)
	return files, nil
}

// SerialOf returns the number in a crawl's file name: KAVOSH-<crawl>-<17 digits>-<serial>-<node> and its suffix.
func SerialOf(name, crawl string) (int, bool) {
	rest, ok := strings.CutPrefix(name, "KAVOSH-"+crawl+"-")
	if !ok || len(rest) < 24 || rest[17] != '-' {
		return 0, false
	}
	digits, _, ok := strings.Cut(rest[18:], "-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// CrawlOf returns the crawl that wrote a WARC file of that name; "" for a file that is not ours.
func CrawlOf(name string) string {
	rest, ok := strings.CutPrefix(name, "KAVOSH-")
	if !ok {
		return ""
	}
	for i := 0; i+19 <= len(rest); i++ {
		if rest[i] == '-' && rest[i+18] == '-' && strings.Trim(rest[i+1:i+18], "0123456789") == "" {
			return rest[:i]
		}
	}
	return ""
}

func remove(fs vfs.FS, dir, name string) error {
	if err := fs.Remove(fs.PathJoin(dir, name)); err != nil {
		return err
	}
	return disk.SyncDir(fs, dir)
}

// resumeFile calls found for the whole groups from at on, and seals the file. With at < 0 it only looks for the end.
func resumeFile(fs vfs.FS, dir, name string, at int64, found func(Group) error) error {
	path := fs.PathJoin(dir, name)
	sealed := strings.TrimSuffix(name, openSuffix)
	begin := max(at, 0)
	end, groups, err := readGroups(fs, path, sealed, begin, func(g Group) error {
		if at < 0 {
			return nil
		}
		return found(g)
	})
	if err != nil || sealed == name {
		return err
	}
	if groups == 0 && begin == 0 {
		return remove(fs, dir, name)
	}
	if err := disk.Truncate(fs, path, end); err != nil {
		return err
	}
	if err := fs.Rename(path, fs.PathJoin(dir, sealed)); err != nil {
		return err
	}
	return disk.SyncDir(fs, dir)
}

// readGroups calls found for each whole group from begin on. It returns the offset after the last of them.
func readGroups(fs vfs.FS, path, name string, begin int64, found func(Group) error) (end int64, groups int, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	if end = min(begin, info.Size()); end == info.Size() {
		return end, 0, nil
	}
	d := &careful{f: f}
	r, err := warc.NewReader(io.NewSectionReader(d, begin, info.Size()-begin))
	if err != nil {
		return end, 0, d.err // nothing readable after begin: all of it is torn
	}
	var b builder
	for {
		rec, err := r.Next()
		if err != nil {
			return end, groups, d.err // the end, or the torn tail
		}
		at := begin + rec.Offset
		whole, err := b.add(rec, name, at)
		if err != nil {
			return end, groups, d.err
		}
		if err := r.Finish(); err != nil || rec.Broken || len(rec.Notes) > 0 {
			return end, groups, d.err // we write nothing odd, so it is torn
		}
		next := begin + r.Offset()
		b.length(next - at)
		switch {
		case rec.Type() == "warcinfo":
			end = next
		case whole:
			g := b.group()
			if err := found(g); err != nil {
				return end, groups, err
			}
			end = next
			groups++
		}
	}
}

// careful remembers that reading the disk failed: what could not be read must not be cut off as torn.
type careful struct {
	f   io.ReaderAt
	err error
}

func (c *careful) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.f.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) && c.err == nil {
		c.err = err
	}
	return n, err
}

// builder assembles a group from its records.
type builder struct {
	id       string
	k        int
	exchange *kavosh.Exchange
	captures []kavosh.Capture
	last     int // index of the newest record's capture, or -1
}

// add adds the next record. whole is true if it completes the group.
func (b *builder) add(rec *warc.Record, file string, offset int64) (whole bool, err error) {
	b.last = -1
	id, kn, _ := strings.Cut(rec.Header.Get(groupField), " ")
	ks, ns, _ := strings.Cut(kn, "/")
	k, _ := strconv.Atoi(ks)
	n, _ := strconv.Atoi(ns)
	if id == "" || k < 1 || n < k {
		return false, nil // a warcinfo record, or a file that is not ours
	}
	if k == 1 || id != b.id || k != b.k+1 {
		*b = builder{id: id, last: -1, exchange: &kavosh.Exchange{Task: &kavosh.Task{URL: rec.TargetURI()}}}
		if k != 1 {
			return false, nil // the rest of a group whose beginning is missing
		}
	}
	b.k = k
	c, block, err := readCapture(rec, file, k == 1)
	if err != nil {
		return false, err
	}
	c.Offset = offset
	x := b.exchange
	switch {
	case k == 1:
		x.Began, x.Failure, x.Truncated, x.Task.Variant = c.Time, c.Failure, c.Truncated, c.Variant
		x.Broken = x.Failure == kavosh.TruncatedAnswer && x.Truncated == kavosh.TruncDisconnect
		if score, err := strconv.ParseFloat(rec.Header.Get(droppedField), 64); err == nil {
			x.Dropped = &kavosh.Dropped{Score: score}
		}
		if a, err := netip.ParseAddr(rec.Header.Get("WARC-IP-Address")); err == nil {
			x.Addr = netip.AddrPortFrom(a, 0)
		}
		if block != nil {
			if c.Type == "response" || c.Type == "revisit" {
				b.answer(block)
			}
		}
		if c.Type == "metadata" {
			parseNotes(x, block)
		}
	case c.Type == "metadata":
		parseNotes(x, block)
	case rec.Type() == "resource" && strings.HasPrefix(c.URL, "urn:kavosh:"):
		x.Decided = &kavosh.Resource{URL: c.URL, Type: c.MIME, Text: string(block)}
	case rec.Type() == "request":
		x.Request = block
		x.Method, _, _ = strings.Cut(string(block[:min(len(block), 16)]), " ")
	}
	if c.URL != "" && isCapture(c.Type, k) {
		b.captures = append(b.captures, c)
		b.last = len(b.captures) - 1
	}
	return k == n, nil
}

// parseNotes reads what provenance and notes wrote, as far as it is wanted.
func parseNotes(x *kavosh.Exchange, fields []byte) {
	t := x.Task
	for line := range strings.Lines(string(fields)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		switch name {
		case "kind":
			t.Kind, _ = kavosh.ParseKind(value)
		case "via":
			t.Via = value
		case "hopsFromSeed":
			t.Path = value
			t.Embeds = len(value) - len(strings.TrimRight(value, "ER"))
		case "hops":
			t.Hops, _ = strconv.Atoi(value)
		case "seed":
			t.Seed = value
		case "fetchTimeMs":
			ms, _ := strconv.ParseInt(value, 10, 32)
			x.Took = time.Duration(ms) * time.Millisecond
		case "detail":
			x.Detail = value
		}
		if x.Dropped != nil {
			readDropped(x.Dropped, name, value)
		}
	}
}

// readDropped reads a field of what the note about an answer says of why it was not kept.
func readDropped(d *kavosh.Dropped, name, value string) {
	switch name {
	case "dropped":
		d.By = value
	case "because":
		d.Why = value
	case "kept":
		var p kavosh.Prior
		id, rest, _ := strings.Cut(value, " ")
		date, digest, _ := strings.Cut(rest, " ")
		p.RecordID, p.Digest = id, digest
		p.Time, _ = warc.ParseDate(date)
		d.Kept = &p
	}
}

// Asked returns the method and Capture.Query that a response record states for a request other than GET.
func Asked(rec *warc.Record) (method, query string) {
	query, err := url.QueryUnescape(rec.Header.Get(queryField))
	if err != nil {
		return "", ""
	}
	method, _, _ = strings.Cut(strings.TrimPrefix(query, "__wb_method="), "&")
	return method, query
}

// markQuery marks the capture of a response to a request other than GET, and sets its query for the index.
func markQuery(c *kavosh.Capture, request []byte) {
	if len(request) == 0 || bytes.HasPrefix(request, []byte("GET ")) {
		return
	}
	method, _, _ := strings.Cut(string(request[:min(len(request), 16)]), " ")
	head, body, _ := bytes.Cut(request, []byte("\r\n\r\n"))
	contentType := ""
	for line := range strings.Lines(string(head)) {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Type") {
			contentType = strings.TrimSpace(value)
		}
	}
	c.Method, c.Query = method, cdx.MethodQuery(method, contentType, body)
}

// length completes the newest capture, once the reader is past its record.
func (b *builder) length(n int64) {
	if b.last >= 0 {
		b.captures[b.last].Length = n
	}
}

func (b *builder) group() Group {
	task, attempt, _ := strings.Cut(b.id, ".")
	g := Group{Exchange: b.exchange, Captures: b.captures}
	g.Page, _ = kavosh.RenderedPage(b.exchange.Task.URL)
	g.Task, _ = strconv.ParseUint(task, 10, 64)
	g.Attempt, _ = strconv.Atoi(attempt)
	b.exchange.Task.ID, b.exchange.Task.Attempt = g.Task, g.Attempt
	return g
}

// answer reads the head and payload of a response block.
func (b *builder) answer(block []byte) {
	x := b.exchange
	head, n := headOf(block)
	x.Wire, x.HeadLen = spool.Memory(block), n
	x.Proto, x.Status, x.Malformed = head.Proto, head.Status, head.Malformed
	x.Header = head.Fields
	payload, err := io.ReadAll(httpwire.Payload(head, bytes.NewReader(block[n:])))
	if err != nil && len(payload) == 0 {
		payload = nil // cut within the first chunk: the response has no payload, as its truncation says
	}
	x.Payload = spool.Memory(payload)
}

// headOf reads the head at the beginning of a block, and returns its length.
func headOf(block []byte) (httpwire.Head, int) {
	n := httpwire.HeadEnd(block)
	if n < 0 {
		n = len(block)
	}
	head, _ := httpwire.ParseResponseHead(block[:n])
	return head, n
}

// isCapture reports whether the capture log lists the k-th record of a group.
func isCapture(recordType string, k int) bool {
	switch recordType {
	case "response", "revisit", "resource":
		return true
	}
	return recordType == "metadata" && k == 1
}

// maxRead is how much of a record's block is held in memory when a group is read back, in bytes: more than extraction
// reads.
const maxRead = 32 << 20

// readCapture returns the capture of a record, equal to what Write returned except for its place. It also returns the
// block (at most maxRead bytes) if keep is set or the block is small.
func readCapture(rec *warc.Record, file string, keep bool) (kavosh.Capture, []byte, error) {
	c := kavosh.Capture{
		URL: rec.TargetURI(), Time: rec.Date(), Record: rec.ID(), Type: rec.Type(), File: file, Crawl: CrawlOf(file),
		Truncated: kavosh.Truncation(rec.Header.Get("WARC-Truncated")), Failure: kavosh.Failure(rec.Header.Get(failureField)),
		Digest: rec.Header.Get("WARC-Payload-Digest"), Variant: rec.Header.Get(variantField) != "",
		Of: rec.Header.Get(cdx.OfField),
	}
	c.Method, c.Query = Asked(rec)
	limit := int64(httpwire.MaxHead)
	if keep || rec.Type() == "request" {
		limit = maxRead
	}
	block, err := io.ReadAll(io.LimitReader(rec.Block, limit))
	if err != nil {
		return c, nil, err
	}
	switch {
	case c.Type == "resource":
		rest, err := io.Copy(io.Discard, rec.Block)
		if err != nil {
			return c, nil, err
		}
		c.MIME, c.Payload = MediaType(rec.Header.Get("Content-Type")), int64(len(block))+rest
	case (c.Type == "response" || c.Type == "revisit") && strings.HasPrefix(rec.ContentType(), "application/http"):
		head, n := headOf(block)
		c.Status = head.Status
		c.MIME = MediaType(head.Get("Content-Type"))
		c.Location, c.ETag, c.Modified = location(head.Get("Location")), head.Get("ETag"), head.Get("Last-Modified")
		if c.Type == "revisit" {
			c.Profile, c.MIME = profileName(rec.Header.Get("WARC-Profile")), cmp.Or(c.MIME, MediaType(rec.Header.Get(typeField)))
			break
		}
		c.Payload, err = io.Copy(io.Discard, httpwire.Payload(head, io.MultiReader(bytes.NewReader(block[n:]), rec.Block)))
		if err != nil && c.Truncated == kavosh.Whole && rec.Broken {
			return c, nil, err
		}
	}
	return c, block, nil
}

// Captures reads every capture of any WARC file, in order. It skips groups of ours that are not whole. It calls trouble
// for each record that could not be read. The capture log is rebuilt with it.
func Captures(f io.Reader, name string, found func(kavosh.Capture) error, trouble func(offset int64, err error)) error {
	r, err := warc.NewReader(f)
	if err != nil {
		return err
	}
	var pending []kavosh.Capture // captures of the current group
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		at := rec.Offset
		ours := rec.Header.Get(groupField)
		_, kn, _ := strings.Cut(ours, " ")
		ks, ns, _ := strings.Cut(kn, "/")
		k, _ := strconv.Atoi(ks)
		if ours == "" || k == 1 {
			pending = pending[:0]
		}
		c, _, err := readCapture(rec, name, false)
		if ferr := r.Finish(); err == nil && rec.Broken {
			err = fmt.Errorf("the record is cut short: %w", errors.Join(ferr, io.ErrUnexpectedEOF))
		}
		if err != nil {
			trouble(at, err)
			continue
		}
		c.Offset, c.Length = at, r.Offset()-at
		if c.URL != "" && isCapture(c.Type, max(k, 1)) && (ours != "" || c.Type != "metadata") {
			pending = append(pending, c)
		}
		if ours == "" || ks == ns {
			for _, c := range pending {
				if err := found(c); err != nil {
					return err
				}
			}
			pending = pending[:0]
		}
	}
}
