package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
)

// shown is what readers are given of each capture of a URL: status, digest of the body, and how it was cut.
func shown(t *testing.T, fs vfs.FS, url string) (all []string) {
	t.Helper()
	r := archive.RecordsOf(fs, "archive")
	for e, err := range r.Index.Query(t.Context(), cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Open(t.Context(), &e)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(p.Body)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Chunked && p.Size != int64(len(body)) {
			t.Errorf("%d bytes are said to be %d", len(body), p.Size)
		}
		again, err := p.Again(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := io.ReadAll(again); err != nil || string(twice) != string(body) {
			t.Errorf("%d bytes at first, then %d, %v", len(body), len(twice), err)
		}
		p.Close()
		all = append(all, strings.TrimSpace(fmt.Sprintf("%d %s %s", p.Status, digest(string(body)), p.Truncated)))
	}
	return all
}

func digest(body string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(body))) }

// linesOf are the lines of crawl.log about a URL: outcome, status, size, failure.
func linesOf(t *testing.T, fs vfs.FS, url string) (all []string) {
	t.Helper()
	for l, err := range archive.ReadLog(fs, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.URL == url {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %d %d %s", l.Outcome, l.Status, l.Size, l.Failure)))
		}
	}
	return all
}

// sound wants no fault in the archive.
func sound(t *testing.T, fs vfs.FS) {
	t.Helper()
	if _, err := archive.Check(t.Context(), fs, "archive", true, func(f warc.Finding) {
		if f.Severity == warc.Fault {
			t.Errorf("check: %+v", f)
		}
	}); err != nil {
		t.Error(err)
	}
}

// whole is a body of some 88 kB, as the marker "repeat=8000" makes it.
func whole() string {
	var b strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// cutOff makes a marker an answer with that body, which breaks off after 30,000 bytes with its head.
const cutOff = "repeat=8000 cut=30000 "

// What is cut is continued, or stays as it is, by what the server says of it. Of what web says, the page that is asked for
// is http://a.test/x.
func TestRest(t *testing.T) {
	const first = "-- a.test/x " + cutOff + "ETag=\"\\\"v\\\"\" times=1 --\nline {i}\n"
	const tag = " ETag=\"\\\"v\\\"\" "
	body := whole()
	for _, test := range []struct {
		why, web string
		change   func(*Options)
		asked    int  // how often it is asked for
		ranges   int  // of these, for the rest of a body
		whole    bool // readers get all of it
	}{
		{why: "a strong ETag", web: "-- a.test/x ranges " + cutOff + tag + "--\nline {i}\n", asked: 3, ranges: 2, whole: true},
		{why: "Last-Modified", web: "-- a.test/x ranges " + cutOff + "Last-Modified=\"Mon, 05 Jan 2026 10:00:00 GMT\" Date=\"Mon, 05 Jan 2026 10:01:00 GMT\" --\nline {i}\n", asked: 3, ranges: 2, whole: true},
		{why: "chunks", web: "-- a.test/x ranges chunked " + cutOff + tag + "--\nline {i}\n", asked: 3, ranges: 2, whole: true},
		{why: "reset", web: "-- a.test/x ranges repeat=8000 reset=30000" + tag + "--\nline {i}\n", asked: 3, ranges: 2, whole: true},
		{why: "silence", web: "-- a.test/x ranges repeat=8000 stall=30000" + tag + "--\nline {i}\n", asked: 3, ranges: 2, whole: true},
		{why: "busy in between", web: first + "-- a.test/x status=503 times=2 --\n-- a.test/x ranges repeat=8000" + tag + "--\nline {i}\n", asked: 4, ranges: 3, whole: true},
		{why: "busy for ever", web: first + "-- a.test/x status=503 --\n", asked: 4, ranges: 3},
		{why: "changed meanwhile", web: first + "-- a.test/x --\nnew\n", asked: 2, ranges: 1},
		{why: "changed, and cut again", web: first + "-- a.test/x " + cutOff + "ETag=\"\\\"w\\\"\" --\nLINE {i}\n", asked: 2, ranges: 1},
		{why: "a weak ETag", web: "-- a.test/x ranges " + cutOff + "ETag=\"W/\\\"v\\\"\" Last-Modified=\"Mon, 05 Jan 2026 10:00:00 GMT\" Date=\"Mon, 05 Jan 2026 10:01:00 GMT\" --\nline {i}\n", asked: 1},
		{why: "a young Last-Modified", web: "-- a.test/x ranges " + cutOff + "Last-Modified=\"Mon, 05 Jan 2026 10:00:00 GMT\" Date=\"Mon, 05 Jan 2026 10:00:59 GMT\" --\nline {i}\n", asked: 1},
		{why: "nothing to know it by", web: "-- a.test/x ranges " + cutOff + "--\nline {i}\n", asked: 1},
		{why: "no ranges", web: "-- a.test/x ranges " + cutOff + tag + "Accept-Ranges=none --\nline {i}\n", asked: 1},
		{why: "too little", web: "-- a.test/x ranges repeat=8000 cut=16000" + tag + "--\nline {i}\n", asked: 1},
		{why: "our limit", web: "-- a.test/x ranges repeat=8000" + tag + "--\nline {i}\n", change: func(o *Options) { o.Fetch.MaxBody = 20_000 }, asked: 1},
		{why: "our limit, later", web: "-- a.test/x ranges " + cutOff + tag + "--\nline {i}\n", change: func(o *Options) { o.Fetch.MaxBody = 40_000 }, asked: 2, ranges: 1},
		{why: "a coding of unknown length", web: "-- a.test/x ranges chunked gzip repeat=8000 cut=17500" + tag + "--\nline {i}\n", asked: 1},
		{why: "a coding", web: "-- a.test/x ranges gzip repeat=8000 cut=17500" + tag + "--\nline {i}\n", asked: 2, ranges: 1},
		{why: "416", web: first + "-- a.test/x status=416 Content-Range=\"bytes */7\" --\n", asked: 2, ranges: 1},
		{why: "gone", web: first + "-- a.test/x status=404 --\nno\n", asked: 2, ranges: 1},
		{why: "moved", web: first + "-- a.test/x status=302 Location=/y --\n", asked: 2, ranges: 1},
		{why: "another range", web: first + "-- a.test/x status=206 Content-Range=\"bytes 5-8/79893\"" + tag + "--\nxxx\n", asked: 2, ranges: 1},
		{why: "no range", web: first + "-- a.test/x status=206" + tag + "--\nxxx\n", asked: 2, ranges: 1},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewMem()
				s := serve(t, "-- a.test/robots.txt status=404 --\n"+test.web)
				o := options(s, fs, "http://a.test/x")
				if test.change != nil {
					test.change(&o)
				}
				r := crawlNow(t, o)
				if r.Fetched != 1 || r.Recorded != 1 {
					t.Errorf("%d fetched, %d recorded", r.Fetched, r.Recorded)
				}
				var asked, ranges int
				for _, q := range requests(s) {
					if q.Path == "/x" {
						asked++
						if q.Header.Get("Range") != "" {
							ranges++
						}
					}
				}
				if asked != test.asked || ranges != test.ranges {
					t.Errorf("asked for %d times, %d of them for a part; want %d and %d", asked, ranges, test.asked, test.ranges)
				}
				got := shown(t, fs, "http://a.test/x")
				if is := slices.Index(got, "200 "+digest(body)) >= 0; is != test.whole {
					t.Errorf("whole: %v, want %v", is, test.whole)
				}
				sound(t, fs)
			})
		})
	}
}

// handled is a web whose every host a handler answers for, over connections in memory.
type handled struct {
	http.Handler
	conns chan net.Conn
}

func (w *handled) Resolve(context.Context, string) (fetch.Resolution, error) {
	return fetch.Resolution{Addrs: []netip.Addr{netip.MustParseAddr("198.18.0.1")}}, nil
}

func (w *handled) Dial(context.Context, netip.AddrPort) (net.Conn, error) {
	here, there := net.Pipe()
	w.conns <- there
	return here, nil
}

func (w *handled) Accept() (net.Conn, error) {
	if c := <-w.conns; c != nil {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (w *handled) Close() error   { return nil }
func (w *handled) Addr() net.Addr { return &net.TCPAddr{} }

// A server that answers a request for the rest with something else never brings a wrong byte into the body.
func TestLyingRest(t *testing.T) {
	body := whole()
	const begun = 40_000 // bytes of the first answer
	rest := func(first, last, whole int) http.Header {
		return http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", first, last, whole)}, "Etag": {`"v"`}}
	}
	all := len(body)
	for _, test := range []struct {
		why   string
		head  func(h http.Header) // what is wrong with the head of the rest
		sends func(from int) string
		asked int
		cut   bool // the rest breaks off too
		whole bool
		more  int // bytes that are taken in addition to those of the first answer
	}{
		{why: "no lie", asked: 2, whole: true},
		{why: "another ETag", head: func(h http.Header) { h.Set("ETag", `"w"`) }, asked: 2},
		{why: "a weak ETag", head: func(h http.Header) { h.Set("ETag", `W/"v"`) }, asked: 2},
		{why: "no ETag", head: func(h http.Header) { h.Del("ETag") }, asked: 2},
		{why: "two ETags", head: func(h http.Header) { h.Add("ETag", `"w"`) }, asked: 2},
		{why: "it has grown", head: func(h http.Header) { h["Content-Range"] = rest(begun, all-1, all+1)["Content-Range"] }, asked: 2},
		{why: "it has shrunk", head: func(h http.Header) { h["Content-Range"] = rest(begun, begun+9, begun+10)["Content-Range"] }, asked: 2},
		{why: "an unknown length", head: func(h http.Header) { h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", begun, all-1)) }, asked: 2},
		{why: "it overlaps", head: func(h http.Header) { h["Content-Range"] = rest(begun-1, all-2, all)["Content-Range"] }, asked: 2},
		{why: "a gap", head: func(h http.Header) { h["Content-Range"] = rest(begun+1, all-1, all)["Content-Range"] }, asked: 2},
		{why: "two ranges", head: func(h http.Header) { h.Add("Content-Range", h.Get("Content-Range")) }, asked: 2},
		{why: "many parts", head: func(h http.Header) { h.Set("Content-Type", "multipart/byteranges; boundary=x") }, asked: 2},
		{why: "a coding", head: func(h http.Header) { h.Set("Content-Encoding", "gzip") }, asked: 2},
		{why: "more than it says", sends: func(from int) string { return body[from:] + "more" }, asked: 2},
		{why: "less than it says", sends: func(from int) string { return body[from : all-5] }, asked: 2},
		{why: "nothing", sends: func(int) string { return "" }, cut: true, asked: 2},
		{why: "a byte at a time", sends: func(from int) string { return body[from : from+1] }, cut: true, asked: 2, more: 1},
		{why: "only a part of it", head: func(h http.Header) {
			if from, _, _, _ := httpwire.ContentRange(h.Get("Content-Range")); from == begun {
				h["Content-Range"] = rest(begun, begun+19_999, all)["Content-Range"]
			}
		}, sends: func(from int) string {
			if from == begun {
				return body[from : from+20_000]
			}
			return body[from:]
		}, asked: 3, whole: true},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				w := &handled{conns: make(chan net.Conn, 64), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/x" {
						http.NotFound(w, r)
						return
					}
					asked++
					w.Header().Set("Content-Type", "text/plain")
					var from int
					if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n == 0 {
						w.Header().Set("ETag", `"v"`)
						w.Header().Set("Content-Length", fmt.Sprint(all))
						io.WriteString(w, body[:begun])
						http.NewResponseController(w).Flush()
						panic(http.ErrAbortHandler)
					}
					if r.Header.Get("If-Range") != `"v"` {
						t.Errorf("If-Range is %q", r.Header.Get("If-Range"))
					}
					for name, values := range rest(from, all-1, all) {
						w.Header()[name] = values
					}
					if test.head != nil {
						test.head(w.Header())
					}
					w.WriteHeader(http.StatusPartialContent)
					http.NewResponseController(w).Flush() // in chunks, so that any length can be sent
					sends := test.sends
					if sends == nil {
						sends = func(from int) string { return body[from:] }
					}
					io.WriteString(w, sends(from))
					if test.cut {
						http.NewResponseController(w).Flush()
						panic(http.ErrAbortHandler)
					}
				})}
				server := &http.Server{Handler: w}
				go server.Serve(w)
				defer func() { w.conns <- nil; server.Close() }()
				fs := vfs.NewMem()
				o := options(nil, fs, "http://a.test/x")
				o.Web = w
				crawlNow(t, o)
				if asked != test.asked {
					t.Errorf("asked for %d times, want %d", asked, test.asked)
				}
				want := "200 " + digest(body[:begun+test.more]) + " disconnect"
				if test.whole {
					want = "200 " + digest(body)
				}
				for _, got := range shown(t, fs, "http://a.test/x") {
					if got != want {
						t.Errorf("readers get %s, want %s; the log: %q", got, want, linesOf(t, fs, "http://a.test/x"))
					}
				}
				sound(t, fs)
			})
		})
	}
}

// A server that never comes to an end is asked a bounded number of times.
func TestRestIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/x ranges repeat=80000 cut=17000 ETag=\"\\\"v\\\"\" --\nline {i}\n")
		crawlNow(t, options(s, fs, "http://a.test/x"))
		if n := len(linesOf(t, fs, "http://a.test/x")); n != records.MaxPieces {
			t.Errorf("asked for %d times, want %d", n, records.MaxPieces)
		}
		if l := outcomes(t, fs)["http://a.test/x"]; l.Failure != kavosh.TruncatedAnswer || l.Size < records.MaxPieces*16_000 {
			t.Errorf("%s with %d bytes: %s", l.Failure, l.Size, l.Reason)
		}
		sound(t, fs)
	})
}

// A crash at any write leaves a crawl that goes on with what it has of a body, and ends with all of it. Its links are
// followed, its bytes are counted once, and the next crawl does not take a part for the whole.
func TestRestAfterCrash(t *testing.T) {
	const url, tag = "http://a.test/x", `ETag="\"v\"" Content-Type=text/html `
	filler := strings.Repeat("filler ", 1500)
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "<a href=/y%d></a>%s\n", i+1, filler)
	}
	want := "200 " + digest(text.String())
	crawlOptions := func(t *testing.T, fs vfs.FS) Options {
		return options(serve(t, "-- a.test/x ranges repeat=8 cut=30000 "+tag+"--\n<a href=/y{i}></a>"+filler+"\n-- a.test/** --\ny\n"), fs, url)
	}
	var writes int64
	synctest.Test(t, func(t *testing.T) {
		fs, n := brokenDisk(vfs.NewMem(), func(int64) bool { return false })
		crawlNow(t, crawlOptions(t, fs))
		writes = n.Load()
	})
	const runs = 60
	for i := range int64(runs) {
		at := 1 + i*writes/runs
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(at), 9))
				disk := vfs.NewCrashableMem()
				broken, _ := brokenDisk(disk, func(n int64) bool { return n >= at })
				if _, err := Run(t.Context(), crawlOptions(t, broken)); err == nil {
					return // it needed fewer writes this time
				}
				left := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * rng.IntN(3), RNG: rng})
				o := crawlOptions(t, left)
				if crawls, _ := archive.Crawls(left, "archive"); len(crawls) > 0 {
					o.Seeds, o.Resume, o.ID = nil, true, crawls[0].ID
				}
				r := crawlNow(t, o)
				all := shown(t, left, url)
				for _, got := range all {
					if got != want {
						t.Errorf("readers get %s, want %s; the log: %q", got, want, linesOf(t, left, url))
					}
				}
				if n := len(linesOf(t, left, url)); n != len(all) {
					t.Errorf("%d lines of crawl.log, %d captures", n, len(all))
				}
				if l := outcomes(t, left)["http://a.test/y8"]; l.Outcome != archive.Recorded {
					t.Errorf("the last link: %q %s", l.Outcome, l.Reason)
				}
				if bytes := int64(text.Len() + 8*len("y\n")); r.Bytes != bytes || r.Status["200"] != 9 {
					t.Errorf("%d bytes, %d answers; want %d and 9", r.Bytes, r.Status["200"], bytes)
				}
				sound(t, left)
				if i%10 > 0 {
					return
				}
				before := shown(t, left, url)
				if _, err := archive.Rebuild(t.Context(), left, "archive", nil); err != nil {
					t.Fatal(err)
				}
				if after := shown(t, left, url); !slices.Equal(before, after) {
					t.Errorf("rebuilt: %q, before: %q", after, before)
				}
				o = crawlOptions(t, left)
				crawlNow(t, o)
				if after := shown(t, left, url); len(after) != 2*len(before) || after[len(after)-1] != want {
					t.Errorf("after the next crawl: %q", after)
				}
			})
		})
	}
}

// With --only, the first piece decides: the rest of what is kept is asked for, and of what is dropped nothing more.
func TestRestOfWhatIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/ --\nA rose. <a href=/rose>1</a> <a href=/lily>2</a>\n"+
			"-- a.test/rose ranges repeat=8000 cut=40000 ETag=\"\\\"v\\\"\" Content-Type=text/html --\nA rose {i}. \n"+
			"-- a.test/lily ranges repeat=8000 cut=40000 ETag=\"\\\"v\\\"\" Content-Type=text/html --\nA lily {i}. \n")
		o := options(s, fs, "http://a.test/")
		o.Only = roses(t)
		r := crawlNow(t, o)
		if r.Recorded != 2 || r.Dropped != 1 {
			t.Errorf("%d recorded, %d dropped", r.Recorded, r.Dropped)
		}
		if got := asked(s, "a.test"); len(got) != 2+1+3 {
			t.Errorf("asked for %q", got)
		}
		var roses strings.Builder
		for i := range 8000 {
			fmt.Fprintf(&roses, "A rose %d. \n", i+1)
		}
		if got := shown(t, fs, "http://a.test/rose"); len(got) == 0 || got[len(got)-1] != "200 "+digest(roses.String()) {
			t.Errorf("readers get %q", got)
		}
		if got := shown(t, fs, "http://a.test/lily"); len(got) > 0 {
			t.Errorf("kept: %q", got)
		}
		sound(t, fs)
	})
}

// Bytes count when they come, against the limits that a URL lies within; the URL counts once.
func TestRestWithinLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/x ranges "+cutOff+"ETag=\"\\\"v\\\"\" --\nline {i}\n")
		o := options(s, fs, "http://a.test/x")
		o.Limits.Bytes = 50_000
		if r := crawlNow(t, o); r.End != "bytes" || r.Bytes < 50_000 || r.Bytes > 70_000 || r.Fetched != 0 {
			t.Errorf("end %q with %d bytes of %d URLs", r.End, r.Bytes, r.Fetched)
		}
		o.Resume, o.Seeds, o.Limits = true, nil, Limits{}
		if r := crawlNow(t, o); r.End != "done" || r.Bytes != int64(len(whole())) || r.Fetched != 1 {
			t.Errorf("resumed: end %q with %d bytes of %d URLs", r.End, r.Bytes, r.Fetched)
		}
		if got := shown(t, fs, "http://a.test/x"); len(got) != 3 || got[0] != "200 "+digest(whole()) {
			t.Errorf("readers get %q", got)
		}
	})
}

// A crawl whose queue is lost between two pieces goes on with them: they are recorded.
func TestRestAfterDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/x ranges "+cutOff+"ETag=\"\\\"v\\\"\" --\nline {i}\n")
		o := options(s, fs, "http://a.test/x")
		o.Limits.Bytes = 50_000
		r := crawlNow(t, o)
		if err := fs.RemoveAll("archive/crawls/" + r.ID + "/frontier"); err != nil {
			t.Fatal(err)
		}
		o.Resume, o.Seeds, o.Limits = true, nil, Limits{}
		if r := crawlNow(t, o); r.End != "done" || r.Bytes != int64(len(whole())) || r.Fetched != 1 {
			t.Errorf("resumed: end %q with %d bytes of %d URLs", r.End, r.Bytes, r.Fetched)
		}
		if got := shown(t, fs, "http://a.test/x"); len(got) != 3 || got[0] != "200 "+digest(whole()) {
			t.Errorf("readers get %q; the log: %q", got, linesOf(t, fs, "http://a.test/x"))
		}
		if n := len(asked(s, "a.test")); n != 1+3 {
			t.Errorf("asked %d times", n)
		}
		sound(t, fs)
	})
}
