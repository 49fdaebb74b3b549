package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
)

// model is the frontier as a child would write it: a list of tasks that is searched for the best one.
type model struct {
	state  map[string]State
	tasks  []kavosh.Task // queued, not leased
	leases map[string]*Lease
	held   map[string]bool
	add    priorities
	budget int // of a host in a round, 0 for none
	shared int // of a domain
	round  uint32
	used   map[string]int // by host and by domain: pages of this round, and what was too many

	deferred []string // URLs that wait for an hour
}

func hostName(url string) string {
	p, _ := scope.Split(url)
	return p.Name
}

// budgets are what pays for a host: its own budget and its domain's.
func (m *model) budgets(host string) map[string]int {
	budgets := map[string]int{}
	if m.budget > 0 {
		budgets[host] = m.budget
	}
	if m.shared > 0 {
		budgets[host[strings.IndexByte(host, '.'):]] = m.shared
	}
	return budgets
}

// spent says that a host must wait for the next round.
func (m *model) spent(host string) bool {
	for name, budget := range m.budgets(host) {
		out := 0
		for url := range m.leases {
			if h := hostName(url); strings.HasSuffix(h, name) {
				out++
			}
		}
		if m.used[name]+out >= budget {
			return true
		}
	}
	return false
}

func (m *model) spend(host string) {
	for name := range m.budgets(host) {
		m.used[name]++
	}
}

// roundOver says that all that could come is beyond a budget.
func (m *model) roundOver() bool {
	waits := slices.ContainsFunc(m.tasks, func(t kavosh.Task) bool { return !m.held[hostName(t.URL)] })
	_, left := m.best("")
	return waits && !left && len(m.leases) == 0
}

func (m *model) newRound() {
	m.round++
	for name, n := range m.used {
		budget := m.budget
		if name[0] == '.' {
			budget = m.shared
		}
		m.used[name] = max(n-budget, 0)
	}
}

// best is the task that comes next, of one host or of all.
func (m *model) best(host string) (kavosh.Task, bool) {
	tasks := slices.DeleteFunc(slices.Clone(m.tasks), func(t kavosh.Task) bool {
		h := hostName(t.URL)
		return m.held[h] || host != "" && h != host || m.spent(h)
	})
	if len(tasks) == 0 {
		return kavosh.Task{}, false
	}
	raised := func(t *kavosh.Task) rank { return rankOf(t).raised(m.add.add(hostName(t.URL))) }
	return slices.MinFunc(tasks, func(a, b kavosh.Task) int {
		if raised(&a).less(raised(&b)) {
			return -1
		}
		return 1
	}), true
}

func (m *model) drop(url string) {
	m.tasks = slices.DeleteFunc(m.tasks, func(t kavosh.Task) bool { return t.URL == url })
}

// TestModel does random things to a frontier and to the model, restarts included, and expects the same of both: the
// same URL next, the same results and the same counts. With a workbench smaller than the number of hosts, hosts enter and
// leave memory all the time; then the best of all hosts comes next unless one with leases keeps its place. Hosts that
// leave while the rest of their domain's budget is under way wait for the next round even if some of it is given back, so
// that then only the budgets are sure, and the order within a host.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		scores := map[string]float64{}
		options := Options{
			FS: fs, Dir: "f", MaxPerHost: 1 << 20, QueryBudget: -1, seenTable: 30, Workbench: rapid.IntRange(0, 3).Draw(t, "workbench"),
			HostBudget: rapid.IntRange(0, 4).Draw(t, "host budget"), DomainBudget: rapid.IntRange(0, 6).Draw(t, "domain budget"),
			Order: order.Func(func(c *order.Candidate) (float64, string) { return scores[c.Link.URL], "drawn" }),
		}
		f, err := Open(options)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { f.Close() }()
		const hosts = 5
		for h := range hosts {
			origin := fmt.Sprintf("http://h%d.d%d.test", h, h%2)
			mustApply(t, f, Update{
				Task:   kavosh.Task{URL: origin + "/robots.txt", Kind: kavosh.Prerequisite},
				Robots: &Robots{Origin: origin, Status: 404},
			})
		}
		m := &model{
			state: map[string]State{}, leases: map[string]*Lease{}, held: map[string]bool{}, add: priorities{},
			budget: options.HostBudget, shared: options.DomainBudget, used: map[string]int{},
		}
		urls := rapid.Custom(func(t *rapid.T) string {
			h := rapid.IntRange(0, hosts-1).Draw(t, "host")
			return fmt.Sprintf("http://h%d.d%d.test/%d", h, h%2, rapid.IntRange(0, 200).Draw(t, "page"))
		})
		t.Repeat(map[string]func(*rapid.T){
			"offer": func(t *rapid.T) {
				var u Update
				var fresh []int
				for i, url := range rapid.SliceOfN(urls, 0, 120).Draw(t, "links") {
					if _, ok := scores[url]; !ok {
						scores[url] = float64(rapid.IntRange(-3, 3).Draw(t, "score"))
					}
					kind := rapid.SampledFrom([]kavosh.Kind{kavosh.Navigation, kavosh.Embed, kavosh.Speculative}).Draw(t, "kind")
					u.Links = append(u.Links, kavosh.Link{URL: url, Kind: kind})
					if s := m.state[url]; s == "" || s == Rejected {
						m.state[url] = Waiting
						fresh = append(fresh, i)
					}
				}
				r := mustApply(t, f, u)[0]
				var got []int
				for _, q := range r.Queued {
					got = append(got, q.Link)
					l := u.Links[q.Link]
					m.tasks = append(m.tasks, kavosh.Task{URL: l.URL, Kind: l.Kind, Score: q.Score, ID: q.ID})
				}
				if !slices.Equal(got, fresh) {
					t.Fatalf("links queued: %v, want %v", got, fresh)
				}
			},
			"reject": func(t *rapid.T) {
				var fresh []int
				rejected := rapid.SliceOfN(urls, 0, 5).Draw(t, "rejected")
				for i, url := range rejected {
					if m.state[url] == "" {
						m.state[url] = Rejected
						fresh = append(fresh, i)
					}
				}
				if r := mustApply(t, f, Update{Rejected: rejected})[0]; !slices.Equal(r.Rejected, fresh) {
					t.Fatalf("new rejections: %v, want %v", r.Rejected, fresh)
				}
			},
			"lease": func(t *rapid.T) {
				lenient := options.Workbench > 0 && options.DomainBudget > 0
				for range rapid.IntRange(1, 40).Draw(t, "times") {
					for !lenient && m.roundOver() {
						m.newRound()
					}
					want, ok := m.best("")
					ok = ok || m.roundOver()
					if !ok && len(m.leases)+len(m.deferred)+len(m.tasks) > 0 {
						return // Next would wait
					}
					patience := 3 * time.Second
					if lenient && len(m.leases) > 0 {
						patience = time.Millisecond // it may have to wait
					}
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					l, err := f.Next(ctx)
					cancel()
					if lenient && errors.Is(err, context.DeadlineExceeded) && len(m.leases) > 0 {
						return
					}
					for lenient && m.round < f.mu.sums.round {
						m.newRound()
					}
					if !ok {
						if !errors.Is(err, io.EOF) {
							t.Fatalf("Next with nothing queued: %v, %v", l, err)
						}
						return
					}
					if err == nil && (options.Workbench > 0 && len(m.leases) > 0 || lenient) {
						want, _ = m.best(l.host.name) // nothing when it has spent its budget
					}
					if err != nil || l.Task.URL != want.URL || l.Task.ID != want.ID || l.Task.Kind != want.Kind || l.Task.Score != want.Score {
						t.Fatalf("next is %+v, %v, want %+v", l, err, want)
					}
					m.drop(want.URL)
					m.leases[want.URL] = l
				}
			},
			"later": func(t *rapid.T) {
				for _, url := range some(t, m.leases) {
					l := m.leases[url]
					l.Later(0)
					m.tasks = append(m.tasks, l.Task)
					delete(m.leases, url)
				}
			},
			"finish": func(t *rapid.T) {
				var us []Update
				for _, url := range some(t, m.leases) {
					l := m.leases[url]
					l.Answered(Answer{Status: 200})
					us = append(us, Update{Task: l.Task, Bytes: 7})
					m.state[url] = Done
					m.spend(hostName(url))
					delete(m.leases, url)
				}
				for _, r := range mustApply(t, f, us...) {
					if r.Known {
						t.Fatal("a task that was finished once counts as known")
					}
				}
				for _, r := range mustApply(t, f, us...) {
					if !r.Known {
						t.Fatal("a task that was finished twice does not count as known")
					}
				}
			},
			"finish one that was never leased": func(t *rapid.T) { // as when a crash came between records and frontier
				if len(m.tasks) == 0 {
					return
				}
				task := rapid.SampledFrom(m.tasks).Draw(t, "task")
				mustApply(t, f, Update{Task: task})
				m.state[task.URL] = Done
				m.spend(hostName(task.URL))
				m.drop(task.URL)
			},
			"again": func(t *rapid.T) {
				for _, url := range some(t, m.leases) {
					l := m.leases[url]
					l.Answered(Answer{Status: 200})
					mustApply(t, f, Update{Task: l.Task, Retry: time.Now().Add(time.Hour)})
					task, queued, err := f.Task(url, false)
					if !queued || err != nil || task.Attempt != l.Task.Attempt+1 {
						t.Fatalf("task to be asked again: %+v, %v, %v", task, queued, err)
					}
					m.spend(hostName(url))
					delete(m.leases, url)
					m.deferred = append(m.deferred, url)
				}
			},
			"hold": func(t *rapid.T) {
				h := rapid.IntRange(0, hosts-1).Draw(t, "host")
				host := fmt.Sprintf("h%d.d%d.test", h, h%2)
				m.held[host] = !m.held[host]
				err := f.Release(host)
				if m.held[host] {
					err = f.Hold(host, time.Time{}, "drawn")
				}
				if err != nil {
					t.Fatal(err)
				}
			},
			"priority": func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"h0.d0.test", "h1.d1.test", "h3.d1.test", ".d0.test", ".d1.test", ".h2.d0.test", ".test"}).Draw(t, "name")
				p := Priority{Name: name, Add: float64(rapid.IntRange(-4, 4).Draw(t, "add"))}
				if err := f.SetPriority(p); err != nil {
					t.Fatal(err)
				}
				if m.add[name] = p; p.Add == 0 {
					delete(m.add, name)
				}
				if got := f.Priorities(); len(got) != len(m.add) {
					t.Fatalf("priorities: %v, want %v", got, m.add)
				}
			},
			"reprioritise": func(t *rapid.T) {
				var changes []Change
				for _, url := range rapid.SliceOfN(urls, 0, 40).Draw(t, "changes") {
					changes = append(changes, Change{URL: url, Score: float64(rapid.IntRange(-4, 4).Draw(t, "score"))})
				}
				changed := map[string]bool{}
				for _, c := range changes {
					for i := range m.tasks {
						if m.tasks[i].URL == c.URL {
							m.tasks[i].Score = c.Score
							changed[c.URL] = true
						}
					}
				}
				for _, url := range m.deferred {
					for _, c := range changes {
						if c.URL == url {
							changed[url] = true
						}
					}
				}
				if n, err := f.Reprioritise(changes); n != len(changed) || err != nil {
					t.Fatalf("%d changed, %v, want %d", n, err, len(changed))
				}
			},
			"restart": func(t *rapid.T) {
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				if f, err = Open(options); err != nil {
					t.Fatal(err)
				}
				for url, l := range m.leases {
					m.tasks = append(m.tasks, l.Task)
					delete(m.leases, url)
				}
			},
			"": func(t *rapid.T) {
				n := map[State]int64{}
				for _, s := range m.state {
					n[s]++
				}
				s := f.Stats()
				if s.Queued != n[Waiting] || s.Finished != n[Done] || s.Rejected != n[Rejected] || s.Known != s.Queued+s.Finished || s.Leased != len(m.leases) {
					t.Fatalf("counts: %+v, want %v and %d leases", s, n, len(m.leases))
				}
				url := urls.Draw(t, "any")
				want := m.state[url]
				if want == "" {
					want = Unseen
				}
				if got, err := f.State(url, false); got != want || err != nil {
					t.Fatalf("%s is %s, %v, want %s", url, got, err, want)
				}
			},
		})
	})
}

// some draws a few keys.
func some[V any](t *rapid.T, m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	n := rapid.IntRange(1, min(len(keys), 10)).Draw(t, "few")
	return keys[:n]
}

func mustApply(t *rapid.T, f *Frontier, us ...Update) []Result {
	t.Helper()
	rs, err := f.Apply(us, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}
