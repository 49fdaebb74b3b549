package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kavosh/internal/fakeweb"
)

// hook is a receiver of webhooks, at an address that stays the same while it is down.
type hook struct {
	t      *testing.T
	addr   string
	server *httptest.Server

	mu     sync.Mutex
	secret string
	got    []hooked
	answer func(w http.ResponseWriter)
}

// hooked is a message that came.
type hooked struct {
	id   string
	Type string `json:"type"`
	Data struct {
		ID, URL, Title, Words, Comparison string
		Watch                             int
		Operations                        []json.RawMessage
	} `json:"data"`
}

func (h *hook) up() {
	l, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	h.server = httptest.NewUnstartedServer(h)
	h.server.Listener.Close()
	h.server.Listener, h.addr = l, l.Addr().String()
	h.server.Start()
	h.t.Cleanup(h.server.Close)
}

func (h *hook) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	m := hooked{id: q.Header.Get("webhook-id")}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(h.secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", m.id, q.Header.Get("webhook-timestamp"), body)
	if json.Unmarshal(body, &m) != nil || err != nil || q.Header.Get("webhook-signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) || m.id != m.Data.ID {
		h.t.Errorf("this message is not signed: %v %s", q.Header, body)
	}
	h.got = append(h.got, m)
	if h.answer != nil {
		h.answer(w)
	}
}

// answers says what is done when a message came.
func (h *hook) answers(with func(http.ResponseWriter)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = with
}

func (h *hook) taken() []hooked {
	h.mu.Lock()
	defer h.mu.Unlock()
	got := h.got
	h.got = nil
	return got
}

// watchedArchive is an archive of a page that changed after it was watched.
func watchedArchive(t *testing.T) (dir string, h *hook) {
	t.Helper()
	dir, h = filepath.Join(t.TempDir(), "watched"), &hook{t: t, addr: "127.0.0.1:0"}
	crawl := func(text string) {
		web, err := fakeweb.Parse([]byte("-- a.test/ --\n<!doctype html><title>Shop</title><h1>Shop</h1><p>" + text + "</p>\n"))
		if err != nil {
			t.Fatal(err)
		}
		far, err := fakeweb.NewServer(web, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go far.Serve(l)
		defer far.Close()
		command(t, "crawl", "--browser", "never", "--archive", dir, "--delay", "0", "--connect-to", "::"+l.Addr().String(), "http://a.test/")
	}
	crawl("All is here.")
	h.up()
	h.server.Close()
	command(t, "watch", dir, "add", "http://a.test/", "--webhook", "http://"+h.addr+"/hook?token=HUSH")
	command(t, "watch", dir, "add", "http://a.test/", "--text", "sold out", "--webhook", "http://"+h.addr+"/hook?token=HUSH", "--lang", "fa")
	h.secret = strings.TrimSpace(command(t, "watch", dir, "secret", "1"))
	crawl("It is sold out.")
	return dir, h
}

// Messages that find the far side down are sent when it is up again; each says in words what changed. Neither addresses nor
// secrets are printed or kept where others look.
func TestWebhooks(t *testing.T) {
	dir, h := watchedArchive(t)
	command(t, "watch", dir, "remove", "2")
	if said, status := talk("watch", dir, "send"); status != 1 || !strings.Contains(said, "0 messages sent, 1 not taken, 0 waiting") {
		t.Errorf("status %d: %s", status, said)
	}
	said := command(t, "watch", dir, "events") + command(t, "watch", dir, "list") + command(t, "watch", dir, "events", "--json")
	if !strings.Contains(said, "[not taken (connection refused), again from ") || strings.Contains(said, "HUSH") {
		t.Error(said)
	}
	h.up()
	if said := command(t, "watch", dir, "send"); !strings.Contains(said, "0 messages sent, 0 not taken, 1 waiting") { // a minute has not passed
		t.Error(said)
	}
	if err := os.Remove(filepath.Join(dir, "watch", "outbox.jsonl")); err != nil { // as if nothing was sent
		t.Fatal(err)
	}
	if said := command(t, "watch", dir, "send"); !strings.Contains(said, "1 message sent, 0 not taken, 0 waiting") {
		t.Error(said)
	}
	got := h.taken()
	if len(got) != 1 || got[0].Type != "page.changed" || got[0].Data.URL != "http://a.test/" || !strings.Contains(got[0].Data.Words, "It is sold out.") || len(got[0].Data.Operations) == 0 {
		t.Errorf("%+v", got)
	}
	if said := command(t, "watch", dir, "send"); !strings.Contains(said, "0 messages sent, 0 not taken, 0 waiting") || len(h.taken()) > 0 {
		t.Error(said)
	}
	if said := command(t, "watch", dir, "events"); !strings.Contains(said, "[sent ") {
		t.Error(said)
	}
	if info, err := os.Stat(filepath.Join(dir, "watch", "key")); err != nil || info.Mode() != 0o600 {
		t.Error(info, err)
	}
	command(t, "access", dir, "add", "takedown", "http://a.test/")
	if err := os.Remove(filepath.Join(dir, "watch", "outbox.jsonl")); err != nil {
		t.Fatal(err)
	}
	if said := command(t, "watch", dir, "send"); !strings.Contains(said, "0 messages sent, 0 not taken, 0 waiting") || len(h.taken()) > 0 {
		t.Error("what is closed is told:", said)
	}
}

// A program that is killed between sending and noting leaves a message unsure: it is sent again, with the same name, and the
// doubt is shown. kavosh serve sends too.
func TestKilledWhileSending(t *testing.T) {
	dir, h := watchedArchive(t)
	command(t, "watch", dir, "remove", "2")
	h.up()
	cmd := exec.Command("kavosh", "watch", dir, "send")
	came, killed := make(chan struct{}), make(chan struct{})
	h.answers(func(http.ResponseWriter) { close(came); <-killed })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-came
	cmd.Process.Kill()
	err := cmd.Wait()
	if close(killed); err == nil {
		t.Fatal("it was not killed")
	}
	h.answers(nil)
	first := h.taken()
	if said := command(t, "watch", dir, "events"); len(first) != 1 || !strings.Contains(said, "[being sent]") {
		t.Error(first, said)
	}
	if said := command(t, "watch", dir, "send"); !strings.Contains(said, "1 message sent") {
		t.Error(said)
	}
	if second := h.taken(); len(second) != 1 || second[0].id != first[0].id {
		t.Errorf("%+v, after %+v", second, first)
	}
	if said := command(t, "watch", dir, "events"); !strings.Contains(said, ", 2 tries, unsure whether a try before came]") {
		t.Error(said)
	}
}

// Names that lead to private addresses are not told anything, and nothing follows a redirect there.
func TestWebhooksStayOutside(t *testing.T) {
	client := hookClient()
	dial := client.Transport.(*http.Transport).DialContext
	far := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	defer far.Close()
	if _, err := dial(t.Context(), "tcp", net.JoinHostPort("ip6-localhost", "1")); err == nil {
		t.Error("a name led to a private address")
	} else if !strings.Contains(err.Error(), "private address") && !strings.Contains(err.Error(), "lookup") {
		t.Error(err)
	}
	if answer, err := client.Post(far.URL, "", nil); err != nil || answer.StatusCode != http.StatusFound {
		t.Error(answer, err)
	}
}

// The words of a message are in the language of its watch, and kavosh serve sends it, with the address of the comparison.
func TestServeSendsMessages(t *testing.T) {
	dir, h := watchedArchive(t)
	command(t, "watch", dir, "remove", "1")
	h.secret = strings.TrimSpace(command(t, "watch", dir, "secret", "2"))
	h.up()
	came := make(chan struct{})
	h.answers(func(http.ResponseWriter) { close(came) })
	cmd := exec.Command("kavosh", "serve", "--addr", "127.0.0.1:0", "--replay-addr", "127.0.0.1:0", "one="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-came
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	got := h.taken()
	if len(got) != 1 || !strings.Contains(got[0].Data.Words, "sold out") || !strings.ContainsFunc(got[0].Data.Words, func(r rune) bool { return r > 0x600 }) ||
		!strings.Contains(got[0].Data.Comparison, "/one/2") || len(got[0].Data.Operations) != 1 {
		t.Errorf("%+v", got)
	}
}

// kavosh check tells of watches that were changed, and of what is kept of their messages.
func TestCheckOfWatches(t *testing.T) {
	dir, h := watchedArchive(t)
	h.up()
	command(t, "watch", dir, "remove", "2")
	command(t, "watch", dir, "send")
	command(t, "check", dir)
	for _, name := range []string{"decisions/watches.jsonl", "watch/outbox.jsonl"} {
		path := filepath.Join(dir, name)
		was := read(t, path)
		if err := os.WriteFile(path, []byte(strings.Replace(was, `"watch":1`, `"watch":7`, 1)[:len(was)-9]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, status := talk("check", dir); status != 1 || !strings.Contains(said, name) {
			t.Errorf("%s: status %d: %s", name, status, said)
		}
		if err := os.WriteFile(path, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
