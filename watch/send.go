package watch

// This file sends what is due.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/lib/words"
)

// Event is something that a watch tells.
type Event struct {
	Message string // its name
	// Body makes what is sent: JSON.
	Body func(context.Context) ([]byte, error)
}

// Sender sends the messages of an archive's watches.
type Sender struct {
	FS      vfs.FS
	Archive string
	Clock   clock.Clock
	Key     func() (Key, error)
	Agent   string       // User-Agent
	Client  *http.Client // follows no redirects, dials only what it may, and has a Timeout for a request with its answer
	// Events returns what a watch has to tell, the oldest first, without what was sent.
	Events func(ctx context.Context, w *Watch, sent func(message string) bool) ([]Event, error)
	// Trouble is called with one line for the operator. Any goroutine may call it.
	Trouble func(string)
}

// Bounds of sending.
const (
	maxAnswer = 64 << 10 // bytes of an answer that are read, so that its connection can be used again
	atOnce    = 8        // watches
)

// Pause returns how long a message waits after so many tries that failed: a minute, then twice as long each time, and six
// hours at most.
func Pause(tries int) time.Duration {
	return min(6*time.Hour, time.Minute<<min(max(0, tries-1), 10))
}

// Counts are numbers of messages.
type Counts struct {
	Sent    int // now
	Failed  int // now
	Waiting int // not sent now: their time has not come, or they stand behind one that failed
}

// Send sends all that is due now, once. The messages of one watch are sent in order, each after the one before it has
// come; several watches are told at the same time. The error is an ErrSending while another program sends, or that the log
// cannot be read or written.
func (s *Sender) Send(ctx context.Context) (Counts, error) {
	list, err := s.webhooks()
	if err != nil || len(list) == 0 {
		return Counts{}, err
	}
	o, key, err := s.open()
	if err != nil {
		return Counts{}, err
	}
	n, err := s.round(ctx, o, key, list)
	return n, errors.Join(err, o.close())
}

// lookEvery is how often Run looks for what there is to tell.
const lookEvery = 30 * time.Second

// Run sends what is due again and again until ctx ends. While another program sends, it waits.
func (s *Sender) Run(ctx context.Context) {
	var o *outbox
	var key Key
	told := ""
	for {
		list, err := s.webhooks()
		if err == nil && len(list) > 0 {
			if o == nil {
				o, key, err = s.open()
			}
			if err == nil {
				_, err = s.round(ctx, o, key, list)
			}
		}
		if err != nil && !errors.Is(err, ErrSending) && ctx.Err() == nil && err.Error() != told {
			told = err.Error()
			s.Trouble("watches: " + told)
		}
		if s.Clock.Sleep(ctx, lookEvery) != nil {
			break
		}
	}
	if o != nil {
		if err := o.close(); err != nil {
			s.Trouble("watches: " + err.Error())
		}
	}
}

// webhooks returns the watches that are told by webhook.
func (s *Sender) webhooks() ([]Watch, error) {
	list, err := List(s.FS, s.Archive)
	return slices.DeleteFunc(list, func(w Watch) bool { return w.Webhook == "" }), err
}

func (s *Sender) open() (*outbox, Key, error) {
	key, err := s.Key()
	if err != nil {
		return nil, key, err
	}
	o, err := openOutbox(s.FS, s.Archive, s.Clock.Now().UTC())
	return o, key, err
}

// round sends all that is due. The error is that of the log.
func (s *Sender) round(ctx context.Context, o *outbox, key Key, list []Watch) (Counts, error) {
	var wait sync.WaitGroup
	counts, errs := make([]Counts, len(list)), make([]error, len(list))
	turns := make(chan struct{}, atOnce)
	for i := range list {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			counts[i], errs[i] = s.watch(ctx, o, key, &list[i])
		})
	}
	wait.Wait()
	var n Counts
	for _, c := range counts {
		n.Sent, n.Failed, n.Waiting = n.Sent+c.Sent, n.Failed+c.Failed, n.Waiting+c.Waiting
	}
	return n, errors.Join(errs...)
}

// watch sends what is due of one watch. The error is that of the log.
func (s *Sender) watch(ctx context.Context, o *outbox, key Key, w *Watch) (n Counts, err error) {
	events, err := s.Events(ctx, w, func(message string) bool { return o.of(message).State == Sent })
	if err != nil {
		if ctx.Err() == nil {
			s.Trouble(fmt.Sprintf("watch %d: %v", w.ID, err))
		}
		return n, nil
	}
	for i, e := range events {
		d := o.of(e.Message)
		now := s.Clock.Now().UTC()
		if open, _ := w.Open(now); !open || d.State == Failed && now.Before(d.Time.Add(Pause(d.Try))) || ctx.Err() != nil {
			n.Waiting += len(events) - i
			return n, nil
		}
		body, err := e.Body(ctx)
		if err != nil { // a version cannot be read any more
			if ctx.Err() == nil {
				s.Trouble(fmt.Sprintf("watch %d, message %s: %v", w.ID, e.Message, err))
			}
			continue
		}
		d = Delivery{Message: e.Message, Watch: w.ID, State: Sending, Time: now, Try: d.Try + 1, Doubt: d.Doubt}
		if err := o.note(d); err != nil {
			return n, err
		}
		status, begun, fault := s.post(ctx, key, w, e.Message, now, body)
		d.Status, d.Time, d.State = status, s.Clock.Now().UTC(), Failed
		switch {
		case fault != nil:
			d.Fault, d.Doubt = fault.Error(), d.Doubt || begun
		case status/100 == 2:
			d.State = Sent
		}
		if err := o.note(d); err != nil {
			return n, err
		}
		if d.State == Failed {
			n.Failed++
			n.Waiting += len(events) - i - 1
			return n, nil
		}
		n.Sent++
	}
	return n, nil
}

// post sends a message. begun tells that some of it may have come. The error is for people and names no part of the address
// but its host.
func (s *Sender) post(ctx context.Context, key Key, w *Watch, id string, now time.Time, body []byte) (status int, begun bool, err error) {
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { wrote.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Webhook, bytes.NewReader(body))
	if err != nil {
		return 0, false, errors.New("the address of the webhook cannot be read")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.Agent)
	key.Sign(r.Header, w.ID, id, now, body)
	answer, err := s.Client.Do(r)
	if err != nil {
		return 0, wrote.Load(), s.plain(err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // the status is the answer
	return answer.StatusCode, true, nil
}

// maxFault is how many bytes of a fault are kept.
const maxFault = 300

// plain returns an error of a client without the address, which may have a secret in it.
func (s *Sender) plain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", s.Client.Timeout)
	}
	for {
		inner := errors.Unwrap(err)
		if _, ok := err.(interface{ Timeout() bool }); !ok || inner == nil {
			break
		}
		err = inner
	}
	return errors.New(words.Clip(err.Error(), maxFault))
}
