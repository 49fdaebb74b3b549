package engine

// This file changes what waits in the queue of a crawl: all URLs of a Selection are dropped, held or released, or get
// another score.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"kavosh"
	"kavosh/frontier"
)

// The names of commands that change all URLs of a Selection that wait.
const (
	QueueDrop     = "queue-drop"     // they leave the queue, each with a line in crawl.log
	QueuePriority = "queue-priority" // they get the score Command.Score
	QueueHold     = "queue-hold"     // they wait until they are released
	QueueRelease  = "queue-release"  // those that are on hold wait for their turn again
)

// droppedRule is archive.Line.Rule of URLs that a person took out of the queue.
const droppedRule = "dropped"

const (
	changedAtOnce = 1024 // URLs that are changed in one write
	lateTasks     = 8192 // URLs that a change still looks at when the crawl ends: a small change is done with
)

var errCutShort = errors.New("the crawl ends; what is left of this is done when it goes on")

// changes reports whether cmd changes what waits.
func (cmd *Command) changes() bool {
	switch cmd.Name {
	case QueueDrop, QueuePriority, QueueHold, QueueRelease:
		return true
	}
	return false
}

// takeQueue checks a command that changes what waits, and describes it in words.
func (cmd *Command) takeQueue() (before, after string, err error) {
	if cmd.Queue == nil || cmd.Queue.all() {
		return "", "", errors.New("say which URLs: --host, --url, --kind or --state")
	}
	if _, err := cmd.Queue.chooser(); err != nil {
		return "", "", err
	}
	switch cmd.Name {
	case QueueDrop:
		return "", "dropped from the queue", nil
	case QueueHold:
		return "", "on hold until they are released", nil
	case QueueRelease:
		return "", "released", nil
	}
	return "", fmt.Sprintf("score %g", cmd.Score), nil
}

// carriedOut is the name under which the frontier keeps how long control.log was when the last change of the queue was
// carried out. Those behind it are carried out when the crawl goes on.
const carriedOut = "queue changes"

// changeQueue obeys cmd, which changes what waits, and answers on conn: the end says how many URLs it changed. ctx ends
// with the crawl. A change that was cut short is carried out to its end when the crawl goes on.
func (k *controls) changeQueue(ctx context.Context, conn net.Conn, cmd Command) {
	emit := answerOn(conn, k.clock)
	k.changing.Lock() // changes have their effects in the order of control.log
	defer k.changing.Unlock()
	position, err := k.logChange(ctx, &cmd)
	n := int64(0)
	if err == nil {
		n, err = k.carryOut(ctx, &cmd, k.settle, func() error { return emit(&QueueLine{}) })
	}
	if err == nil {
		err = k.frontier.Put(carriedOut, binary.AppendUvarint(nil, uint64(position)))
	}
	if err != nil {
		_ = emit(&QueueLine{Error: err.Error()}) // it may be the connection that failed
		return
	}
	_ = emit(&QueueLine{End: &QueueEnd{Listed: n}})
}

// logChange writes a change of what waits to control.log, and returns how long the log is then.
func (k *controls) logChange(ctx context.Context, cmd *Command) (position int64, err error) {
	k.Lock()
	defer k.Unlock()
	if ctx.Err() != nil {
		return 0, k.ending()
	}
	cmd.Time = k.clock.Now().UTC().Truncate(time.Millisecond)
	if cmd.Before, cmd.After, err = cmd.takeQueue(); err != nil {
		return 0, err
	}
	if err := k.keep(cmd); err != nil {
		return 0, notKept(err)
	}
	return k.log.Position(), nil
}

// carryOut changes what cmd means. It calls settle after each write, which waits until what was dropped is durable, and
// then alive. When ctx ends, it may still go through some of the queue, and is then cut short.
func (k *controls) carryOut(ctx context.Context, cmd *Command, settle, alive func() error) (changed int64, err error) {
	chosen, err := cmd.Queue.chooser()
	if err != nil {
		return 0, err
	}
	tasks := make([]kavosh.Task, 0, changedAtOnce)
	flush := func() error {
		n, err := k.changeTasks(cmd, tasks)
		changed += int64(n)
		if tasks = tasks[:0]; err == nil {
			err = settle()
		}
		if err == nil {
			_ = alive() // nobody may be listening any more: it is done nevertheless
		}
		return err
	}
	late := 0 // tasks since ctx ended
	err = k.frontier.List(cmd.Queue.Host, func(frontier.Stats) {}, func(w *frontier.Waits) (bool, error) {
		if ctx.Err() != nil {
			if late++; late > lateTasks {
				return false, errCutShort
			}
		}
		if w.State == frontier.WaitAgain || !chosen(w) {
			return true, nil
		}
		if tasks = append(tasks, w.Task); len(tasks) < changedAtOnce {
			return true, nil
		}
		return true, flush()
	})
	if err == nil && len(tasks) > 0 {
		err = flush()
	}
	return changed, err
}

// changeTasks changes tasks as cmd says, those that still wait.
func (k *controls) changeTasks(cmd *Command, tasks []kavosh.Task) (changed int, err error) {
	switch cmd.Name {
	case QueueDrop:
		text := "dropped from the queue by " + cmd.Who
		if cmd.Why != "" {
			text += ": " + cmd.Why
		}
		return k.withdraw(tasks, text)
	case QueueHold:
		return k.frontier.HoldTasks(tasks, reason(cmd))
	case QueueRelease:
		return k.frontier.ReleaseTasks(tasks)
	}
	changes := make([]frontier.Change, 0, len(tasks))
	for i := range tasks {
		if !tasks[i].Variant {
			changes = append(changes, frontier.Change{URL: tasks[i].URL, Score: cmd.Score, Why: reason(cmd)})
		}
	}
	return k.frontier.Reprioritise(changes)
}

// catchUp carries out what commands before this run were to change and did not. settle is as in carryOut.
func (k *controls) catchUp(settle func() error) error {
	mark, err := k.frontier.Get(carriedOut)
	if err != nil {
		return err
	}
	done, _ := binary.Uvarint(mark)
	for cmd, err := range readCommands(k.fs, k.fs.PathJoin(k.dir, "control.log")) {
		if err != nil {
			return err
		}
		if !cmd.changes() || cmd.next <= int64(done) {
			continue
		}
		if _, err := k.carryOut(context.Background(), &cmd.Command, settle, func() error { return nil }); err != nil {
			return err
		}
		if err := k.frontier.Put(carriedOut, binary.AppendUvarint(nil, uint64(cmd.next))); err != nil {
			return err
		}
	}
	return nil
}

// withdraw takes tasks out of the queue, and returns how many still waited. The committer logs each with text as its
// reason.
func (c *crawl) withdraw(tasks []kavosh.Task, text string) (n int, err error) {
	leases, err := c.frontier.Withdraw(tasks, &frontier.Refusal{Text: text})
	for _, l := range leases {
		it, _ := c.refused(l)
		it.line.Rule = droppedRule
		c.pend.hand(it)
	}
	return len(leases), err
}

// settleChange waits until what was handed over before is durable. It is an error if it never will be.
func (c *crawl) settleChange() error {
	done := make(chan struct{})
	c.pend.hand(item{urgent: true, done: done})
	select {
	case <-done:
		return nil
	case <-c.hard.Done():
		return errCutShort
	}
}
