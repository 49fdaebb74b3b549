package engine

// This file obeys commands to a running crawl, and keeps them in control.log.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
	"kavosh/plan"
	"kavosh/standin"
)

// Command is one thing asked of a running crawl, as it crosses the socket and as control.log keeps it;
// docs/formats/control.md lists the names and what each uses of the other fields.
type Command struct {
	Time   time.Time        `json:"time"` // when the crawl took it
	Who    string           `json:"who"`  // user name on this machine; "kavosh" when the crawl did it by itself
	Name   string           `json:"command"`
	Value  string           `json:"value,omitempty"` // a length of time, a regular expression, hours, a rule, rules one a line
	Host   string           `json:"host,omitempty"`
	Until  time.Time        `json:"until,omitzero"`
	Place  int              `json:"place,omitempty"` // of a new rule among the others, from 1; 0 = the last
	Zone   string           `json:"zone,omitempty"`  // of hours, by its name in the time zone database; "" = this machine's
	URLs   []string         `json:"urls,omitempty"`  // seen-keys, at most MaxCommand bytes with all else
	Plan   *kavosh.SeedPlan `json:"plan,omitempty"`  // of seeds: what holds for each of them
	Via    string           `json:"via,omitempty"`   // of parts: the document that embeds them
	Score  float64          `json:"score,omitempty"`
	Why    string           `json:"why,omitempty"`
	Page   uint64           `json:"page,omitempty,string"` // of a hold for a page that may be no wall: what tells that page from others
	Queue  *QueueAsk        `json:"queue,omitempty"`       // what is asked of the queue, or which URLs of it are meant
	Before string           `json:"before,omitempty"`      // what held until then, in words
	After  string           `json:"after,omitempty"`       // and what holds since
}

// MaxCommand bounds a command on the socket, in bytes.
const MaxCommand = 1 << 20

// Reply answers a Command.
type Reply struct {
	Error string         `json:"error,omitempty"` // cause and fix; nothing was changed
	Text  string         `json:"text,omitempty"`  // one line: what holds now
	State *Control       `json:"state,omitempty"`
	Now   *Status        `json:"now,omitempty"`   // answers "status"
	Lines []archive.Line `json:"lines,omitempty"` // answers "why": of URLs that wait, with the outcome "queued"
}

// Control is how a crawl goes on and what was set by commands.
type Control struct {
	ID           string          `json:"id"`
	Paused       bool            `json:"paused"`
	Offline      bool            `json:"offline"` // it waits for this machine's network
	Stopping     string          `json:"stopping,omitempty"`
	Finished     int64           `json:"finished"`
	Recorded     int64           `json:"recorded"`
	Queued       int64           `json:"queued"`
	InFlight     int64           `json:"in_flight"`
	Workers      int             `json:"workers"`       // requests at once
	Delay        time.Duration   `json:"delay"`         // nanoseconds
	DelaySpread  time.Duration   `json:"delay_spread"`  // nanoseconds; each delay is longer by a random time of at most this
	AddressDelay time.Duration   `json:"address_delay"` // nanoseconds
	DelayFactor  int             `json:"delay_factor"`
	HostRate     int64           `json:"host_rate"` // bytes a second; 0 is no limit
	Rate         int64           `json:"rate"`      // bytes a second; 0 is no limit
	Include      []string        `json:"include"`
	Exclude      []string        `json:"exclude"`
	Rules        []scope.Rule    `json:"rules"`   // in their order
	Alarms       []Alarm         `json:"alarms"`  // what goes wrong now
	Limits       []string        `json:"limits"`  // beyond which URLs wait, each as "host-limit example.org=500"
	Limited      int64           `json:"limited"` // of Queued, those that wait beyond a limit
	OnHold       int64           `json:"on_hold"` // of Queued, those that a person put on hold
	Permits      []plan.Permit   `json:"permits"`
	Held         []frontier.Held `json:"held"`
	Hours        []Hours         `json:"hours"`
	Priorities   []Priority      `json:"priorities"`
}

// Priority is what is added to the scores of URLs, by host, by domain (a name with a dot before it) or by a regular
// expression.
type Priority struct {
	Host  string  `json:"host,omitempty"`
	Match string  `json:"match,omitempty"`
	Add   float64 `json:"add"`
}

// ReadControlLog yields the commands that were given to the crawl id of the archive in dir, in order.
func ReadControlLog(fs vfs.FS, dir, id string) iter.Seq2[Command, error] {
	return func(yield func(Command, error) bool) {
		for cmd, err := range readCommands(fs, fs.PathJoin(dir, "crawls", id, "control.log")) {
			if !yield(cmd.Command, err) {
				return
			}
		}
	}
}

// placedCommand is a line of control.log, and where the next one begins.
type placedCommand struct {
	Command
	next int64
}

func readCommands(fs vfs.FS, path string) iter.Seq2[placedCommand, error] {
	return func(yield func(placedCommand, error) bool) {
		for e, err := range journal.Read(fs, path, 0) {
			c := placedCommand{next: e.Next}
			if err == nil {
				if err = json.Unmarshal(e.Line, &c.Command); err != nil {
					err = fmt.Errorf("%s, before byte %d, %w: %w", path, e.Next, journal.ErrDamaged, err)
				}
			}
			if err = archive.NeedsMending(err); !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// controls is what commands set while the crawl runs, and how they are obeyed. It is locked before all other locks.
type controls struct {
	sync.Mutex
	fs       vfs.FS
	archive  string // its path, for messages
	dir      string // crawls/<id>
	clock    clock.Clock
	hard     context.Context // ends when exchanges in flight must end
	frontier *frontier.Frontier
	scope    *scope.Scope
	standIns *standin.Memory
	revisits *revisits
	quota    *quota

	everywhere string // why robots.txt need not be obeyed anywhere (--robots record); "" if it must

	// What they change and ask of the crawl itself.
	halt       func(why string)
	queueSeeds func(cmd *Command, position int64) string
	status     func() Status
	trouble    func(text string)
	withdraw   func(tasks []kavosh.Task, text string) (int, error)
	settle     func() error

	changing sync.Mutex // held while the queue is changed (change.go); locked before all others
	set      settings
	walls    map[string]int // by host: answers of a wall in a row
	walled   atomic.Int64   // of walls, how many
	log      *journal.Log   // nil before the first command
	listener net.Listener   // nil when nobody can say anything
	wake     context.CancelFunc
	wg       sync.WaitGroup
}

// newControls returns the controls of a crawl whose frontier and scope are open.
func newControls(c *crawl) *controls {
	return &controls{
		fs: c.fs, archive: c.opt.Archive, dir: c.dir, clock: c.clock, hard: c.hard, frontier: c.frontier, scope: c.scope, quota: c.quota, everywhere: recordedRobots(c.opt.RecordRobots),
		halt: c.halt, queueSeeds: c.queueSeeds, status: c.Status, trouble: c.trouble, withdraw: c.withdraw, settle: c.settleChange, standIns: &c.standIns, walls: map[string]int{},
	}
}

// recall reads what commands of earlier runs set. What the scope goes by is in force at once, and limits and permits,
// because records that a crash left are judged and counted before open.
func (k *controls) recall(o *Options) error {
	path := k.fs.PathJoin(k.dir, "control.log")
	k.set = newSettings(o)
	for cmd, err := range readCommands(k.fs, path) {
		if err != nil {
			return err
		}
		if _, _, err := k.set.take(&cmd.Command); err != nil && !strings.HasSuffix(cmd.Name, "-remove") { // what it took away may not be there in this run
			return fmt.Errorf("%s: %s of %s: %w", path, cmd.Name, cmd.Time.Format(time.RFC3339), err)
		}
	}
	k.pass()
	k.permit()
	return cmp.Or(k.limit(), k.rule())
}

// limit lets the frontier know of all limits beyond which URLs wait.
func (k *controls) limit() error { return k.frontier.SetLimits(limitsOf(&k.set.plan)) }

// rule lets the scope know of all rules and patterns.
func (k *controls) rule() error {
	return k.scope.SetRules(k.set.plan.Exclude, k.set.plan.Rule, k.set.plan.Include)
}

// open puts in force what recall read, and the commands of Options.
func (k *controls) open(o *Options) error {
	k.Lock()
	defer k.Unlock()
	set := k.set
	for _, cmd := range o.Commands {
		cmd.Time = k.clock.Now().UTC().Truncate(time.Millisecond)
		var err error
		if cmd.Before, cmd.After, err = set.take(&cmd); err != nil {
			return err
		}
		if cmd.Before == cmd.After {
			cmd.Before = "" // nothing was said before: Options have it already
		}
		if err := k.keep(&cmd); err != nil {
			return err
		}
	}
	k.set = set
	k.employ(set.plan.Workers)
	k.frontier.SetPace(paceOf(&set.plan))
	if err := cmp.Or(k.rule(), k.limit()); err != nil {
		return err
	}
	k.quota.pause(set.paused)
	k.pass()
	k.permit()
	k.favour()
	for _, p := range k.frontier.Priorities() {
		if _, ok := set.priorities[p.Name]; !ok {
			if err := k.frontier.SetPriority(frontier.Priority{Name: p.Name}); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set.priorities)) {
		if err := k.prioritise(name); err != nil {
			return err
		}
	}
	hosts := map[string]bool{}
	for _, h := range k.frontier.Held() {
		hosts[h.Host] = true
		if said, ok := set.holds[h.Host]; ok && said.Until.Equal(h.Until) && said.Why == h.Why {
			hosts[h.Host] = false // as it is
		}
	}
	for h := range set.holds {
		if _, known := hosts[h]; !known {
			hosts[h] = true
		}
	}
	for h := range set.hours {
		hosts[h] = true
	}
	for h, differs := range hosts {
		if !differs {
			continue
		}
		if err := k.hold(h); err != nil {
			return err
		}
	}
	return nil
}

// serve takes commands from l until it is closed.
func (k *controls) serve(ctx context.Context, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // closed
		}
		k.wg.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(k.hard, func() { conn.Close() })()
			_ = conn.SetDeadline(k.clock.Now().Add(controlTime))
			line, err := bufio.NewReader(io.LimitReader(conn, MaxCommand)).ReadBytes('\n')
			if err != nil {
				return // nobody to tell
			}
			var reply Reply
			var cmd Command
			if err := json.Unmarshal(line, &cmd); err != nil {
				reply.Error = "the command cannot be read: use a kavosh of the same version"
			} else if cmd.Name == "queue" {
				k.list(ctx, conn, cmd.Queue)
				return
			} else if cmd.changes() {
				k.changeQueue(ctx, conn, cmd)
				return
			} else {
				reply = k.do(ctx, cmd)
			}
			data, err := json.Marshal(reply)
			if err == nil {
				_, _ = conn.Write(append(data, '\n'))
			}
		})
	}
}

// deaf ends the taking of commands.
func (k *controls) deaf() {
	if k.listener != nil {
		_ = k.listener.Close() // nothing hangs on it, and it may be closed already
	}
}

// close ends the taking of commands and closes control.log.
func (k *controls) close() error {
	k.deaf()
	if k.log == nil {
		return nil
	}
	return k.log.Close()
}

// controlTime is how long one command may take on the socket.
const controlTime = 30 * time.Second

// do takes one command: it is durable in control.log before it has any effect.
func (k *controls) do(ctx context.Context, cmd Command) Reply {
	k.Lock()
	defer k.Unlock()
	cmd.Time = k.clock.Now().UTC().Truncate(time.Millisecond)
	switch cmd.Name {
	case "status":
		now := k.status()
		return Reply{State: k.state(), Now: &now}
	case "why":
		lines, err := k.waiting(cmd.URLs)
		if err != nil {
			return Reply{Error: err.Error()}
		}
		return Reply{Lines: lines, State: k.state()}
	case lineDown, lineUp:
		return Reply{Error: "only the crawl itself says that"}
	}
	if ctx.Err() != nil {
		return Reply{Error: k.ending().Error()}
	}
	set := k.set.clone()
	before, after, err := set.take(&cmd)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	cmd.Before, cmd.After = before, after
	if err := k.keep(&cmd); err != nil {
		return Reply{Error: notKept(err).Error()}
	}
	k.leaveWall(&cmd)
	k.set = set
	text, err := k.enact(&cmd)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	if text == "" {
		text = after
	}
	return Reply{Text: text, State: k.state()}
}

// ending is the error for a command that comes too late.
func (k *controls) ending() error {
	return errors.New("the crawl is ending: resume it with `kavosh crawl --archive " + k.archive + " --resume`, then say it again")
}

// notKept is the error for a command that keep could not write.
func notKept(err error) error {
	return fmt.Errorf("it could not be written to control.log, so that nothing was done: %w", err)
}

// own is a command that the crawl gives itself.
func (k *controls) own(cmd Command) Command {
	cmd.Time, cmd.Who = k.clock.Now().UTC().Truncate(time.Millisecond), "kavosh"
	return cmd
}

// keepOwn writes what the crawl does by itself to control.log.
func (k *controls) keepOwn(cmd Command) error {
	k.Lock()
	defer k.Unlock()
	cmd = k.own(cmd)
	return k.keep(&cmd)
}

// keep writes a command to control.log, durably.
func (k *controls) keep(cmd *Command) error {
	if k.log == nil {
		var err error
		if k.log, err = journal.Open(k.fs, k.fs.PathJoin(k.dir, "control.log")); err != nil {
			return err
		}
	}
	data, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	k.log.Append(data)
	return k.log.Sync()
}

// enact gives a command its effect, and says more than its After where there is more to say.
func (k *controls) enact(cmd *Command) (text string, err error) {
	set := k.set
	switch cmd.Name {
	case "pause", "resume":
		k.quota.pause(set.paused)
	case "stop":
		k.halt("interrupted")
	case "workers":
		k.employ(set.plan.Workers)
	case "delay", "address-delay", "delay-factor", "host-rate", "rate":
		k.frontier.SetPace(paceOf(&set.plan))
	case "seed-limit", "host-limit", "domain-limit", "crawl-limit":
		err = k.limit()
	case "include", "exclude", "include-remove", "exclude-remove", "rules":
		err = k.rule()
	case "permit", "permit-remove":
		k.permit()
	case "hold", "release", "off-peak":
		text, err = k.hostText(cmd)
		if err == nil {
			err = k.hold(cmd.Host)
		}
		k.rouseHours()
	case "seeds", "submit", addParts:
		return k.queueSeeds(cmd, k.log.Position()), nil
	case "priority-host":
		err = k.prioritise(cmd.Host)
	case "priority-match":
		k.favour()
	case "priority":
		changes := make([]frontier.Change, len(cmd.URLs))
		for i, url := range cmd.URLs {
			changes[i] = frontier.Change{URL: url, Score: cmd.Score, Why: reason(cmd)}
		}
		n, err := k.frontier.Reprioritise(changes)
		text = fmt.Sprintf("%d of %d URLs waited and have the score %g now", n, len(changes), cmd.Score)
		if n < len(changes) {
			text += "; the others were asked for already, or are not known"
		}
		return text, err
	}
	return text, err
}

// employ lets n workers work at once, if need be all for one host whose delay is 0.
func (k *controls) employ(n int) {
	k.frontier.SetMaxPerHost(n)
	k.quota.employ(n)
}

// prioritise gives a host or a domain the priority that was set, where it has another. k is locked.
func (k *controls) prioritise(name string) error {
	p := k.set.priorities[name]
	p.Name = name // not there: none
	if slices.ContainsFunc(k.frontier.Priorities(), func(has frontier.Priority) bool { return has.Name == name && has.Add == p.Add }) {
		return nil
	}
	return k.frontier.SetPriority(p)
}

// permit lets the frontier know where robots.txt need not be obeyed. k is locked.
func (k *controls) permit() {
	everywhere, permits := k.everywhere, slices.Clone(k.set.plan.Permit)
	k.frontier.SetPermit(func(url string) string {
		for _, p := range permits {
			if p.Covers(url) {
				return p.String()
			}
		}
		return everywhere
	})
}

// favour lets the frontier know of all favours. k is locked.
func (k *controls) favour() { k.frontier.SetFavours(slices.Clone(k.set.favours)) }

// state is the state for people. k is locked.
func (k *controls) state() *Control {
	s := k.status()
	set := k.set
	pace := paceOf(&set.plan)
	return &Control{
		ID: s.ID, Paused: set.paused, Offline: s.Waiting == WaitingNetwork, Stopping: s.Stopping, Finished: s.Finished, Recorded: s.Recorded, Queued: s.Queued, InFlight: s.InFlight,
		Workers: set.plan.Workers, Delay: pace.Delay, DelaySpread: pace.Spread, AddressDelay: pace.AddressDelay, DelayFactor: pace.Factor, HostRate: pace.HostRate, Rate: pace.Rate, Include: orNone(set.plan.Include), Exclude: orNone(set.plan.Exclude), Rules: orNone(set.plan.Rule), Permits: orNone(set.plan.Permit), Limits: orNone(limitLines(&set.plan)), Limited: s.Limited, OnHold: s.OnHold,
		Alarms: orNone(s.Alarms), Held: orNone(k.frontier.Held()), Hours: orNone(set.hoursInOrder()), Priorities: orNone(set.prioritiesInOrder()),
	}
}

// orNone is list, as an empty list in JSON where there is none.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// hostText says what a command about a host does, before it is obeyed, and what is odd about it: such a name may be
// misspelt. k is locked.
func (k *controls) hostText(cmd *Command) (string, error) {
	all := k.frontier.Held()
	if cmd.Name == "release" && !slices.ContainsFunc(all, func(h frontier.Held) bool { return h.Host == cmd.Host }) {
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].Host
		}
		if len(names) == 0 {
			return cmd.Host + " was not held; no host is", nil
		}
		return cmd.Host + " was not held; held are " + strings.Join(names[:min(len(names), 20)], ", "), nil
	}
	text := cmd.Host + ": " + cmd.After
	if cmd.Name == "release" {
		return text + "; its URLs are asked for again", nil
	}
	met, err := k.frontier.Met(cmd.Host)
	if !met {
		text += "; the crawl has met no URL of " + cmd.Host + " so far: is the name spelt right?"
	}
	return text, err
}

// hold makes the frontier hold a host, or release it, by what was said of it and by its hours. k is locked.
func (k *controls) hold(host string) error {
	now := k.clock.Now()
	said, held := k.set.holds[host]
	if held && !said.Until.IsZero() && !said.Until.After(now) {
		held = false
	}
	until, why := said.Until, said.Why
	if h, ok := k.set.hours[host]; ok {
		if open, next := h.At(now); !open && (!held || !until.IsZero() && next.After(until)) {
			held, until, why = true, next, "off-peak hours "+h.String()
		}
	}
	if held {
		return k.frontier.Hold(host, until, why)
	}
	if slices.ContainsFunc(k.frontier.Held(), func(h frontier.Held) bool { return h.Host == host }) {
		return k.frontier.Release(host)
	}
	return nil
}

// keepHours holds hosts whose hours end, until ctx ends.
func (k *controls) keepHours(ctx context.Context) {
	for ctx.Err() == nil {
		k.Lock()
		wait := 24 * time.Hour
		for host, h := range k.set.hours {
			if err := k.hold(host); err != nil && !errors.Is(err, frontier.ErrClosed) {
				k.trouble(fmt.Sprintf("%s could not be held: %v", host, err))
			}
			_, next := h.At(k.clock.Now())
			wait = min(wait, max(next.Sub(k.clock.Now()), time.Second))
		}
		sleep, wake := context.WithCancel(ctx)
		k.wake = wake
		none := len(k.set.hours) == 0
		k.Unlock()
		if none {
			<-sleep.Done()
		} else {
			_ = k.clock.Sleep(sleep, wait) // either way it is time to look
		}
		wake()
	}
}

// rouseHours lets keepHours look again. k is locked.
func (k *controls) rouseHours() {
	if k.wake != nil {
		k.wake()
	}
}
