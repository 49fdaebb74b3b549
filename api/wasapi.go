package api

// This file hands out an archive's WARC files to programs with a token, by WASAPI.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/lib/dates"
)

// Archive is an archive whose WARC files can be downloaded.
type Archive struct {
	Name  string // name of its collection
	FS    vfs.FS
	Dir   string
	Knows func(secret string) (bool, error)                                    // whether secret is a valid token
	Open  func(ctx context.Context, names []string) (open []string, err error) // the files without closed captures
	sums  checksums
}

// Files serves lists of WARC files and the files, as WASAPI's webdata, to clients with a token. It serves no file with
// a capture that is not open to everybody. It is safe for concurrent use.
type Files struct {
	archives []*Archive
	base     string // URL of this origin, without slash at the end
	address  func(*http.Request) netip.Addr
	clock    clock.Clock
	trouble  func(string)
	failures failures
}

// NewFiles returns the handler of /wasapi/v1. base is the URL of its origin. address returns the address that a request
// comes from.
func NewFiles(archives []*Archive, base string, address func(*http.Request) netip.Addr, c clock.Clock, trouble func(string)) *Files {
	for _, a := range archives {
		a.sums.fs, a.sums.dir = a.FS, a.Dir
	}
	return &Files{archives: archives, base: strings.TrimSuffix(base, "/"), address: address, clock: c, trouble: trouble}
}

// Webdata is a page of a list of files, with field names of WASAPI.
type Webdata struct {
	Count    int       `json:"count"`
	Next     *string   `json:"next"`
	Previous *string   `json:"previous"`
	Files    []WebFile `json:"files"`
	Extra    bool      `json:"includes-extra"` // always false: the files are the archive's own
}

// WebFile describes a WARC file.
type WebFile struct {
	Filename   string            `json:"filename"`
	Filetype   string            `json:"filetype"`
	Checksums  map[string]string `json:"checksums"`
	Size       int64             `json:"size"`
	Collection string            `json:"collection"`
	Crawl      string            `json:"crawl,omitempty"`
	Time       time.Time         `json:"crawl-time,omitzero"` // time of the first record
	Locations  []string          `json:"locations"`
}

const (
	wasapiPage  = "/wasapi/v1/webdata"
	wasapiFiles = "/wasapi/v1/files/"
)

// ServeHTTP serves one request.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, r, &problem{http.StatusMethodNotAllowed, "files are only handed out: use GET"})
		return
	}
	archives, wrong := f.admit(w, r)
	if wrong == nil {
		switch {
		case r.URL.Path == wasapiPage || r.URL.Path == wasapiPage+"/":
			wrong = f.webdata(w, r, archives)
		case strings.HasPrefix(r.URL.Path, wasapiFiles):
			wrong = f.file(w, r, archives)
		default:
			wrong = &problem{http.StatusNotFound, "there is no such path; ask for " + wasapiPage}
		}
	}
	if wrong == nil {
		return
	}
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	known, ok := wrong.(*problem)
	if !ok {
		f.trouble(r.URL.Path + ": " + wrong.Error())
		known = &problem{http.StatusInternalServerError, "the archive cannot be read; who runs it is told why"}
	}
	fail(w, r, known)
}

// admit returns the archives that the request's token is for. After a few wrong tokens, it tells their address to wait.
// A right token is always accepted, because other clients behind the same address may have sent the wrong ones. This is
// safe: tokens are too long to be guessed.
func (f *Files) admit(w http.ResponseWriter, r *http.Request) (list []*Archive, err error) {
	secret, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !given {
		_, secret, given = r.BasicAuth()
	}
	if given {
		for _, a := range f.archives {
			known, wrong := a.Knows(secret)
			if wrong != nil { // another archive may have this token
				err = errors.Join(err, wrong)
			} else if known {
				list = append(list, a)
			}
		}
	}
	if len(list) > 0 {
		if err != nil {
			f.trouble(r.URL.Path + ": " + err.Error())
		}
		return list, nil
	}
	if from, now := f.address(r), f.clock.Now(); given {
		if wait := f.failures.wait(from, now); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
			return nil, &problem{http.StatusTooManyRequests, "this token is none, and too many wrong ones came from this address: wait a minute"}
		}
		f.failures.add(from, now)
		if err != nil {
			return nil, err // it may be a token of the archive that failed
		}
	}
	w.Header().Add("WWW-Authenticate", `Bearer realm="WARC files"`)
	w.Header().Add("WWW-Authenticate", `Basic realm="WARC files"`)
	return nil, &problem{http.StatusUnauthorized, "send a token, as Authorization: Bearer or as the password; who runs the archive makes one with kavosh token"}
}

// failures counts wrong tokens by address, IPv6 by /64.
type failures struct {
	mu struct {
		sync.Mutex
		since time.Time
		of    map[netip.Addr]int
	}
}

const (
	failSpan   = time.Minute
	maxFailed  = 10     // wrong tokens that an address may send in failSpan
	maxFailing = 10_000 // addresses that are counted separately; all others count as one
)

func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// wait returns how long an address with too many wrong tokens must wait.
func (f *failures) wait(from netip.Addr, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if left := failSpan - now.Sub(f.mu.since); left > 0 && left <= failSpan && max(f.mu.of[network(from)], f.mu.of[netip.Addr{}]) >= maxFailed {
		return left
	}
	return 0
}

func (f *failures) add(from netip.Addr, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if passed := now.Sub(f.mu.since); f.mu.of == nil || passed >= failSpan || passed < 0 {
		f.mu.since, f.mu.of = now, map[netip.Addr]int{}
	}
	from = network(from)
	if _, known := f.mu.of[from]; !known && len(f.mu.of) >= maxFailing {
		from = netip.Addr{}
	}
	f.mu.of[from]++
}

// webdata sends a list of files, ordered by name.
func (f *Files) webdata(w http.ResponseWriter, r *http.Request, archives []*Archive) error {
	given := r.URL.Query()
	size, page := 100, 1
	for name, into := range map[string]*int{"page": &page, "page_size": &size} {
		if v := given.Get(name); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 1_000_000 {
				return &problem{http.StatusBadRequest, fmt.Sprintf("%s: %.100q is no number from 1", name, v)}
			}
			*into = n
		}
	}
	size = min(size, 1000)
	after, before, err := span(given)
	if err != nil {
		return err
	}
	if pattern := given.Get("filename"); pattern != "" {
		if _, err := path.Match(pattern, ""); err != nil {
			return &problem{http.StatusBadRequest, fmt.Sprintf("filename: %.100q is no name, nor one with * and ?", pattern)}
		}
	}
	out := Webdata{Files: []WebFile{}}
	for _, a := range archives {
		if wanted := given["collection"]; len(wanted) > 0 && !slices.Contains(wanted, a.Name) {
			continue
		}
		names, err := f.names(r.Context(), a)
		if err != nil {
			return err
		}
		for _, name := range names {
			if pattern := given.Get("filename"); pattern != "" {
				if ok, _ := path.Match(pattern, name); !ok {
					continue
				}
			}
			if !after.IsZero() || !before.IsZero() {
				began, err := a.sums.began(name)
				if err != nil {
					return err
				}
				if began.Before(after) || !before.IsZero() && !began.Before(before) {
					continue
				}
			}
			if out.Count >= (page-1)*size && out.Count < page*size {
				s, err := a.sums.sum(r.Context(), name)
				if err != nil {
					return err
				}
				out.Files = append(out.Files, f.webFile(a, s))
			}
			out.Count++
		}
	}
	link := func(page int) *string {
		given.Set("page", strconv.Itoa(page))
		address := f.base + wasapiPage + "?" + given.Encode()
		return &address
	}
	if page > 1 {
		out.Previous = link(page - 1)
	}
	if out.Count > page*size {
		out.Next = link(page + 1)
	}
	write(w, http.StatusOK, "application/json", out)
	return nil
}

// span reads the parameters that bound the time of files.
func span(given url.Values) (after, before time.Time, err error) {
	for name, into := range map[string]*time.Time{"crawl-time-after": &after, "crawl-time-before": &before} {
		v := given.Get(name)
		if v == "" {
			continue
		}
		span, bad := dates.Parse(v, time.UTC)
		if bad != nil {
			return after, before, &problem{http.StatusBadRequest, name + ": " + bad.Error()}
		}
		*into = span.First
	}
	return after, before, nil
}

// names returns the files of an archive that may be downloaded: the sealed ones, which never change.
func (f *Files) names(ctx context.Context, a *Archive) ([]string, error) {
	names, err := a.FS.List(a.FS.PathJoin(a.Dir, "warc"))
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !archive.IsWebFile(name) || strings.HasSuffix(name, ".open") })
	slices.Sort(names)
	return a.Open(ctx, names)
}

func (f *Files) webFile(a *Archive, s summed) WebFile {
	file := WebFile{Filename: s.File, Filetype: "warc", Checksums: map[string]string{"md5": s.MD5, "sha1": s.SHA1, "sha256": s.SHA256}, Size: s.Size, Collection: a.Name, Time: s.Time,
		Locations: []string{f.base + wasapiFiles + url.PathEscape(a.Name) + "/" + url.PathEscape(s.File)}}
	if strings.Contains(strings.ToLower(s.File), ".arc") {
		file.Filetype = "arc"
	}
	if rest, ours := strings.CutPrefix(s.File, "KAVOSH-"); ours {
		file.Crawl, _, _ = strings.Cut(rest, "-")
	}
	return file
}

// file sends a file, or a range of it.
func (f *Files) file(w http.ResponseWriter, r *http.Request, archives []*Archive) error {
	coll, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, wasapiFiles), "/")
	for _, a := range archives {
		if a.Name != coll {
			continue
		}
		names, err := f.names(r.Context(), a)
		if err != nil {
			return err
		}
		if !slices.Contains(names, name) {
			break
		}
		s, err := a.sums.sum(r.Context(), name)
		if err != nil {
			return err
		}
		// The checksum of a large file takes minutes. Meanwhile a rule may have closed the file.
		if names, err = f.names(r.Context(), a); err != nil {
			return err
		}
		if !slices.Contains(names, name) {
			break
		}
		file, err := a.FS.Open(a.FS.PathJoin(a.Dir, "warc", name))
		if err != nil {
			return err
		}
		defer file.Close()
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("ETag", `"`+s.SHA256+`"`)
		if strings.Contains(r.Header.Get("Range"), ",") {
			r.Header.Del("Range") // one piece at a time
		}
		http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(file, 0, s.Size))
		return nil
	}
	return &problem{http.StatusNotFound, "there is no such file that may be handed out; " + wasapiPage + " lists those there are"}
}
