package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// visit is the time and URL of a capture.
type visit struct {
	time time.Time
	url  string
}

// host splits the URL into its host and the rest.
func (v visit) host() (host, rest string) {
	_, after, _ := strings.Cut(v.url, "://")
	i := strings.IndexByte(after, '/')
	return after[:i], after[i:]
}

func (v visit) stamp() string { return v.time.Format("20060102150405") }

// visits reads the captures that the maker noted, without those of the busy page.
func visits(dir string) ([]visit, error) {
	f, err := os.Open(filepath.Join(dir, "urls.txt"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []visit
	for s := bufio.NewScanner(f); s.Scan(); {
		stamp, address, _ := strings.Cut(s.Text(), " ")
		at, err := time.Parse("20060102150405", stamp)
		if err != nil {
			return nil, err
		}
		if address != busy {
			list = append(list, visit{at, address})
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, nil
}

// results are what was measured.
type results struct {
	Built        built              `json:"built"`
	LinesSeconds float64            `json:"lines_build_seconds"`
	LinesBytes   int64              `json:"lines_index_bytes"`
	Many         int                `json:"lines"`
	Times        map[string]spread  `json:"times"`
	Anonymous    map[string]float64 `json:"anonymous_memory_mb"`
	Peers        []peer             `json:"peers"`
}

// server is a running kavosh serve or pywb.
type server struct {
	cmd        *exec.Cmd
	host, path string // of replayed pages
}

// base returns the URL prefix of replayed pages.
func (s *server) base() string { return "http://" + s.host + s.path }

func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt) // it may have ended
	_ = s.cmd.Wait()
}

// free returns an unused local address.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// serve starts kavosh on an archive, as the collection "c".
func (o *settings) serve(ctx context.Context, archive string) (*server, error) {
	replay, err := free()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, o.kavosh, "serve", "--addr", "127.0.0.1:0", "--replay-addr", replay, "c="+archive)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd, replay, "/c/"}
	return s, awake(ctx, s.base()+"cdx?url=none.test")
}

// awake waits until a server answers.
func awake(ctx context.Context, address string) error {
	for {
		r, err := http.Get(address)
		if err == nil {
			return r.Body.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// cpu returns the processor time that the server has used.
func (s *server) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	return time.Duration(user+system) * time.Second / 100, nil // Linux counts hundredths
}

// anonymous returns the server's memory that no file backs, in MB.
func (s *server) anonymous() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			var kb float64
			_, err := fmt.Sscan(rest, &kb)
			return kb / 1024, err
		}
	}
	return 0, errors.New("the system does not tell of anonymous memory")
}

// dropCache empties the page cache; it needs root.
func dropCache() error {
	if err := exec.Command("sync").Run(); err != nil {
		return err
	}
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3\n"), 0)
}

// measure runs everything.
func (o *settings) measure(ctx context.Context, b built) (*results, error) {
	r := &results{Built: b, Many: o.many, Times: map[string]spread{}, Anonymous: map[string]float64{}}
	list, err := visits(o.archive)
	if err != nil {
		return nil, err
	}
	if r.LinesSeconds, r.LinesBytes, err = makeLines(o.lines, list, o.many); err != nil {
		return nil, err
	}
	if o.makeOnly {
		return r, nil
	}
	n := min(o.requests, len(list)/4)
	million, err := o.serve(ctx, o.archive)
	if err != nil {
		return nil, err
	}
	err = o.pages(ctx, r, million, list, n)
	if err == nil {
		r.Anonymous["million captures"], err = million.anonymous()
	}
	if err == nil {
		err = o.peers(ctx, r, million, list)
	}
	million.stop()
	if err != nil {
		return nil, err
	}
	lines, err := o.serve(ctx, o.lines)
	if err != nil {
		return nil, err
	}
	defer lines.stop()
	many := func(from int) func(int) string {
		return func(i int) string {
			c := scattered(list, (from+i)*104729%o.many)
			return lookup(lines.path, visit{c.Time, c.URL})
		}
	}
	for _, cold := range []bool{true, false} {
		if err := o.phase(ctx, r, lines, "look-up among the many lines", n, 200, cold, many(0)); err != nil {
			return nil, err
		}
	}
	r.Anonymous["the many lines"], err = lines.anonymous()
	return r, err
}

// pages measures look-ups and replay of the archive of pages.
func (o *settings) pages(ctx context.Context, r *results, of *server, list []visit, n int) error {
	base := of.path
	show := func(from int) func(int) string {
		return func(i int) string { v := list[from+i]; return base + v.stamp() + "if_/" + v.url }
	}
	for _, cold := range []bool{true, false} {
		err := o.phase(ctx, r, of, "look-up", n, 200, cold, func(i int) string { return lookup(base, list[i]) })
		if err == nil {
			err = o.phase(ctx, r, of, "first byte of a page", n, 200, cold, show(n))
		}
		if err == nil {
			at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
			err = o.phase(ctx, r, of, "first byte of the page with 100,000 captures", n/10, 200, cold, func(i int) string {
				return base + at.Add(time.Duration(i*7919%busyTimes)*time.Hour/4).Format("20060102150405") + "if_/" + busy
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lookup returns the path that asks for the capture of a URL nearest to a time.
func lookup(base string, v visit) string {
	return base + "cdx?" + url.Values{"url": {v.url}, "closest": {v.stamp()}, "limit": {"1"}}.Encode()
}

// phase measures at full rate and then at half of it. cold drops the page cache first.
func (o *settings) phase(ctx context.Context, r *results, of *server, name string, n, status int, cold bool,
	path func(i int) string) error {
	name += map[bool]string{true: ", cold", false: ", warm"}[cold]
	rate := 0.0
	for _, how := range []string{"", ", half as often"} {
		if cold {
			if err := dropCache(); err != nil {
				return err
			}
		}
		fmt.Fprintln(os.Stderr, name+how)
		before, err := of.cpu()
		if err != nil {
			return err
		}
		s, err := o.ask(ctx, n, status, rate, of, path)
		if err != nil {
			return err
		}
		after, err := of.cpu()
		if err != nil {
			return err
		}
		s.CPU = float64((after - before).Microseconds()) / 1000 / float64(n)
		r.Times[name+how] = s
		rate = s.Second / 2
	}
	return nil
}

func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "%d captures of %d texts: written in %.0f s, indexed in %.0f s; WARC %d MB, index %d MB\n", r.Built.Captures, r.Built.Texts,
		r.Built.WriteSeconds, r.Built.RebuildSeconds, r.Built.WARCBytes>>20, r.Built.IndexBytes>>20)
	fmt.Fprintf(w, "%d lines: indexed in %.0f s; index %d MB\n", r.Many, r.LinesSeconds, r.LinesBytes>>20)
	names := make([]string, 0, len(r.Times))
	for name := range r.Times {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(w, "%-66s %8s %8s %8s %8s %8s %8s %10s\n", "", "p50 ms", "p95", "p99", "max", "a second", "CPU ms", "clients' CPU")
	for _, name := range names {
		s := r.Times[name]
		fmt.Fprintf(w, "%-66s %8.2f %8.2f %8.2f %8.2f %8.0f %8.3f %10.3f\n", name, s.P50, s.P95, s.P99, s.Max, s.Second, s.CPU, s.Client)
	}
	for name, mb := range r.Anonymous {
		fmt.Fprintf(w, "anonymous memory of the server of %s: %.0f MB\n", name, mb)
	}
	for i, p := range r.Peers {
		fmt.Fprintf(w, "%-10s %-20s %8.0f a second, p50 %.2f ms, p99 %.2f ms, CPU %.2f ms", p.Name, p.What, p.Second, p.P50, p.P99, p.CPU)
		if i > 0 && r.Peers[i-1].What == p.What {
			fmt.Fprintf(w, "; kavosh / %s: %.1f, by CPU %.1f", p.Name, r.Peers[i-1].Second/p.Second, p.CPU/r.Peers[i-1].CPU)
		}
		fmt.Fprintln(w)
	}
}
