// Package watch keeps what people want to be told of changes on pages, and tells it by webhooks.
//
// A watch is a URL, a lens (the page or a part of it) and how it is told. Watches are decisions of people: lines in the
// archive's decisions/watches.jsonl, which are only added (docs/formats/watch.md). What there is to tell is kept nowhere: it
// follows from the archive's captures and the watch, so the same is told whenever somebody asks. Only what became of each
// message is kept.
//
//	watch.go    what a watch is, and the name of what it tells
//	kept.go     reads, adds and removes watches
//	outbox.go   the log of messages: each is noted before it is sent, and after
//	send.go     sends what is due, each watch in order
//	sign.go     signs messages as Standard Webhooks says; the key of an archive
package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/units"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Watch is what somebody wants to be told, as it is stored: a new watch, or the removal of one.
type Watch struct {
	ID      int         `json:"id"` // from 1; of a removal, that of the removed watch
	Time    time.Time   `json:"time"`
	Who     string      `json:"who"`
	Do      string      `json:"do"`            // "add" or "remove"
	URL     string      `json:"url,omitempty"` // of the page, as captures have it
	Lens    kavosh.Lens `json:"lens,omitzero"`
	Least   float64     `json:"least,omitempty"`   // importance below which nothing is told, from 0 to 1
	Webhook string      `json:"webhook,omitempty"` // "": only the feed tells
	Quiet   string      `json:"quiet,omitempty"`   // hours in which nothing is sent, such as "22:00-07:00"
	Zone    string      `json:"zone,omitempty"`    // of these hours; "" = this machine's
	Lang    string      `json:"lang,omitempty"`    // of the words in messages: "en" or "fa"
}

// Bounds of what a person may write.
const (
	maxURL  = 8 << 10 // bytes
	maxLens = 1 << 10
)

// Check says what is wrong with a watch, and how to mend it. The caller checks the lens.
func (w *Watch) Check() error {
	switch {
	case w.Do == "remove" && w.ID > 0:
		return nil
	case w.Do != "add":
		return fmt.Errorf("%q is neither add nor remove", w.Do)
	case len(w.URL) > maxURL || len(w.Webhook) > maxURL:
		return fmt.Errorf("a URL is longer than %d bytes", maxURL)
	case len(w.Lens.Selector) > maxLens || len(w.Lens.Text) > maxLens || len(w.Lens.Block) > maxLens:
		return fmt.Errorf("what is watched is longer than %d bytes", maxLens)
	case w.Least < 0 || w.Least > 1:
		return fmt.Errorf("the least importance is %v: write a number from 0 to 1", w.Least)
	case w.Lang != "en" && w.Lang != "fa":
		return fmt.Errorf("the language %q: write en or fa", w.Lang)
	}
	if u, err := weburl.Parse(w.URL); err != nil || !u.Fetchable() {
		return fmt.Errorf("%q is no address of a page: write one such as https://example.org/", w.URL)
	}
	if set := w.Lens; (set.Selector != "" && set.Text != "") || (set.Block != "" && set.Selector+set.Text != "") {
		return errors.New("watch one thing at a time: a selector, a text or a block")
	}
	if w.Webhook != "" {
		if u, err := url.Parse(w.Webhook); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
			return fmt.Errorf("the webhook is no http or https URL without name and password, such as https://example.org/hook")
		}
	}
	if w.Quiet != "" || w.Zone != "" {
		_, err := units.ParseHours(w.Quiet, w.Zone)
		return err
	}
	return nil
}

// Open says whether messages may be sent at t, and if not, when they may.
func (w *Watch) Open(t time.Time) (open bool, next time.Time) {
	if w.Quiet == "" {
		return true, t
	}
	h, err := units.ParseHours(w.Quiet, w.Zone)
	if err != nil { // the machine has lost the time zone
		return true, t
	}
	quiet, next := h.At(t)
	return !quiet, next
}

// Receiver returns the host that is told by webhook; "" if none is. The rest of the address may be a secret.
func (w *Watch) Receiver() string {
	u, err := url.Parse(w.Webhook)
	if err != nil {
		return ""
	}
	return u.Host
}

// Message names what a watch tells of a capture: a UUID that is the same for ever and in every copy of the archive. It is
// made of the watch and the capture alone, and not of the capture before: one that is found later in between makes no second
// message.
func (w *Watch) Message(e *cdx.Entry) string {
	h := sha256.Sum256([]byte(strings.Join([]string{"kavosh watch", fmt.Sprint(w.ID), w.Time.UTC().Format(time.RFC3339), w.URL, w.Lens.String(),
		e.Timestamp, warc.DigestKey(e.Digest)}, "\x00")))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // version 8: made in our own way (RFC 9562)
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// Begins reports whether a capture is one of those that the watch tells of: made since the watch was.
func (w *Watch) Begins(e *cdx.Entry) bool {
	return e.Timestamp >= w.Time.UTC().Format("20060102150405")
}
