//go:build conformance

package browser

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const rendered = `
-- fa.test/ Content-Type=text/html --
<!doctype html><html lang=fa dir=rtl><meta charset=utf-8><title>کتابخانه</title>
<style>body { margin: 0; height: 3000px; background: #0060c0; color: #fff }</style>
<h1>سلام دنیا</h1><p id=out></p><x-word></x-word><iframe srcdoc="<p>in a frame</p>"></iframe>
<script>
document.getElementById('out').textContent = 'written by ' + 'a script';
customElements.define('x-word', class extends HTMLElement {
  connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<p>in a shadow</p>' }
});
fetch('/data' + '.json'); fetch('/none' + '.json');
String.prototype.slice = Array.prototype.join = () => 'told by the page';
</script>
-- fa.test/data.json --
{}
-- fa.test/none.json status=404 --
no
-- tall.test/ Content-Type=text/html --
<!doctype html><title>tall</title><div style="height: 40000px; background: red"></div>
-- hung.test/ Content-Type=text/html --
<!doctype html><title>hung</title><p>hung</p><script>setTimeout(() => { for (;;); }, 1000)</script>
-- url.test/ Content-Type=text/html --
<!doctype html><title>closed</title><p>xsecretx by its address</p>
-- content.test/ Content-Type=text/html --
<!doctype html><title>closed</title><p>xsecretx by its content</p>
`

// resource is a record as warcio reads it.
type resource struct {
	URI, Type, Date string
	Page            string // URI of the record that it is concurrent to
	PageDate        string
	Data            []byte
}

const readByWarcio = `
import base64, json, sys
from warcio.archiveiterator import ArchiveIterator
ids = {}
for path in sys.argv[1:]:
    with open(path, 'rb') as f:
        for r in ArchiveIterator(f, check_digests='raise'):
            h = r.rec_headers
            ids[h['WARC-Record-ID']] = (h['WARC-Target-URI'], h['WARC-Date'])
            data = r.content_stream().read()
            if r.rec_type == 'resource':
                of = ids.get(h['WARC-Concurrent-To'], ('', ''))
                print(json.dumps({'URI': h['WARC-Target-URI'], 'Type': h['Content-Type'], 'Date': h['WARC-Date'], 'Page': of[0], 'PageDate': of[1], 'Data': base64.b64encode(data).decode()}))
`

// python runs a script with the arguments, by the interpreter of make conformance-tools.
func python(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	path := os.Getenv("KAVOSH_PYTHON")
	if path == "" {
		path = "../../.cache/venv/bin/python"
	}
	cmd := exec.Command(path, append([]string{"-c", script}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: run make conformance-tools or set KAVOSH_PYTHON", err)
	}
	return out
}

// address is one that nobody listens at.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run runs kavosh and returns what it printed.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("kavosh %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// indexed has the lines of the index.
func indexed(t *testing.T, archive string) (lines []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(archive, "index", "*.cdxj.gz"))
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for scan := bufio.NewScanner(in); scan.Scan(); {
			lines = append(lines, scan.Text())
		}
	}
	return lines
}

// What the browser makes of pages is recorded as records that warcio reads and cdxj-indexer lists as we do, and it is
// closed with its page, whichever way it is asked for.
func TestRenderings(t *testing.T) {
	s, way := serve(t, rendered, "fa.test", "tall.test", "hung.test", "url.test", "content.test")
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", "0s", "--scope", "page", "--render", "pageinfo,view,full,thumbnail,dom,text",
		"http://fa.test/", "http://tall.test/", "http://hung.test/", "http://url.test/", "http://content.test/")...)
	s.Close()
	recorded(t, archive)
	files, _ := filepath.Glob(filepath.Join(archive, "warc", "*.warc.gz"))

	got := map[string]resource{}
	for line := range bytes.Lines(python(t, readByWarcio, files...)) {
		var r resource
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		kind, page, _ := strings.Cut(strings.TrimPrefix(r.URI, "urn:"), ":")
		if !strings.HasPrefix(page, "http") {
			continue
		}
		if r.Page != page || r.PageDate != r.Date {
			t.Errorf("%s of %s belongs to %s of %s", r.URI, r.Date, r.Page, r.PageDate)
		}
		got[kind+" "+page] = r
	}
	picture := func(what, format string, width, least, most int) image.Image {
		img, is, err := image.Decode(bytes.NewReader(got[what].Data))
		if err != nil || is != format || got[what].Type != "image/"+format || img.Bounds().Dx() != width || img.Bounds().Dy() < least || img.Bounds().Dy() > most {
			t.Fatalf("%s: %v, %s of type %s, %d bytes", what, err, is, got[what].Type, len(got[what].Data))
		}
		return img
	}
	for _, img := range []image.Image{picture("view http://fa.test/", "png", 1280, 800, 1024), picture("fullPage http://fa.test/", "png", 1280, 3000, 3100), picture("thumbnail http://fa.test/", "jpeg", 640, 480, 480)} {
		var red, green, blue, points uint32
		left, right := 0, 0 // points that differ from the background, in each half of the heading's lines
		b := img.Bounds()
		for y := 0; y < b.Dy(); y += 3 {
			for x := 0; x < b.Dx(); x += 3 {
				r, g, b2, _ := img.At(x, y).RGBA()
				red, green, blue, points = red+r>>8, green+g>>8, blue+b2>>8, points+1
				if y*1280/b.Dx() < 80 && r > 0x6000 {
					if x < b.Dx()/2 {
						left++
					} else {
						right++
					}
				}
			}
		}
		if mean := [3]uint32{red / points, green / points, blue / points}; mean[0] > 30 || mean[1] < 80 || mean[1] > 120 || mean[2] < 170 {
			t.Errorf("mean colour %v, want about that of the page", mean)
		}
		if left > 0 || right == 0 {
			t.Errorf("of the Persian heading %d points are on the left, %d on the right", left, right)
		}
	}
	for what, words := range map[string][]string{
		"text http://fa.test/":     {"سلام دنیا", "written by a script", "in a shadow", "in a frame"},
		"dom http://fa.test/":      {"<!DOCTYPE html>", ">written by a script</p>"},
		"pageinfo http://fa.test/": {`"http://fa.test/":{"status":200,"mime":"text/html"}`, `"http://fa.test/none.json":{"status":404`, `"jsErrors":0`},
	} {
		for _, w := range words {
			if !strings.Contains(string(got[what].Data), w) {
				t.Errorf("%s does not have %q: %s", what, w, got[what].Data)
			}
		}
	}
	picture("fullPage http://tall.test/", "png", 1280, 16384, 16384)
	for _, l := range logged(t, archive) {
		notes := strings.Join(l.Notes, "; ")
		if l.URL == "http://tall.test/" && !strings.Contains(notes, "16384 of its 40") ||
			l.URL == "http://hung.test/" && (l.Outcome != "recorded" || !strings.Contains(notes, "does not answer")) {
			t.Errorf("%+v", l)
		}
	}

	var ours, theirs []string
	of := regexp.MustCompile(`, "of": "[^"]*"`)
	for _, line := range indexed(t, archive) {
		if strings.HasPrefix(line, "urn:") {
			ours = append(ours, of.ReplaceAllString(line, ""))
		}
	}
	for _, path := range files {
		for line := range strings.Lines(string(python(t, "import sys; from cdxj_indexer.main import main; main([sys.argv[1]])", path))) {
			if strings.HasPrefix(line, "urn:") && !strings.HasPrefix(line, "urn:kavosh:") {
				theirs = append(theirs, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	slices.Sort(theirs)
	if !slices.Equal(ours, theirs) || len(ours) < 24 {
		t.Errorf("the index has\n%s\ncdxj-indexer\n%s", strings.Join(ours, "\n"), strings.Join(theirs, "\n"))
	}
	before := indexed(t, archive)
	run(t, "rebuild", archive)
	if after := indexed(t, archive); !slices.Equal(before, after) {
		t.Errorf("a rebuild makes another index:\n%s", strings.Join(after, "\n"))
	}
	if out := run(t, "characterise", archive); !strings.Contains(out, "5 pages") {
		t.Errorf("not five pages:\n%s", out)
	}

	digest := regexp.MustCompile(`"digest": "([^"]*)"`).FindStringSubmatch(before[slices.IndexFunc(before, func(l string) bool { return strings.HasPrefix(l, "test,content)/ ") })])[1]
	run(t, "access", archive, "add", "takedown", "http://url.test/")
	run(t, "access", archive, "add", "takedown", digest)
	pack := filepath.Join(t.TempDir(), "a.wacz")
	export := exec.Command(program, "export", "wacz", archive, "-o", pack)
	export.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	if out, err := export.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	home, pages := address(t), address(t)
	cmd := exec.Command(program, "serve", "--addr", home, "--replay-addr", pages, "a="+archive)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	get := func(url string) (status int, body string) {
		for deadline := time.Now().Add(time.Minute); ; <-time.After(50 * time.Millisecond) {
			r, err := http.Get(url)
			if err != nil && time.Now().Before(deadline) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			data, _ := io.ReadAll(r.Body)
			return r.StatusCode, string(data)
		}
	}
	for _, kind := range []string{"view", "fullPage", "thumbnail", "dom", "text", "pageinfo"} {
		for host, open := range map[string]bool{"fa.test": true, "url.test": false, "content.test": false} {
			urn := "urn:" + kind + ":http://" + host + "/"
			r := got[kind+" http://"+host+"/"]
			if len(r.Data) == 0 {
				t.Fatalf("no %s", urn)
			}
			for _, way := range []string{"2030id_/", "2030im_/", ""} {
				status, body := get("http://" + pages + "/a/" + way + urn)
				if (status == 200) != open || !open && strings.Contains(body, "xsecretx") {
					t.Errorf("%s%s: %d", way, urn, status)
				}
			}
			for _, url := range []string{"http://" + pages + "/a/cdx?url=" + urn, "http://" + pages + "/a/cdx?matchType=prefix&url=urn:" + kind + ":", "http://" + pages + "/a/timemap/link/" + urn,
				"http://" + home + "/api/v1/collections/a/captures?url=" + urn} {
				status, body := get(url)
				if names := strings.Contains(body, r.Date[:4]) && strings.Contains(body, host); names != open && status == 200 {
					t.Errorf("%s: %d %s", url, status, body)
				}
			}
		}
	}
	z, err := zip.OpenReader(pack)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all bytes.Buffer
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(in)
		in.Close()
		if strings.HasSuffix(f.Name, ".gz") {
			if g, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
				data, _ = io.ReadAll(g)
			}
		}
		all.Write(data)
	}
	for what, r := range got {
		if open := !strings.Contains(what, "url.test") && !strings.Contains(what, "content.test"); bytes.Contains(all.Bytes(), r.Data) != open || open && !bytes.Contains(all.Bytes(), []byte(fmt.Sprintf("%q", r.URI))) {
			t.Errorf("%s in the package: %v", what, !open)
		}
	}
	if bytes.Contains(all.Bytes(), []byte("xsecretx")) || bytes.Contains(all.Bytes(), []byte(":http://url.test/\"")) {
		t.Error("the package has what is closed")
	}
}
