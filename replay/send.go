package replay

// This file sends an archived response to a reader, rewritten if needed.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
	"kavosh/replay/rewrite"
)

// send writes the head and body of an archived response.
func (s *player) send(w http.ResponseWriter, r *http.Request, rt route, o role, h History, a *Answer) {
	base, err := weburl.Parse(rt.url)
	if err != nil {
		s.problems.broken(w, r, rt, err)
		return
	}
	links := rewrite.Page
	if o.framed || rt.mod == rewrite.Frame {
		links = rewrite.Frame
	}
	place := "/" + rt.coll.Name + "/" + rt.time + rt.span
	p := rewrite.NewPlace(r.Context(), base, place, links)
	head := w.Header()
	a.passOn(head, p)
	if to := a.Location(); to != "" {
		head.Set("Location", place+rt.mod+"/"+to)
	}
	contentType := declared(Clean(a.Get("Content-Type")))
	setType(head, contentType)
	if rt.mod == rewrite.Raw && mayRunScripts(MediaType(contentType)) {
		head.Set("Content-Security-Policy", policy(s.mementos.addresses.Home)+unscripted)
	}
	switch {
	case a.Status < 200: // an interim response was recorded as if it were the final one
		w.WriteHeader(http.StatusOK)
		return
	case a.Status == http.StatusNoContent || a.Status == http.StatusResetContent:
		w.WriteHeader(a.Status)
		return
	}
	d := s.decoders.Get()
	defer s.decoders.Put(d)
	declared := a.Codings()
	if rt.mod == rewrite.Raw {
		if len(declared) > 0 { // a browser would show nothing if the body does not have the declared coding
			in := bufio.NewReaderSize(a.Body, httpwire.CodedWindow)
			window, _ := in.Peek(httpwire.CodedWindow)
			a.Body = in
			a.Recode(d.Coded(window, declared))
		}
		if coding := strings.Join(a.Codings(), ", "); coding != "" {
			head.Set("Content-Encoding", coding)
		}
		s.sendBytes(w, r, a, rt)
		return
	}
	body := &decoded{r: d.Decode(a.Body, declared, s.maxDecoded, 0)}
	in := bufio.NewReaderSize(body, rewrite.HeadSize)
	if contentType == "" && !o.part { // guess the type here, so that the browser does not guess another one
		peeked, _ := in.Peek(512)
		contentType = MediaType(http.DetectContentType(peeked))
		setType(head, contentType)
	}
	what := kindOf(MediaType(contentType), o)
	inject := s.injected(r, rt, o, h, a, MediaType(contentType))
	if inject == "" && !o.part && head.Get("Location") == "" && mayRunScripts(MediaType(contentType)) {
		head.Set("Content-Security-Policy", policy(s.mementos.addresses.Home)+unscripted)
	}
	if what == asIs {
		if len(declared) > 0 {
			in.Peek(1)
			a.Recode(d.Codings())
			if len(a.Codings()) == 0 {
				if a.Body, err = a.Again(r.Context()); err != nil {
					s.problems.broken(w, r, rt, err)
					return
				}
				in.Reset(a.Body)
			}
		}
		if len(a.Codings()) == 0 && in.Buffered() == 0 {
			s.sendBytes(w, r, a, rt)
		} else {
			s.stream(w, r, a, rt, in)
			body.check()
		}
		return
	}
	re := rewriting{in: in, contentType: contentType, kind: what, place: p}
	switch what {
	case htmlKind, xmlKind:
		re.options = rewrite.Options{XML: what == xmlKind, Scripts: what == htmlKind || inject != "", Inject: inject, Frame: s.client.Srcdoc(s.mementos.addresses.self(r) + r.RequestURI)}
	case scriptKind:
		if was, err := weburl.Parse(a.URL); err == nil && s.rules.callback(was) != s.rules.callback(base) {
			re.callback = s.rules.callback(base)
		}
		if o.worker {
			w.Header().Add("Vary", "Sec-Fetch-Dest")
			re.begin = s.client.Worker(s.mementos.addresses.self(r), r.RequestURI)
		}
	}
	s.rewrite(w, r, a, rt, re)
	body.check()
}

// injected returns the markup to add to a page, or "": the page script, and for a top-level page the banner.
func (s *player) injected(r *http.Request, rt route, o role, h History, a *Answer, media string) string {
	if !o.page || a.Location() != "" {
		return ""
	}
	cookies := a.cookies()
	var markup string
	switch media {
	case "text/html":
		markup = s.client.Markup(cookies...)
	case "application/xhtml+xml":
		markup = s.client.XHTML(cookies...)
	case "image/svg+xml":
		return s.client.SVG(cookies...)
	default:
		return ""
	}
	if o.banner {
		markup += s.problems.pages.Banner(r, rt.asked(), &h, a)
	}
	return markup
}

// rewriting is a body to be rewritten by package rewrite.
type rewriting struct {
	in          *bufio.Reader
	contentType string
	kind        kind
	place       *rewrite.Place
	options     rewrite.Options
	begin       string // for a script: what goes before it
	callback    string // for JSONP: the function that it must call; "" leaves the one that it calls
}

// body writes the rewritten body.
func (d *rewriting) body(w io.Writer, in io.Reader) error {
	switch d.kind {
	case cssKind:
		return rewrite.CSS(w, in, d.place)
	case hlsKind:
		return rewrite.HLS(w, in, d.place)
	case dashKind:
		return rewrite.DASH(w, in, d.place)
	case manifestKind:
		return rewrite.WebManifest(w, in, d.place)
	case scriptKind:
		if _, err := io.WriteString(w, d.begin); err != nil {
			return err
		}
		if d.callback != "" {
			var renamed bytes.Buffer
			if err := rewrite.Callback(&renamed, in, d.callback); err != nil {
				return err
			}
			in = &renamed
		}
		return rewrite.JavaScript(w, in, d.place)
	}
	return rewrite.HTML(w, in, d.place, d.options)
}

func (s *player) rewrite(w http.ResponseWriter, r *http.Request, a *Answer, rt route, d rewriting) {
	peeked, _ := d.in.Peek(rewrite.HeadSize)
	var in io.Reader = d.in
	charset := rewrite.Declared(peeked, d.contentType, d.kind == htmlKind || d.kind == xmlKind)
	switch {
	case rewrite.NeedsUTF8(charset):
		in, d.contentType = rewrite.UTF8(d.in, charset), withCharset(d.contentType, "utf-8")
	case charset != "" && d.kind == htmlKind && !hasCharset(d.contentType):
		// The markup that is added to the head may move its meta elements further down than browsers look.
		d.contentType = withCharset(d.contentType, charset)
	}
	setType(w.Header(), d.contentType)
	if d.options.Inject == "" && d.begin == "" && s.unchanged(w, r, a, rt) {
		return
	}
	w.WriteHeader(a.Status)
	if r.Method == http.MethodHead {
		return
	}
	if err := d.body(w, in); err != nil {
		panic(http.ErrAbortHandler) // the client is gone, or must see that the body is not complete
	}
}

// sendBytes sends the payload unchanged. Of a complete response it can also send a range.
func (s *player) sendBytes(w http.ResponseWriter, r *http.Request, a *Answer, rt route) {
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // each range of a compressed record would read the record again
	}
	if a.Chunked && r.Header.Get("Range") != "" {
		if n, err := io.Copy(io.Discard, a.Body); err == nil {
			a.Size, a.Chunked = n, false
			a.Body = nil
		}
	}
	if a.Chunked || a.Status != http.StatusOK {
		s.stream(w, r, a, rt, a.Body)
		return
	}
	w.Header().Set("ETag", etag(a, rt))
	open := func() (io.Reader, error) { return a.Again(r.Context()) }
	http.ServeContent(w, r, "", time.Time{}, &seeker{size: a.Size, r: a.Body, open: open})
}

// stream sends body as the whole response.
func (s *player) stream(w http.ResponseWriter, r *http.Request, a *Answer, rt route, body io.Reader) {
	if s.unchanged(w, r, a, rt) {
		return
	}
	if !a.Chunked && len(a.Codings()) == 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
	}
	w.WriteHeader(a.Status)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := io.Copy(w, body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// unchanged sets the ETag. If the client has this version already, it sends 304 and returns true.
func (s *player) unchanged(w http.ResponseWriter, r *http.Request, a *Answer, rt route) bool {
	tag := etag(a, rt)
	w.Header().Set("ETag", tag)
	if a.Status != http.StatusOK || !strings.Contains(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// etag identifies a response by its record and how it is rewritten.
func etag(a *Answer, rt route) string {
	f := fnv.New64a()
	fmt.Fprintf(f, "3 %s %s %d %s %s %s %s", a.Truncated, a.Filename, a.Offset, a.Timestamp, rt.time+rt.span, rt.mod, rt.url)
	return fmt.Sprintf(`"%016x"`, f.Sum64())
}

// setType sets the Content-Type. If the archived response had none, it keeps net/http from guessing one.
func setType(h http.Header, contentType string) {
	if contentType == "" {
		h["Content-Type"] = nil
		return
	}
	h.Set("Content-Type", contentType)
}

// decoded removes the content coding of a body. At an error the body ends there, as it does in a browser.
type decoded struct {
	r   io.Reader
	err error
}

func (d *decoded) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		d.err, err = err, io.EOF
	}
	return n, err
}

// check closes the connection if the body was a decompression bomb, so that the client sees that it is not complete.
func (d *decoded) check() {
	if errors.Is(d.err, httpwire.ErrTooLarge) {
		panic(http.ErrAbortHandler)
	}
}

// seeker makes a payload seekable for http.ServeContent. To go forward it reads and drops bytes; to go back it opens
// the record again.
type seeker struct {
	open      func() (io.Reader, error)
	r         io.Reader // nil: open again
	read      int64     // bytes read from r
	pos, size int64
}

func (k *seeker) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += k.pos
	case io.SeekEnd:
		offset += k.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning")
	}
	k.pos = offset
	return offset, nil
}

func (k *seeker) Read(p []byte) (int, error) {
	if k.r == nil || k.pos < k.read {
		r, err := k.open()
		if err != nil {
			return 0, err
		}
		k.r, k.read = r, 0
	}
	if k.pos > k.read {
		n, err := io.CopyN(io.Discard, k.r, k.pos-k.read)
		k.read += n
		if err != nil {
			return 0, err
		}
	}
	n, err := k.r.Read(p)
	k.read += int64(n)
	k.pos = k.read
	return n, err
}
