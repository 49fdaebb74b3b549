package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
	"kavosh/replay/client"
	"kavosh/replay/rewrite"
)

// maxDecoded bounds what one body may grow to when its content coding is undone, unless a test sets another bound. It is
// streamed: the bound is on time, not on memory.
const maxDecoded = 1 << 30

func (s *Server) serveReplay(w http.ResponseWriter, r *http.Request) {
	s.guard(w.Header())
	rt := s.route(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && rt.verb != memento && rt.verb != stray {
		w.Header().Set("Allow", "GET, HEAD")
		s.problem(w, r, rt, http.StatusMethodNotAllowed, "method")
		return
	}
	if r.Header.Get("Service-Worker") != "" && r.URL.Path != client.ServiceWorkerPath {
		// A service worker of one archived page would answer for all others.
		s.problem(w, r, rt, http.StatusForbidden, "service-worker")
		return
	}
	if to := s.elsewhere(r, rt); to != "" {
		w.Header().Set("Location", to+r.RequestURI)
		w.WriteHeader(http.StatusFound)
		return
	}
	if rt.verb == stray || rt.loose {
		if path := s.strayPath(r); path != "" {
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				redirect(w, path)
				return
			}
			w.Header().Set("Location", path)
			w.WriteHeader(http.StatusTemporaryRedirect) // with its method and body
			return
		}
	}
	switch rt.verb {
	case asset:
		if !s.client.Serve(w, r) {
			s.pages.ServeStatic(w, r)
		}
	case root:
		s.root(w, r, rt)
	case memento:
		s.memento(w, r, rt)
	case timegate:
		s.timegate(w, r, rt)
	case timemap:
		s.timemap(w, r, rt)
	case calendar:
		s.calendar(w, r, rt)
	case comparison:
		s.compare(w, r, rt)
	case cdxQuery:
		s.cdx(w, r, rt)
	case badRequest:
		s.problem(w, r, rt, http.StatusBadRequest, "bad-request")
	default:
		if r.URL.Path == "/" && s.home != "" {
			w.Header().Set("Location", s.home+"/")
			w.WriteHeader(http.StatusFound)
			return
		}
		s.problem(w, r, rt, http.StatusNotFound, "no-page")
	}
}

// role is what a request is for, as its modifier and the browser's own headers say.
type role struct {
	part   bool // of a page: a picture, style sheet, script, font, fetched data
	script bool // … that is a script, whatever its type says
	worker bool // … that a worker begins with
	bytes  bool // … that is no markup, whatever its type says
	style  bool // … that is a style sheet, whatever its type says
	framed bool // a page inside another
	page   bool // a browser shows the answer as a page, at the top or in a frame
	banner bool // … at the top
}

func roleOf(r *http.Request, mod string) role {
	var o role
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document":
		o.page = true
	case "iframe", "frame", "object", "embed", "fencedframe":
		o.page, o.framed = true, true
	case "style":
		o.part, o.style = true, true
	case "script":
		o.part, o.script = true, true
	case "worker", "sharedworker":
		o.part, o.script, o.worker = true, true, true
	case "image", "font", "audio", "video", "track", "audioworklet", "paintworklet":
		o.part, o.bytes = true, true
	case "":
		// An old browser, one on plain http to another machine, or a program.
		o.page = strings.Contains(r.Header.Get("Accept"), "text/html")
		o.framed = o.page && mod == rewrite.Frame
		o.part = !o.page && slices.Contains([]string{rewrite.Image, rewrite.Script, rewrite.Style, rewrite.Object}, mod)
		o.bytes = !o.page && mod == rewrite.Image
		o.script = !o.page && mod == rewrite.Script
		o.style = !o.page && mod == rewrite.Style
	default:
		o.part = true
	}
	o.banner = o.page && !o.framed && mod == rewrite.Page
	return o
}

// kind is how a body is rewritten.
type kind uint8

const (
	asIs kind = iota
	htmlKind
	xmlKind
	cssKind
	scriptKind
	hlsKind
	dashKind
	manifestKind
)

// kindOf is how a body of that media type is rewritten for that role.
func kindOf(media string, o role) kind {
	switch {
	case o.style:
		return cssKind
	case o.script:
		return scriptKind
	case media == "image/svg+xml":
		return xmlKind
	case media == "application/dash+xml":
		return dashKind
	case slices.Contains([]string{"application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl"}, media):
		return hlsKind
	case o.bytes:
		return asIs
	}
	switch media {
	case "text/html":
		return htmlKind
	case "application/xhtml+xml", "text/xml", "application/xml", "text/xsl", "application/xslt+xml":
		return xmlKind
	case "text/css":
		return cssKind
	case "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript", "text/ecmascript":
		if !o.page {
			return scriptKind
		}
	case "application/manifest+json":
		return manifestKind
	}
	return asIs
}

// memento shows the capture of a URL nearest to a time.
//
// A page comes at its exact time: a browser is sent there, so that addresses name what they show. The parts of a page
// come at the page's own time, each as its nearest capture, so that they do not drift apart.
func (s *Server) memento(w http.ResponseWriter, r *http.Request, rt route) {
	o := roleOf(r, rt.mod)
	if rt.mod == rewrite.Frame && o.page && !o.framed && r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		rt.mod = rewrite.Page // a link in a frame led out of it, to the top
		redirect(w, replayPath(rt.coll, rt.time+rt.span, rt.mod, rt.url))
		return
	}
	if prefer(w, r, rt) {
		return
	}
	ctx, at := r.Context(), moment(rt.time)
	h, wanted, err := s.look(r, rt, at)
	if err != nil {
		s.broken(w, r, rt, err)
		return
	}
	a, err := s.pick(ctx, rt, h.nearest(wanted, at, wantsRDF(r)))
	switch {
	case errors.Is(err, errNoOriginal):
		s.problem(w, r, rt, http.StatusNotFound, "no-original")
		return
	case err != nil:
		s.broken(w, r, rt, err)
		return
	case a == nil:
		s.problem(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	defer a.Close()
	if h.varies() {
		w.Header().Add("Vary", "accept")
	}
	url := a.URL
	if wanted != rt.url {
		url = rt.url // the page reads its own query
	}
	if widest := s.within(rt); widest > 0 && (o.part || o.framed) && a.when().Sub(at).Abs() > widest {
		rt.cause = "captured " + a.when().Format(http.TimeFormat)
		s.problem(w, r, rt, http.StatusNotFound, "span")
		return
	}
	w.Header().Set("Server-Timing", `memento;desc="`+a.Timestamp+`"`) // tells the page's script how far its parts lie
	if o.part || o.framed || r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !samePath(url, rt.url) {
			redirect(w, replayPath(rt.coll, rt.time+rt.span, rt.mod, url))
			return
		}
		if a.Timestamp != rt.time {
			w.Header().Set("Content-Location", replayPath(rt.coll, a.Timestamp+rt.span, rt.mod, url))
		}
	} else if a.Timestamp != rt.time || canonical(url) != rt.url {
		w.Header().Add("Link", s.links(r, rt, canonical(url), h, nil))
		redirect(w, replayPath(rt.coll, a.Timestamp+rt.span, rt.mod, url))
		return
	}
	w.Header().Set("Memento-Datetime", a.when().Format(http.TimeFormat))
	w.Header().Add("Link", s.links(r, rt, canonical(url), h, &a.capture))
	s.send(w, r, rt, o, h, a)
}

// pick loads the first of the candidates that can be shown: one whose record can be read, and that does not redirect to
// the very URL that is asked for (http: captures redirect to https:, and share a key). It is nil for none.
func (s *Server) pick(ctx context.Context, rt route, near []capture) (*answer, error) {
	var failed error
	for _, c := range near {
		a, err := s.load(ctx, rt.coll, c)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			if _, refused := errors.AsType[*kavosh.Refused](err); refused {
				if c.Timestamp == rt.time && failed == nil {
					return nil, err // this very capture was meant
				}
			} else if !errors.Is(err, errNoOriginal) {
				s.trouble(fmt.Sprintf("replay of %s %s: %v", c.Timestamp, c.URL, err))
			}
			if failed == nil || errors.Is(failed, errNoOriginal) {
				failed = err
			}
			continue
		}
		if to := a.location(); to != "" && sameURL(to, rt.url) {
			a.Close()
			continue
		}
		return a, nil
	}
	return nil, failed
}

// send writes the answer's head and body.
func (s *Server) send(w http.ResponseWriter, r *http.Request, rt route, o role, h history, a *answer) {
	base, err := weburl.Parse(rt.url)
	if err != nil {
		s.broken(w, r, rt, err)
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
	if to := a.location(); to != "" {
		head.Set("Location", place+rt.mod+"/"+to)
	}
	contentType := declared(clean(a.get("Content-Type")))
	setType(head, contentType)
	if rt.mod == rewrite.Raw && mayRunScripts(mediaType(contentType)) {
		head.Set("Content-Security-Policy", policy(s.home)+unscripted)
	}
	switch {
	case a.status < 200: // an interim answer was recorded as if it were the final one
		w.WriteHeader(http.StatusOK)
		return
	case a.status == http.StatusNoContent || a.status == http.StatusResetContent:
		w.WriteHeader(a.status)
		return
	}
	d := s.decoders.Get()
	defer s.decoders.Put(d)
	declared := a.codings()
	if rt.mod == rewrite.Raw {
		if len(declared) > 0 { // browsers would show nothing of a coding that is none
			in := bufio.NewReaderSize(a.body, httpwire.CodedWindow)
			window, _ := in.Peek(httpwire.CodedWindow)
			a.body, a.fields = in, recoded(a.fields, d.Coded(window, declared))
		}
		if coding := strings.Join(a.codings(), ", "); coding != "" {
			head.Set("Content-Encoding", coding)
		}
		s.sendBytes(w, r, a, rt)
		return
	}
	body := &decoded{r: d.Decode(a.body, declared, s.maxDecoded, 0)}
	in := bufio.NewReaderSize(body, rewrite.HeadSize)
	if contentType == "" && !o.part { // what no type is told of is not left to the browser's guess: it must be what is sent
		peeked, _ := in.Peek(512)
		contentType = mediaType(http.DetectContentType(peeked))
		setType(head, contentType)
	}
	what := kindOf(mediaType(contentType), o)
	inject := s.injected(r, rt, o, h, a, mediaType(contentType))
	if inject == "" && !o.part && head.Get("Location") == "" && mayRunScripts(mediaType(contentType)) {
		head.Set("Content-Security-Policy", policy(s.home)+unscripted)
	}
	if what == asIs {
		if len(declared) > 0 {
			in.Peek(1)
			a.fields = recoded(a.fields, d.Codings())
			if len(a.codings()) == 0 {
				if a.body, err = s.reopen(r.Context(), a); err != nil {
					s.broken(w, r, rt, err)
					return
				}
				in.Reset(a.body)
			}
		}
		if len(a.codings()) == 0 && in.Buffered() == 0 {
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
		re.options = rewrite.Options{XML: what == xmlKind, Scripts: what == htmlKind || inject != "", Inject: inject, Frame: s.client.Srcdoc(s.self(r) + r.RequestURI)}
	case scriptKind:
		if was, err := weburl.Parse(a.URL); err == nil && s.rules.callback(was) != s.rules.callback(base) {
			re.callback = s.rules.callback(base)
		}
		if o.worker {
			w.Header().Add("Vary", "Sec-Fetch-Dest")
			re.begin = s.client.Worker(s.self(r), r.RequestURI)
		}
	}
	s.rewrite(w, r, a, rt, re)
	body.check()
}

// injected is the markup that a page is given, "" for none: the script that keeps it inside, and at the top the banner.
func (s *Server) injected(r *http.Request, rt route, o role, h history, a *answer, media string) string {
	if !o.page || a.location() != "" {
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
		markup += s.pages.Script(s.banner(r, rt, h, a))
	}
	return markup
}

// rewriting is a body on its way through package rewrite.
type rewriting struct {
	in          *bufio.Reader
	contentType string
	kind        kind
	place       *rewrite.Place
	options     rewrite.Options
	begin       string // of a script: what goes before it
	callback    string // of an answer of JSONP: the function that it must call; "" for the one that it calls
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

func (s *Server) rewrite(w http.ResponseWriter, r *http.Request, a *answer, rt route, d rewriting) {
	peeked, _ := d.in.Peek(rewrite.HeadSize)
	var in io.Reader = d.in
	charset := rewrite.Declared(peeked, d.contentType, d.kind == htmlKind || d.kind == xmlKind)
	switch {
	case rewrite.NeedsUTF8(charset):
		in, d.contentType = rewrite.UTF8(d.in, charset), withCharset(d.contentType, "utf-8")
	case charset != "" && d.kind == htmlKind && !hasCharset(d.contentType):
		// What is put into the head may push a meta element further down than browsers look.
		d.contentType = withCharset(d.contentType, charset)
	}
	setType(w.Header(), d.contentType)
	if d.options.Inject == "" && d.begin == "" && s.unchanged(w, r, a, rt) {
		return
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	if err := d.body(w, in); err != nil {
		panic(http.ErrAbortHandler) // the client went away, or must see that this is not all
	}
}

// sendBytes sends the payload as it is; of a whole answer also a range.
func (s *Server) sendBytes(w http.ResponseWriter, r *http.Request, a *answer, rt route) {
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // many ranges of a compressed record are many readings of it
	}
	if a.chunked && r.Header.Get("Range") != "" {
		if n, err := io.Copy(io.Discard, a.body); err == nil {
			a.bodyLen, a.chunked = n, false
			a.body = nil
		}
	}
	if a.chunked || a.status != http.StatusOK {
		s.stream(w, r, a, rt, a.body)
		return
	}
	w.Header().Set("ETag", etag(a, rt))
	http.ServeContent(w, r, "", time.Time{}, &seeker{size: a.bodyLen, r: a.body, open: func() (io.Reader, error) { return s.reopen(r.Context(), a) }})
}

// stream sends body as the whole answer.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer, rt route, body io.Reader) {
	if s.unchanged(w, r, a, rt) {
		return
	}
	if !a.chunked && len(a.codings()) == 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(a.bodyLen, 10))
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := io.Copy(w, body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// unchanged sets the ETag and, when the client holds that, says so and is true.
func (s *Server) unchanged(w http.ResponseWriter, r *http.Request, a *answer, rt route) bool {
	tag := etag(a, rt)
	w.Header().Set("ETag", tag)
	if a.status != http.StatusOK || !strings.Contains(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// etag names what is sent: the record, and what is done to it.
func etag(a *answer, rt route) string {
	f := fnv.New64a()
	fmt.Fprintf(f, "2 %s %d %s %s %s %s", a.Filename, a.Offset, a.Timestamp, rt.time+rt.span, rt.mod, rt.url)
	return fmt.Sprintf(`"%016x"`, f.Sum64())
}

// setType sets the Content-Type, or keeps net/http from guessing one where the archived answer had none.
func setType(h http.Header, contentType string) {
	if contentType == "" {
		h["Content-Type"] = nil
		return
	}
	h.Set("Content-Type", contentType)
}

// decoded is a body whose content coding is being undone. Where that breaks, the body ends, as it does in a browser.
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

// check cuts the connection when the body was a decompression bomb: what was sent is not all.
func (d *decoded) check() {
	if errors.Is(d.err, httpwire.ErrTooLarge) {
		panic(http.ErrAbortHandler)
	}
}

// seeker makes a payload seekable for http.ServeContent: reading on skips, going back opens the record again.
type seeker struct {
	open      func() (io.Reader, error)
	r         io.Reader // nil: open again
	read      int64     // bytes taken from r
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
