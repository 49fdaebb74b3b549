package watch

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
)

// watchmaker is a clock that stands.
type watchmaker struct{ now time.Time }

func (c *watchmaker) Now() time.Time { return c.now }
func (c *watchmaker) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// receiver takes messages, checks their signatures as Standard Webhooks says, and answers as it is told.
type receiver struct {
	*httptest.Server
	t      *testing.T
	secret string
	mu     sync.Mutex
	answer func(w http.ResponseWriter, q *http.Request)
	got    []string // names and bodies
}

func newReceiver(t *testing.T, secret string) *receiver {
	r := &receiver{t: t, secret: secret}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	id, stamp := q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp")
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); q.Header.Get("webhook-signature") != want || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
		r.t.Errorf("%s: %v is not signed", q.Method, q.Header)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, id+" "+string(body))
	if r.answer != nil {
		r.answer(w, q)
	}
}

func (r *receiver) taken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// sender returns the sender of an archive with one watch, which tells of the events.
func sender(t *testing.T, w Watch, now string, events ...string) (*Sender, *receiver, *watchmaker) {
	t.Helper()
	fs, key := vfs.NewMem(), Key{1, 2, 3}
	r := newReceiver(t, key.Secret(1))
	if w.Webhook == "" {
		w.Webhook = r.URL + "/hook?token=HUSH"
	}
	w.URL, w.Lang = "http://a.test/", "en"
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	c := &watchmaker{at}
	if err := about.Create(fs, "archive", "", c.now); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(fs, "archive", c, "somebody", w); err != nil {
		t.Fatal(err)
	}
	return &Sender{FS: fs, Archive: "archive", Clock: c, Key: func() (Key, error) { return key, nil }, Agent: "Kavosh/test",
		Client:  &http.Client{Timeout: time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		Trouble: func(text string) { t.Error(text) },
		Events: func(_ context.Context, _ *Watch, sent func(string) bool) (list []Event, err error) {
			for _, id := range events {
				if !sent(id) {
					list = append(list, Event{id, func(context.Context) ([]byte, error) { return []byte(`{"of":"` + id + `"}`), nil }})
				}
			}
			return list, nil
		}}, r, c
}

func send(t *testing.T, s *Sender, want Counts) {
	t.Helper()
	if got, err := s.Send(t.Context()); err != nil || got != want {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
}

// Messages come in order, each once, signed. While the far side answers with an error nothing is lost, and it is asked ever
// more seldom, with the same names.
func TestMessagesWaitForTheFarSide(t *testing.T) {
	s, r, c := sender(t, Watch{}, "2026-01-05T12:00:00Z", "a", "b", "c")
	r.answer = func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Webhook-Id") == "b" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	send(t, s, Counts{Sent: 1, Failed: 1, Waiting: 1})
	if got := r.taken(); !slices.Equal(got, []string{`a {"of":"a"}`, `b {"of":"b"}`}) {
		t.Error(got)
	}
	for try := 1; try <= 12; try++ {
		c.now = c.now.Add(Pause(try) - time.Second)
		send(t, s, Counts{Waiting: 2})
		c.now = c.now.Add(time.Second)
		if try == 12 {
			break
		}
		send(t, s, Counts{Failed: 1, Waiting: 1})
		if got := r.taken(); !slices.Equal(got, []string{`b {"of":"b"}`}) {
			t.Error(try, got)
		}
	}
	if Pause(1) != time.Minute || Pause(2) != 2*time.Minute || Pause(100) != 6*time.Hour {
		t.Error(Pause(1), Pause(2), Pause(100))
	}
	all, err := Deliveries(s.FS, "archive", c.now)
	if d := all["b"]; err != nil || d.State != Failed || d.Status != 500 || d.Try != 12 || d.Doubt {
		t.Error(d, err)
	}
	r.answer = nil
	send(t, s, Counts{Sent: 2})
	send(t, s, Counts{})
	if got := r.taken(); !slices.Equal(got, []string{`b {"of":"b"}`, `c {"of":"c"}`}) {
		t.Error(got)
	}
}

// What became of a message is told also where nobody answers: a closed port, an answer that does not come, a redirect, which
// is not followed. What is kept has nothing of the address.
func TestFarSides(t *testing.T) {
	for name, one := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		hook   string
		want   Delivery
	}{
		"closed": {hook: "http://127.0.0.1:1/?token=HUSH", want: Delivery{Fault: "connection refused"}},
		"hangs":  {answer: func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }, want: Delivery{Fault: "no answer within 1s", Doubt: true}},
		"redirects": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(http.StatusFound)
		}, want: Delivery{Status: 302}},
		"breaks off":  {answer: func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, want: Delivery{Fault: "EOF", Doubt: true}},
		"talks a lot": {answer: func(w http.ResponseWriter, _ *http.Request) { io.CopyN(w, endless{}, 8<<20) }, want: Delivery{Status: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r, c := sender(t, Watch{Webhook: one.hook}, "2026-01-05T12:00:00Z", "a")
			r.answer = one.answer
			want := Counts{Failed: 1}
			if one.want.State = Failed; one.want.Status == 200 {
				one.want.State, want = Sent, Counts{Sent: 1}
			}
			send(t, s, want)
			if got := r.taken(); one.hook == "" && len(got) != 1 {
				t.Error(got)
			}
			all, err := Deliveries(s.FS, "archive", c.now)
			got := all["a"]
			one.want.Message, one.want.Watch, one.want.Time, one.want.Try = "a", 1, got.Time, 1
			if err != nil || got != one.want {
				t.Errorf("%+v, want %+v: %v", got, one.want, err)
			}
			if log, err := disk.ReadFile(s.FS, "archive/watch/outbox.jsonl"); err != nil || strings.Contains(string(log), "HUSH") {
				t.Errorf("%s: %v", log, err)
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// In quiet hours nothing is sent, and nothing is lost.
func TestQuietHours(t *testing.T) {
	s, r, c := sender(t, Watch{Quiet: "22:00-07:00", Zone: "Asia/Tehran"}, "2026-01-05T19:00:00Z", "a", "b") // 22:30
	for _, after := range []time.Duration{0, time.Hour, 7 * time.Hour} {
		c.now = c.now.Add(after)
		send(t, s, Counts{Waiting: 2})
	}
	if got := r.taken(); len(got) > 0 {
		t.Error(got)
	}
	c.now = time.Date(2026, 1, 6, 3, 30, 0, 0, time.UTC) // 07:00
	send(t, s, Counts{Sent: 2})
}

// A message that was being sent when the program ended is unsure, and sent again with the same name.
func TestCutBetweenSendingAndNoting(t *testing.T) {
	s, r, c := sender(t, Watch{}, "2026-01-05T12:00:00Z", "a")
	o, err := openOutbox(s.FS, "archive", c.now)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.note(Delivery{Message: "a", Watch: 1, State: Sending, Time: c.now, Try: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "another kavosh sends") {
		t.Error("two send at the same time:", err)
	}
	if err := o.close(); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]State{time.Second: Sending, time.Hour: Unsure} {
		if all, err := Deliveries(s.FS, "archive", c.now.Add(after)); err != nil || all["a"].State != want {
			t.Errorf("after %v %v, want %s: %v", after, all, want, err)
		}
	}
	send(t, s, Counts{Sent: 1})
	if got := r.taken(); !slices.Equal(got, []string{`a {"of":"a"}`}) {
		t.Error(got)
	}
	if all, err := Deliveries(s.FS, "archive", c.now); err != nil || all["a"].State != Sent || all["a"].Try != 2 || !all["a"].Doubt {
		t.Error(all, err)
	}
}

// The log stays small while a far side is down for years, and says the same.
func TestLogIsWrittenAnew(t *testing.T) {
	s, r, c := sender(t, Watch{}, "2026-01-05T12:00:00Z", "a", "b")
	o, err := openOutbox(s.FS, "archive", c.now)
	if err != nil {
		t.Fatal(err)
	}
	for try := range 3000 {
		if err := o.note(Delivery{Message: "a", Watch: 1, State: Failed, Time: c.now, Try: try + 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.close(); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(6 * time.Hour)
	send(t, s, Counts{Sent: 2})
	if log, err := disk.ReadFile(s.FS, "archive/watch/outbox.jsonl"); err != nil || strings.Count(string(log), "\n") != 5 || len(r.taken()) != 2 {
		t.Errorf("%s %v", log, err)
	}
}

// Watches that were damaged tell nothing until somebody accepts what is left.
func TestDamagedWatches(t *testing.T) {
	s, _, c := sender(t, Watch{}, "2026-01-05T12:00:00Z")
	w, err := Add(s.FS, "archive", c, "somebody", Watch{URL: "http://b.test/", Lang: "fa"})
	if err != nil || w.ID != 2 {
		t.Fatal(w, err)
	}
	name := "archive/decisions/watches.jsonl"
	data, err := disk.ReadFile(s.FS, name)
	if err == nil {
		err = disk.WriteFile(s.FS, name, []byte(strings.Replace(string(data), "b.test", "c.test", 1)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "`kavosh watch archive accept`") {
		t.Error(err)
	}
	if m, err := Accept(s.FS, "archive"); err != nil || m.Kept != 2 || len(m.Changed) != 1 {
		t.Error(m, err)
	}
	list, err := List(s.FS, "archive")
	if err != nil || len(list) != 2 || list[1].URL != "http://c.test/" {
		t.Error(list, err)
	}
	if err := Remove(s.FS, "archive", c, "somebody", 2); err != nil {
		t.Error(err)
	}
	if w, err := Add(s.FS, "archive", c, "somebody", Watch{URL: "http://b.test/", Lang: "fa"}); err != nil || w.ID != 3 {
		t.Error("a number is used again:", w, err)
	}
}

// A message has the same name for ever, and another one for another capture, watch or lens.
func TestNamesOfMessages(t *testing.T) {
	w := Watch{ID: 1, Time: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC), URL: "http://a.test/"}
	e := cdx.Entry{Timestamp: "20260105120001", Digest: "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"}
	if got := w.Message(&e); got != "3008dfa8-14fc-8948-83fe-b39e556b4df7" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for _, w := range []Watch{w, {ID: 2, Time: w.Time, URL: w.URL}, {ID: 1, Time: w.Time.Add(time.Second), URL: w.URL}, {ID: 1, Time: w.Time, URL: "http://b.test/"}} {
		for _, e := range []cdx.Entry{e, {Timestamp: "20260105120002", Digest: e.Digest}, {Timestamp: e.Timestamp, Digest: "sha1:AAAMMHO4YXUKFWV63YHTWSBM3GXKSQ2N"}} {
			seen[w.Message(&e)] = true
		}
	}
	if len(seen) != 12 {
		t.Error(seen)
	}
	if w.Begins(&cdx.Entry{Timestamp: "20260105115959"}) || !w.Begins(&e) {
		t.Error("a watch tells of the wrong captures")
	}
}
