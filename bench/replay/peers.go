package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// peer is wrk's result for a server.
type peer struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Second float64 `json:"requests_a_second"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	CPU    float64 `json:"cpu_ms"` // of the server, per request
	Errors int     `json:"errors"`
}

// peers measures replay of the same pages by kavosh, which is running, and by pywb, with wrk.
func (o *settings) peers(ctx context.Context, r *results, kavosh *server, list []visit) error {
	dir, err := os.MkdirTemp("", "bench-replay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pywb, err := o.pywb(ctx, dir)
	if err != nil {
		return err
	}
	defer pywb.stop()
	for _, what := range []struct{ name, kavosh, pywb string }{
		{"rewritten page", "if_", "mp_"}, {"page as archived", "id_", "id_"}, {"look-up", "cdx", "cdx"},
	} {
		for _, side := range []struct {
			name, mod string
			server    *server
		}{{"kavosh", what.kavosh, kavosh}, {"pywb", what.pywb, pywb}} {
			p, err := o.wrk(ctx, filepath.Join(dir, "paths.lua"), side.server, side.mod, list)
			if err != nil {
				return fmt.Errorf("wrk on %s: %w", side.name, err)
			}
			p.Name, p.What = side.name, what.name
			r.Peers = append(r.Peers, p)
		}
	}
	return nil
}

// pywb starts pywb on the same archive, with the same index but uncompressed, which is fastest for pywb.
func (o *settings) pywb(ctx context.Context, dir string) (*server, error) {
	for _, d := range []string{"collections/c/indexes", "collections/c/archive"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			return nil, err
		}
	}
	segments, err := filepath.Glob(filepath.Join(o.archive, "index", "*.cdxj.gz"))
	if err != nil || len(segments) != 1 {
		return nil, fmt.Errorf("%d segments in the index of %s, want one", len(segments), o.archive)
	}
	plain, err := os.Create(filepath.Join(dir, "collections/c/indexes/index.cdxj"))
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	unpack := exec.CommandContext(ctx, "gzip", "-dc", segments[0])
	unpack.Stdout, unpack.Stderr = plain, os.Stderr
	if err := unpack.Run(); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(o.archive, "warc", "*"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		at, err := filepath.Abs(f)
		if err == nil {
			err = os.Symlink(at, filepath.Join(dir, "collections/c/archive", filepath.Base(f)))
		}
		if err != nil {
			return nil, err
		}
	}
	python, err := filepath.Abs(o.python)
	if err != nil {
		return nil, err
	}
	address, err := free()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(address, ":")
	cmd := exec.CommandContext(ctx, python, "-c", "import sys; from pywb.apps.cli import wayback; wayback(sys.argv[1:])",
		"-d", dir, "-b", host, "-p", port)
	log, err := os.Create(filepath.Join(dir, "pywb.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd, address, "/c/"}
	return s, awake(ctx, s.base()+"cdx?url=none.test")
}

// wrk requests the same pages of each server for ten seconds.
func (o *settings) wrk(ctx context.Context, script string, of *server, mod string, list []visit) (p peer, err error) {
	var b strings.Builder
	b.WriteString("local paths = {\n")
	for _, v := range list[:min(5000, len(list))] {
		path := of.path + v.stamp() + mod + "/" + v.url
		if mod == "cdx" {
			path = lookup(of.path, v)
		}
		fmt.Fprintf(&b, "%q,\n", path)
	}
	b.WriteString("}\nlocal i = 0\nrequest = function()\n  i = i % #paths + 1\n  return wrk.format(\"GET\", paths[i])\nend\n")
	if err := os.WriteFile(script, []byte(b.String()), 0o666); err != nil {
		return p, err
	}
	before, err := of.cpu()
	if err != nil {
		return p, err
	}
	out, err := exec.CommandContext(ctx, "wrk", "-t1", fmt.Sprintf("-c%d", o.clients), "-d10s", "--latency", "-s", script,
		of.base()).CombinedOutput()
	if err != nil {
		return p, fmt.Errorf("%w: %s", err, out)
	}
	after, err := of.cpu()
	if err != nil {
		return p, err
	}
	text := string(out)
	n, err := strconv.Atoi(match(text, `(\d+) requests in`))
	if err != nil || n == 0 {
		return p, fmt.Errorf("no requests in %q", text)
	}
	p.CPU = float64((after - before).Microseconds()) / 1000 / float64(n)
	p.Second, err = strconv.ParseFloat(match(text, `Requests/sec:\s+([0-9.]+)`), 64)
	if err != nil {
		return p, fmt.Errorf("no rate in %q", text)
	}
	p.P50, p.P99 = milliseconds(match(text, `50%\s+(\S+)`)), milliseconds(match(text, `99%\s+(\S+)`))
	if failed := match(text, `Non-2xx or 3xx responses: (\d+)`); failed != "" {
		p.Errors, _ = strconv.Atoi(failed) // always digits
	}
	return p, nil
}

func match(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// milliseconds parses "850.00us", "12.3ms" or "1.2s".
func milliseconds(s string) float64 {
	for unit, factor := range map[string]float64{"us": 0.001, "ms": 1, "s": 1000} {
		if v, err := strconv.ParseFloat(strings.TrimSuffix(s, unit), 64); err == nil && strings.HasSuffix(s, unit) {
			return v * factor
		}
	}
	return 0
}
