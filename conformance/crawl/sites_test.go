//go:build conformance

package crawl

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

// realSite is a documentation site of a Debian package, as its package installs it.
type realSite struct {
	name, pkg, dir, start string
}

var realSites = []realSite{
	{"postgresql", "postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html", "index.html"},
	{"debian-handbook", "debian-handbook", "/usr/share/doc/debian-handbook/html", "fa-IR/index.html"},
	{"openjdk", "openjdk-17-doc", "/usr/share/doc/openjdk-17-doc", "api/index.html"},
	{"libreoffice-help", "libreoffice-help-fr", "/usr/share/libreoffice/help", "fr/text/swriter/main0000.html"},
}

// TestRealSites crawls real sites beside wget's recursion: all that wget finds must be in the archive with the bytes of
// the package's file; what we asked for beyond that is told with the link that led there.
func TestRealSites(t *testing.T) {
	for _, site := range realSites {
		t.Run(site.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(site.dir, site.start)); err != nil {
				t.Fatalf("%v: run `make conformance-tools` (apt-get install %s)", err, site.pkg)
			}
			base, logFile := nginx(t, site.dir)
			wgetURLs, wget404, wgetUse := wget(t, base, site.start, logFile)

			archive := filepath.Join(t.TempDir(), "archive")
			cmd := exec.Command(program, "crawl", "--browser", "never", "--archive", archive, "--delay", "0s", "--address-delay", "0s", "--scope", "host", "--json", base+site.start)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s\n%v", err, tail(string(out)), err)
			}
			use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			r := report(t, string(out))
			got := responses(t, archive)

			missing, wrong := 0, 0
			for _, u := range wgetURLs {
				digests := got[u]
				if len(digests) == 0 {
					if missing++; missing <= 20 {
						t.Errorf("wget has %s and the archive does not", u)
					}
					continue
				}
				if want, ok := fileDigest(site.dir, strings.TrimPrefix(u, base)); ok && digests[0] != want {
					if wrong++; wrong <= 20 {
						t.Errorf("%s is recorded with %s, the file has %s", u, digests[0], want)
					}
				}
			}
			extra, guesses, not404 := more(t, archive, wgetURLs, base)
			run(t, 0, "check", archive)
			t.Logf("%s: wget found %d pages (%d answers 404); kavosh recorded %d, %d missing, %d wrong; %d more than wget; %d answers 404, of them %d of script guesses",
				site.name, len(wgetURLs), wget404, r.Recorded, missing, wrong, len(extra), not404+guesses, guesses)
			for _, line := range extra {
				t.Log(line)
			}
			if float64(not404) > 1.1*float64(wget404) {
				t.Errorf("%d answers 404 without script guesses, wget had %d", not404, wget404)
			}
			pages := func(n int64, u *syscall.Rusage) float64 {
				return float64(n) / (time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds())
			}
			k, w := pages(r.Recorded, use), pages(int64(len(wgetURLs)), wgetUse)
			t.Logf("%s: pages per CPU-second: kavosh %.0f, wget --warc-file --warc-cdx %.0f, ratio %.2f", site.name, k, w, k/w)
		})
	}
}

// wget mirrors the site with a WARC of its own, as its users do, and gives the URLs that it got.
func wget(t *testing.T, base, start, logFile string) (urls []string, not404 int, use *syscall.Rusage) {
	t.Helper()
	dir := t.TempDir()
	os.Truncate(logFile, 0)
	cmd := exec.Command("wget", "-q", "-r", "-l", "inf", "-p", "-e", "robots=on", "--warc-file="+filepath.Join(dir, "w"), "--warc-cdx", "-P", dir, base+start)
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%v: run `make conformance-tools` (apt-get install wget)", err)
	}
	use = cmd.ProcessState.SysUsage().(*syscall.Rusage)
	f, err := os.Open(logFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		status, uri, _ := strings.Cut(s.Text(), " ")
		u := strings.TrimSuffix(base, "/") + uri
		switch {
		case seen[u]:
		case status == "200" || status == "206" || strings.HasPrefix(status, "3"):
			seen[u] = true
			urls = append(urls, u)
		case status == "404" && uri != "/robots.txt":
			seen[u] = true
			not404++
		}
	}
	sort.Strings(urls)
	return urls, not404, use
}

// more lists what was requested that wget did not, each with the link that led there, and counts answers 404.
func more(t *testing.T, dir string, wgetURLs []string, base string) (extra []string, guesses, not404 int) {
	t.Helper()
	known := map[string]bool{}
	for _, u := range wgetURLs {
		known[u] = true
	}
	for l, err := range archive.ReadLog(vfs.Default, dir, "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.Outcome != "recorded" || strings.HasSuffix(l.URL, "/robots.txt") {
			continue
		}
		if l.Status == 404 {
			if strings.Contains(l.Path, "X") {
				guesses++
			} else {
				not404++
				extra = append(extra, fmt.Sprintf("404 %s %s, linked from %s", l.Kind, l.URL, l.Via))
			}
			continue
		}
		if !known[l.URL] {
			extra = append(extra, fmt.Sprintf("%d %s %s, from %s", l.Status, l.Kind, l.URL, l.Via))
		}
	}
	return extra, guesses, not404
}

// fileDigest is the payload digest that the file of a path has.
func fileDigest(dir, path string) (string, bool) {
	path, _, _ = strings.Cut(path, "?")
	path, err := url.PathUnescape(path)
	if err != nil {
		return "", false
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return "", false // a folder: nginx redirects or answers with its index
	}
	s := sha256.Sum256(data)
	return fmt.Sprintf("sha256:%x", s), true
}

// nginx serves dir on a loopback port and logs "status uri" a request.
func nginx(t *testing.T, dir string) (base, logFile string) {
	t.Helper()
	tmp := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	logFile = filepath.Join(tmp, "access.log")
	conf := fmt.Sprintf(`daemon off; user root; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 512; }
http {
  include /etc/nginx/mime.types; default_type application/octet-stream; sendfile on; keepalive_requests 100000;
  log_format short '$status $request_uri'; access_log %[1]s/access.log short;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d; root %[3]s; disable_symlinks off; absolute_redirect off; }
}`, tmp, port, dir)
	if err := os.WriteFile(filepath.Join(tmp, "nginx.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nginx", "-c", filepath.Join(tmp, "nginx.conf"))
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: run `make conformance-tools` (apt-get install nginx-light)", err)
	}
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	if !waitFor(10*time.Second, func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}) {
		t.Fatal("nginx does not listen")
	}
	return "http://" + addr + "/", logFile
}
