package frontier

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"kavosh/frontier/scope"
)

// This file keeps what people add to the scores of a host or a domain, and moves what waits there.

// Priority lets the URLs of a host or a domain come sooner or later than their scores say: URLs that are queued
// already, and URLs to come.
type Priority struct {
	Name  string  // a host as in a URL, without a port; with a dot before it (".example.org"), that host and all below it
	Add   float64 // added to the score of each of its URLs when hosts are compared; may be negative, not infinite
	Since time.Time
	Why   string
}

// priorities are by name. If several names match a host, the longest one counts: its own name before all.
type priorities map[string]Priority

// add returns what is added to the scores of a host.
func (p priorities) add(host string) float64 {
	if len(p) == 0 {
		return 0
	}
	if of, ok := p[host]; ok {
		return of.Add
	}
	for rest, found := host, true; found; _, rest, found = strings.Cut(rest, ".") {
		if of, ok := p["."+rest]; ok {
			return of.Add
		}
	}
	return 0
}

// SetPriority gives a host or a domain a priority, which is durable when it returns. An Add of 0 takes the priority
// away. A new priority replaces an old one of the same name. SetPriority sets Since. For a host it costs three small
// writes, however much is queued. For a domain it costs as much for each of its hosts with something queued. It also
// reads the names of all hosts on disk that have something queued, and Apply waits meanwhile: a few seconds for ten
// million hosts.
func (f *Frontier) SetPriority(p Priority) error {
	domain := strings.HasPrefix(p.Name, ".")
	if !isHost(strings.TrimPrefix(p.Name, ".")) {
		return fmt.Errorf("frontier: priority of %q: it is no host name; write it as in a URL, without scheme and port, with a dot before it for a domain", p.Name)
	}
	if math.IsNaN(p.Add) || math.IsInf(p.Add, 0) {
		return fmt.Errorf("frontier: priority of %s: %v is no number to be added to a score", p.Name, p.Add)
	}
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	p.Since = f.clock.Now()
	all := maps.Clone(f.priorities)
	b, err := f.known.begin()
	if err != nil {
		return err
	}
	if key := stringKey(tagPriority, p.Name); p.Add == 0 {
		delete(all, p.Name)
		err = b.Delete(key, nil)
	} else {
		all[p.Name] = p
		err = b.Set(key, p.append(nil), nil)
	}
	names := []string{p.Name}
	if err == nil && domain {
		names, err = f.db.inLine(p.Name)
	}
	ss := standings{f: f}
	if err == nil {
		err = ss.find(names)
	}
	for _, c := range ss.all {
		c.now.add = all.add(c.name)
	}
	if err == nil {
		_, err = ss.write(b)
	}
	if err == nil {
		err = f.known.commit(b)
	}
	if err != nil {
		f.fail(err)
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.priorities = all
	ss.learn()
	now := f.clock.now()
	for _, name := range slices.Sorted(maps.Keys(f.mu.bench.hosts)) {
		if h := f.mu.bench.hosts[name]; h != nil && (name == p.Name || domain && below(name, p.Name)) {
			h.onDisk.add = all.add(name)
			h.arrange(now)
		}
	}
	f.wakeNext()
	return nil
}

// below reports whether host is in the domain name, which begins with a dot.
func below(host, name string) bool { return strings.HasSuffix(host, name) || host == name[1:] }

// inLine returns the hosts of a domain that have something queued: those in the two lines on disk (standing.go).
func (d *database) inLine(domain string) (names []string, err error) {
	for _, tag := range [...]byte{tagReady, tagWaiting} {
		err := d.each([]byte{tag}, []byte{tag + 1}, "the line", func(key, _ []byte) (bool, error) {
			if !bytes.HasSuffix(key, []byte(domain[1:])) {
				return true, nil
			}
			name, _, _, err := parseLine(key)
			if err == nil && below(name, domain) {
				names = append(names, name)
			}
			return true, err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Priorities returns every priority that is set, sorted by name.
func (f *Frontier) Priorities() []Priority {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Priority
	for _, name := range slices.Sorted(maps.Keys(f.priorities)) {
		all = append(all, f.priorities[name])
	}
	return all
}

// load reads the priorities of an earlier run.
func (p priorities) load(db *database) error {
	return db.each([]byte{tagPriority}, []byte{tagPriority + 1}, "the priorities", func(key, value []byte) (bool, error) {
		of, err := parsePriority(string(key[1:]), value)
		if err != nil {
			return false, corrupt(key, err)
		}
		p[of.Name] = of
		return true, nil
	})
}

// isHost reports whether name is the name of a host, written as in a URL.
func isHost(name string) bool {
	p, ok := scope.Split("http://" + name + "/")
	return ok && p.Name == name
}

const priorityVersion = 1

func (p *Priority) append(b []byte) []byte {
	b = appendTime(append(b, priorityVersion), p.Since)
	b = appendString(b, p.Why)
	return appendFloat(b, p.Add)
}

func parsePriority(name string, v []byte) (Priority, error) {
	if len(v) < 1 || v[0] != priorityVersion {
		return Priority{}, errVersion
	}
	d := decoder{b: v[1:]}
	p := Priority{Name: name, Since: d.time(), Why: d.string(), Add: d.float()}
	if p.Add == 0 || math.IsNaN(p.Add) || math.IsInf(p.Add, 0) {
		return p, errMalformed
	}
	return p, d.end()
}
