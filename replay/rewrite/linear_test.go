package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kavosh/lib/weburl"
)

// constructs are documents of about n bytes, each of one thing again and again.
func constructs(n int) map[string]string {
	all := map[string]string{}
	again := func(name, before, piece, after string) {
		all[name] = before + strings.Repeat(piece, max(1, n/len(piece))) + after
	}
	numbered := func(name, before, format, after string) {
		var b strings.Builder
		b.WriteString(before)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		all[name] = b.String() + after
	}
	numbered("attributes", "<a ", "a%d ", ">")
	numbered("attributes with values", "<a ", "a%d=/b ", ">")
	numbered("attributes unclosed", "<a ", "a%d ", "")
	numbered("handlers", "<a ", "on%d='top' ", ">")
	numbered("attributes of meta", "<meta ", "a%d=1 ", " http-equiv=refresh content='0;url=/x'>")
	numbered("attributes of base", "<base ", "a%d=1 ", " href=/x/>")
	numbered("attributes of link", "<link href=/x ", "a%d=1 ", " rel=stylesheet>")
	numbered("attributes of instruction", "<?xml-stylesheet ", "a%d='1' ", "?>")
	again("same attributes", "<a ", "href=/x ", ">")
	again("removed attributes", "<a ", "ping=/x ", ">")
	again("parameters", "<param ", "value=/x ", ">")
	for _, piece := range []string{
		"<", "<a>", "<a href=/x>", "<a href=//b.test/x>", "<a href=http:x>", "<a href=../../../../x>", "<a", "</", "</a>", "<!--", "<!", "<?", "<![CDATA[", "<!doctype [", "]>", "-->", "--!>", "<!-->", "<svg>", "<math>", "<script>", "</script", "</scripx>",
		"<script>top</script>", "<script><!--<script>", "<style>", "<style>a{b:url(/x)}</style>", "<title>", "<textarea>", "<plaintext>", "<noscript>", "<iframe srcdoc=a>", "<iframe srcdoc='<iframe srcdoc=\"", "<base href=/x/>", "<base href=x/>", "<meta http-equiv=refresh content='0;url=/x'>",
		"<a style='b:url(/x)'>", "<a style='", "<a onclick='top'>", "<img srcset='/x 1x,", "<a href=&amp;", "<a href='&#47;&#47;b", "&", "&#", "&amp", "&amp;", "\x00", "\xff",
		"url(", "url('", "url(a(", "url(\\", "url(/x)", "@import '", "@import \"/x\";", "@import url(/x);", "@", "@media{", "@media a{", "a{", "a{b:", "{", "}", "(", ")", "[", "]", "/*", "*/", "/**/", "\"", "'", "\"\\\n", "\\", "\\61 ", "\\\n", "U+", "u+?", "u+1-", "<!--", "#", "a:b(", "--a:{", "1e", "+", "-", "image-set('/x' ",
		"/", "/[", "/[/", "/a/", "a/", "/(", "/\\", "//\r", "//", "//\n", "/*/", "location//\r", "location/*", "location /**/", "location//\n", "top ", "location ", "x.location", "[\"location\"]", "eval(", "eval(1)", "import(", "import(1),", "import'", "import '/x';", "import a from", "export ", "import.meta.url ", "import.meta ",
		"`", "`${", "${", "}`", "`\\", "const{", "let {a", ",{", "const{location", "class ", "class{", "class a{", "?", "a?", "a?b:", "=>", "=>{", "({", "({location", "({location,", "0x1e+", "1e+", "0", ".5", "...", "postMessage(", "x.postMessage(", "x.postMessage /**/", "top/**/", "top//\r", "class//\r", "import//\r", "-->", "<!--\n", "function(", "\\u", "\u2028",
		"#EXT:URI=\"", "URI=\"/x\",", "URI='", "=\"", "=\"\"", "#\n", "/x\n", "<BaseURL>", "<BaseURL>/x</BaseURL>", "<BaseURL/>", "media='/x' ", "<a media='/x'>", "[", "[1,", "{\"a\":", "{\"src\":\"/x\",", "[[", "\"imports\":{", "{\"a\":[", "0,", ",", " ", "\n", "\t", "a", "/x ", "1x,", "//b/x,", "(,", "a(,", "1x (,",
		";", "=", "../", "./", "%2e%2e/", "http:", "//",
	} {
		again("of "+piece, "", piece, "")
		again("script of "+piece, "<script>location;", piece, "</script>")
	}
	again("deep array", strings.Repeat("[", 9000), "1,", "1"+strings.Repeat("]", 9000))
	again("deep object", strings.Repeat("{\"a\":", 9000)+"[", "1,", "1]"+strings.Repeat("}", 9000))
	again("after a long base", "<base href='/"+strings.Repeat("a", 30<<10)+"/'>", "<a href=http:x>", "")
	again("up from a long base", "<base href='/"+strings.Repeat("a", 30<<10)+"/'>", "<a href=../../../x>", "")
	again("scripts after a long base", "<base href='/"+strings.Repeat("a", 30<<10)+"/'><script>", "eval(1);", "</script>")
	return all
}

// rewriters are all that documents go through.
func rewriters() map[string]func(w io.Writer, r io.Reader, p *Place) error {
	return map[string]func(w io.Writer, r io.Reader, p *Place) error{
		"HTML": func(w io.Writer, r io.Reader, p *Place) error {
			return HTML(w, r, p, Options{Scripts: true, Inject: "<i>", Frame: "<i>"})
		},
		"XML": func(w io.Writer, r io.Reader, p *Place) error {
			return HTML(w, r, p, Options{XML: true, Scripts: true, Inject: "<i>"})
		},
		"CSS": CSS, "JavaScript": JavaScript, "HLS": HLS, "DASH": DASH, "WebManifest": WebManifest,
		"import map": func(w io.Writer, r io.Reader, p *Place) error { return whole(w, r, p.importMap) },
		"Callback":   func(w io.Writer, r io.Reader, _ *Place) error { return Callback(w, r, "x") },
		"srcset": func(w io.Writer, r io.Reader, p *Place) error {
			return whole(w, r, func(b []byte) []byte { s, _ := p.srcset(string(b)); return []byte(s) })
		},
		"refresh": func(w io.Writer, r io.Reader, p *Place) error {
			return whole(w, r, func(b []byte) []byte { return []byte(p.Refresh(string(b))) })
		},
		"URL": func(w io.Writer, r io.Reader, p *Place) error {
			return whole(w, r, func(b []byte) []byte { s, _ := p.URL(string(b), Image); return []byte(s) })
		},
	}
}

// Rewriting takes work in proportion to the bytes, whatever they are.
func TestLinear(t *testing.T) {
	u, err := weburl.Parse("http://a.test/dir/page.html")
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlace(context.Background(), u, "/web/20240102030405", Page)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const n = 4 << 10
	small, large := constructs(n), constructs(8*n)
	for name, rewrite := range rewriters() {
		for construct := range small {
			if strings.HasPrefix(construct, "script ") && name != "HTML" {
				continue
			}
			work := func(doc string) (time.Duration, int) {
				var out counter
				began := used(t)
				if err := rewrite(&out, strings.NewReader(doc), p); err != nil {
					t.Error(err)
				}
				return used(t) - began, int(out)
			}
			a, _ := work(small[construct])
			b, size := work(large[construct])
			for range 3 { // a collection of garbage may fall into one of them
				if b <= 20*a+25*time.Millisecond {
					break
				}
				once, _ := work(large[construct])
				b = min(b, once)
			}
			if b > 20*a+25*time.Millisecond || size > 40*len(large[construct]) {
				t.Errorf("%s, %s: %d KB take %v, %d KB take %v and become %d", name, construct, len(small[construct])>>10, a, len(large[construct])>>10, b, size)
			}
		}
	}
}

// used is the processor's time that this thread has used.
func used(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// Rewriting stops when the request ends.
func TestEndsWithTheRequest(t *testing.T) {
	u, err := weburl.Parse("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	for name, rewrite := range rewriters() {
		if name == "srcset" || name == "refresh" || name == "URL" || name == "import map" || name == "Callback" {
			continue // of no length of their own
		}
		ctx, cancel := context.WithCancel(t.Context())
		endless := &endless{left: 1 << 20, end: cancel}
		var out counter
		if err := rewrite(&out, endless, NewPlace(ctx, u, "/web/2024", Page)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if endless.left < -1<<20 {
			t.Errorf("%s: %d bytes were read after the end", name, -endless.left)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := NewPlace(ctx, u, "/web/2024", Page)
	for name, rewrite := range map[string]func([]byte) []byte{"CSS": p.css, "JavaScript": p.script} {
		const doc = "@import '/x'; location"
		if got := string(rewrite([]byte(doc))); got != doc {
			t.Errorf("%s went on to the end: %s", name, got)
		}
	}
}

// endless is a document without end; when so much is read, the request ends.
type endless struct {
	left int
	end  func()
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = "<a>location\n"[i%12]
	}
	if e.left -= len(b); e.left < 0 {
		e.end()
	}
	return len(b), nil
}

// Of a tag with very many attributes the first are led into the archive, and the rest is not there.
func TestManyAttributes(t *testing.T) {
	var many strings.Builder
	for i := range 3 * maxAttributes {
		fmt.Fprintf(&many, " A%d=1", i/2)
	}
	for doc, want := range map[string]string{
		"<a href=//b.test/" + many.String() + " src=//c.test/>x": "<a href=/web/2024/http://b.test/ A0=1",
		"<br" + many.String() + " src=//c.test//>x":              "<br A0=1",
	} {
		u, _ := weburl.Parse("http://a.test/")
		var out strings.Builder
		if err := HTML(&out, strings.NewReader(doc), NewPlace(t.Context(), u, "/web/2024", Page), Options{}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.HasPrefix(got, want) || strings.Contains(got, "c.test") || !strings.HasSuffix(got, ">x") {
			t.Errorf("%.100s … %s", got, got[len(got)-30:])
		}
	}
}
