//go:build conformance

package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

const talks = `<!doctype html><meta charset=utf-8><title>talks</title><ul id=list></ul><script>
const at = 'ws://talk.test/so' + 'cket';
const s = new WebSocket(at + '?one', 'chat');
s.binaryType = 'arraybuffer';
s.onopen = () => { s.send('hello سلام'); s.send(new Uint8Array([0, 255, 1])) };
s.onmessage = e => { if (typeof e.data == 'string') document.getElementById('list').innerHTML += '<li><a href="/from-socket/' + encodeURIComponent(e.data) + '">x</a>' };
const many = new WebSocket(at + '?many');
many.onopen = () => { for (let i = 0; i < 5000; i++) many.send('number ' + i) };
const big = new WebSocket(at + '?big');
big.onopen = () => big.send('x'.repeat(20000));
for (let i = 0; i < 10; i++) new WebSocket('ws://talk.test/no' + i);
new WebSocket('ws://talk.test/private/so' + 'cket');
new WebSocket('ws://left.test/so' + 'cket');
</script>`

// talk is a server with WebSockets that notes what comes.
type talk struct {
	sync.Mutex
	began  map[string]time.Time // of requests, by path and query
	frames map[string][]string  // by the query of the socket
}

func (s *talk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	s.began[r.Host+r.RequestURI] = time.Now()
	s.Unlock()
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, talks)
	case "/robots.txt":
		io.WriteString(w, "User-agent: *\nDisallow: /private\n")
	case "/socket":
		websocket.Server{Handler: func(c *websocket.Conn) {
			for {
				var b []byte
				if websocket.Message.Receive(c, &b) != nil {
					return
				}
				s.Lock()
				s.frames[r.URL.RawQuery] = append(s.frames[r.URL.RawQuery], string(b))
				s.Unlock()
				if r.URL.RawQuery == "one" {
					websocket.Message.Send(c, fmt.Sprintf("heard %d", len(b)))
				}
			}
		}, Handshake: func(c *websocket.Config, _ *http.Request) error { return nil }}.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// spoken is what is looked at of the record of a page's WebSockets.
type spoken struct {
	Sockets []struct {
		URL, Request, Answer, Ended string
		Status                      int
		Frames                      []struct {
			Page       bool
			Kind, Text string
			Size       int64
			Data       []byte
		}
	}
}

// TestWebSocket wants a page's WebSockets to be opened by the gate, all that crosses them to be in the archive, and what they
// bring to show on the page.
func TestWebSocket(t *testing.T) {
	s := &talk{began: map[string]time.Time{}, frames: map[string][]string{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: s}}
	server.Start()
	defer server.Close()
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, "--connect-to", "talk.test::"+l.Addr().String(), "--connect-to", "left.test::"+l.Addr().String(),
		"--delay", "100ms", "--scope", "host", "--rule", "leave host=left.test", "http://talk.test/")

	urls := recorded(t, archive)
	for _, want := range []string{"http://talk.test/from-socket/heard%2014", "http://talk.test/from-socket/heard%203"} {
		if !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded: %q", want, urls)
		}
	}
	files, _ := filepath.Glob(filepath.Join(archive, "warc", "*.warc.gz"))
	var got spoken
	for line := range strings.Lines(string(python(t, readByWarcio, files...))) {
		var r resource
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.URI == "urn:websockets:http://talk.test/" {
			if err := json.Unmarshal(r.Data, &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Lock()
	defer s.Unlock()
	kept := map[string]bool{} // what the page sent, by the record
	statuses := map[string]int{}
	for _, socket := range got.Sockets {
		statuses[strings.TrimPrefix(socket.URL, "ws://talk.test")] = socket.Status
		sent := []string{}
		for _, f := range socket.Frames {
			if f.Page && f.Kind != "close" {
				sent = append(sent, f.Text+string(f.Data))
			}
		}
		_, query, _ := strings.Cut(socket.URL, "?")
		came := s.frames[query]
		if query == "big" {
			if len(socket.Frames) == 0 || socket.Frames[0].Size != 20000 || sent[0] != "" {
				t.Errorf("of a long frame is kept: %+v", socket.Frames)
			}
		} else if len(came) > len(sent) || !slices.Equal(came, sent[:len(came)]) {
			t.Errorf("%s: %d frames came to the server that the record does not have; it has %d", socket.URL, len(came), len(sent))
		}
		if query == "many" && (len(came) == 0 || len(came) > 1000 || socket.Ended == "") {
			t.Errorf("of a socket that says too much: %d frames, ended %q", len(came), socket.Ended)
		}
		if query == "one" && (socket.Status != 101 || !strings.HasPrefix(socket.Request, "GET /socket?one HTTP/1.1\r\n") || !strings.HasPrefix(socket.Answer, "HTTP/1.1 101")) {
			t.Errorf("%+v", socket)
		}
		for _, f := range sent {
			kept[f] = true
		}
	}
	if !kept["hello سلام"] || !kept["\x00\xff\x01"] {
		t.Errorf("what the page said is not kept: %.3000s", fmt.Sprint(got))
	}
	if len(got.Sockets) == 0 || len(got.Sockets) > 8 {
		t.Errorf("%d sockets: %v", len(got.Sockets), statuses)
	}
	var handshakes []time.Time
	for path, at := range s.began {
		if strings.Contains(path, "private") || strings.Contains(path, "left.test") {
			t.Errorf("%s was asked for", path)
		}
		if strings.HasPrefix(path, "talk.test/socket") || strings.HasPrefix(path, "talk.test/no") {
			handshakes = append(handshakes, at)
		}
	}
	if len(handshakes) > 8 {
		t.Errorf("%d handshakes", len(handshakes))
	}
	t.Log(statuses, len(handshakes))
}
