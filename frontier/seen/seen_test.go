package seen

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"kavosh/internal/disk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tiny makes everything happen after a few entries.
func tiny() settings { return settings{page: 128, ratio: 2, filters: 1 << 10, runs: 6} }

func keyOf(n int) Key {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
	return Key(sum[:16])
}

// alike makes keys that begin with the same eight bytes, as nobody meets them by chance.
func alike(n int) Key {
	var k Key
	binary.BigEndian.PutUint64(k[8:], uint64(n)*0x9e3779b97f4a7c15)
	k[3] = 7
	return k
}

// kept is what the caller of a Set keeps by itself: the entries that are not flushed, by generation, and all there are.
type kept struct {
	all   map[Key]Entry
	since map[uint64]map[Key]Entry
}

func newKept() *kept { return &kept{map[Key]Entry{}, map[uint64]map[Key]Entry{}} }

func (k *kept) clone() *kept {
	c := &kept{maps.Clone(k.all), map[uint64]map[Key]Entry{}}
	for g, es := range k.since {
		c.since[g] = maps.Clone(es)
	}
	return c
}

func (k *kept) put(generation uint64, keys []Key, entries []Entry) {
	if k.since[generation] == nil {
		k.since[generation] = map[Key]Entry{}
	}
	for i := range keys {
		k.all[keys[i]], k.since[generation][keys[i]] = entries[i], entries[i]
	}
}

func (k *kept) forget(flushed uint64) {
	maps.DeleteFunc(k.since, func(g uint64, _ map[Key]Entry) bool { return g <= flushed })
}

func (k *kept) restore(s *Set) {
	for _, g := range slices.Sorted(maps.Keys(k.since)) {
		for key, e := range k.since[g] {
			s.Restore(g, key, e)
		}
	}
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func mustOpen(t fataler, o Options, with settings, k *kept) *Set {
	t.Helper()
	s, err := open(o, with)
	if err != nil {
		t.Fatal(err)
	}
	k.restore(s)
	return s
}

func mustAdd(t fataler, s *Set, k *kept, keys []Key, entries []Entry) {
	t.Helper()
	k.put(s.Generation(), keys, entries)
	if err := s.Add(keys, entries); err != nil {
		t.Fatal(err)
	}
	k.forget(s.Flushed())
}

// check looks keys up and expects what k has.
func check(t fataler, s *Set, k *kept, keys []Key) {
	t.Helper()
	entries := make([]Entry, len(keys))
	if err := s.Get(keys, entries); err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if e != k.all[keys[i]] {
			t.Fatalf("key %x: %q, want %q", keys[i], e.Bytes(), k.all[keys[i]].data)
		}
	}
}

// TestModel does random things to a Set with tiny tables, pages and runs, and to a map, and expects the same of both.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{FS: vfs.NewCrashableMem(), Dir: "a/seen", Table: rapid.IntRange(1, 40).Draw(t, "table")}
		with := tiny()
		with.ratio = rapid.IntRange(1, 4).Draw(t, "ratio")
		with.filters = rapid.SampledFrom([]int{0, 200, 1 << 20}).Draw(t, "filters")
		k := newKept()
		s := mustOpen(t, o, with, k)
		defer func() { s.Close() }()
		keys := rapid.Custom(func(t *rapid.T) Key {
			n := rapid.IntRange(0, 400).Draw(t, "url")
			if n%5 == 0 {
				return alike(n)
			}
			return keyOf(n)
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				ks := rapid.SliceOfN(keys, 0, 60).Draw(t, "keys")
				es := make([]Entry, len(ks))
				for i := range es {
					es[i] = EntryOf(rapid.SliceOfN(rapid.Byte(), 1, MaxEntry).Draw(t, "entry"))
				}
				mustAdd(t, s, k, ks, es)
			},
			"get": func(t *rapid.T) { check(t, s, k, rapid.SliceOfN(keys, 0, 60).Draw(t, "keys")) },
			"settle": func(t *rapid.T) {
				if err := s.Settle(); err != nil {
					t.Fatal(err)
				}
				if n := due(s.mu.runs, with.ratio); n > 0 {
					t.Fatalf("%d runs are left to be merged", n)
				}
			},
			"open again": func(t *rapid.T) {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := s.Get(nil, nil); !errors.Is(err, ErrClosed) {
					t.Fatalf("closed, it answers %v", err)
				}
				s = mustOpen(t, o, with, k)
			},
			"look": func(t *rapid.T) {
				if err := s.Settle(); err != nil { // while files come and go, only the owner finds its way
					t.Fatal(err)
				}
				o := o
				o.ReadOnly = true
				r := mustOpen(t, o, with, k)
				check(t, r, k, slices.Collect(maps.Keys(k.all)))
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
			},
		})
		check(t, s, k, slices.Collect(maps.Keys(k.all)))
	})
}

// Readers that run beside adding, flushing and merging find all that was added before they began.
func TestConcurrent(t *testing.T) {
	const n, group = 20_000, 50
	k := newKept()
	s := mustOpen(t, Options{FS: vfs.NewMem(), Dir: "seen", Table: 200}, tiny(), k)
	var added struct {
		sync.Mutex
		n int
	}
	var readers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(r), 1))
			keys, entries := make([]Key, 300), make([]Entry, 300)
			for done := 0; done < n; {
				added.Lock()
				done = added.n
				added.Unlock()
				for i := range keys {
					keys[i] = keyOf(rng.IntN(2 * n))
				}
				keys[0] = keyOf(max(done-1, 0))
				if err := s.Get(keys, entries); err != nil {
					t.Error(err)
					return
				}
				if done > 0 && !entries[0].Met() {
					t.Errorf("URL %d was added and is not known", done-1)
					return
				}
			}
		})
	}
	for i := 0; i < n; i += group {
		var keys []Key
		var entries []Entry
		for j := range group {
			keys, entries = append(keys, keyOf(i+j)), append(entries, EntryOf(fmt.Append(nil, i+j)))
		}
		mustAdd(t, s, k, keys, entries)
		added.Lock()
		added.n = i + group
		added.Unlock()
	}
	readers.Wait()
	check(t, s, k, slices.Collect(maps.Keys(k.all)))
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if m := s.Metrics(); m.Runs > 12 || m.Entries+int64(m.Table) < n {
		t.Errorf("after merging: %+v", m)
	}
	files, err := s.o.FS.List("seen")
	if err != nil || len(files) != s.Metrics().Runs+1 {
		t.Errorf("files left: %v, %v, %+v", files, err, s.Metrics())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// crasher takes a picture of the disk as a power cut would leave it, before one of the writes.
type crasher struct {
	mem *vfs.MemFS
	rng *rand.Rand

	mu     sync.Mutex
	left   int // writes until the cut
	owed   *kept
	picked *vfs.MemFS
	at     *kept // owed when it was cut
}

func (c *crasher) String() string { return "crasher" }

func (c *crasher) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.at = c.owed.clone()
		c.picked = c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.rng.IntN(101), RNG: rand.New(rand.NewPCG(c.rng.Uint64(), 1))})
	}
	return nil
}

// TestCrash cuts the power before a random write, time and again. What the caller kept and what the runs have make all
// that was ever added, and what the caller forgot, because it was flushed, is in the runs.
func TestCrash(t *testing.T) {
	const cuts = 120
	rng := rand.New(rand.NewPCG(1, 2))
	mem, owed := vfs.NewCrashableMem(), newKept()
	flushed := uint64(0)
	for cut := range cuts {
		c := &crasher{mem: mem, rng: rand.New(rand.NewPCG(rng.Uint64(), 3)), owed: owed, left: 1 + rng.IntN(60)}
		s := mustOpen(t, Options{FS: errorfs.Wrap(mem, c), Dir: "a/seen", Table: 30}, tiny(), owed)
		if s.Flushed() < flushed {
			t.Fatalf("cut %d: flushed up to %d, and it was %d", cut, s.Flushed(), flushed)
		}
		check(t, s, owed, slices.Collect(maps.Keys(owed.all)))
		for cutYet := false; !cutYet; {
			var keys []Key
			var entries []Entry
			for range 1 + rng.IntN(20) {
				keys = append(keys, keyOf(rng.IntN(3000)))
				entries = append(entries, EntryOf(fmt.Append(nil, cut, rng.IntN(1e6))))
			}
			c.mu.Lock()
			c.owed.put(s.Generation(), keys, entries)
			c.mu.Unlock()
			if err := s.Add(keys, entries); err != nil {
				t.Fatal(err)
			}
			c.mu.Lock()
			c.owed.forget(s.Flushed())
			cutYet = c.picked != nil
			c.mu.Unlock()
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		mem, owed = c.picked, c.at
	}
	if len(owed.all) < 1500 {
		t.Errorf("%d URLs after %d cuts: too few to prove anything", len(owed.all), cuts)
	}
}

// A disk that fails from some write on is an error of a later call, and nothing that was added is lost.
func TestBrokenDisk(t *testing.T) {
	for at := range 60 {
		mem := vfs.NewMem()
		var mu sync.Mutex
		left := at + 20
		o := Options{FS: errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose {
				if left--; left < 0 {
					return errors.New("the disk is broken")
				}
			}
			return nil
		})), Dir: "seen", Table: 10}
		k := newKept()
		s := mustOpen(t, o, tiny(), k)
		var err error
		for n := 0; err == nil && n < 10_000; n++ {
			keys, entries := []Key{keyOf(n)}, []Entry{EntryOf([]byte{1})}
			k.put(s.Generation(), keys, entries)
			err = s.Add(keys, entries)
			k.forget(s.Flushed())
		}
		if err == nil || !strings.Contains(err.Error(), "broken") {
			t.Fatalf("break after %d writes: %v", at, err)
		}
		if err := s.Settle(); err == nil {
			t.Error("a failed Set settles")
		}
		if err := s.Close(); err == nil {
			t.Error("a failed Set closes and says nothing")
		}
		s = mustOpen(t, Options{FS: mem, Dir: "seen", Table: 10}, tiny(), k)
		check(t, s, k, slices.Collect(maps.Keys(k.all)))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCorrupt changes each byte of the files in turn: every look-up is right or an error that names the file.
func TestCorrupt(t *testing.T) {
	mem := vfs.NewMem()
	o := Options{FS: mem, Dir: "seen", Table: 40}
	k := newKept()
	s := mustOpen(t, o, tiny(), k)
	for n := range 100 {
		mustAdd(t, s, k, []Key{keyOf(n)}, []Entry{EntryOf(fmt.Append(nil, n))})
	}
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	keys := slices.Collect(maps.Keys(k.all))
	files, err := mem.List("seen")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	o.ReadOnly = true
	for _, name := range files {
		path := "seen/" + name
		data, err := disk.ReadFile(mem, path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			bad := slices.Clone(data)
			bad[i] ^= 0x41
			if err := disk.WriteFile(mem, path, bad); err != nil {
				t.Fatal(err)
			}
			s, err := open(o, tiny())
			if err == nil {
				k.restore(s)
				entries := make([]Entry, len(keys))
				err = s.Get(keys, entries)
				s.Close()
			}
			if err == nil {
				t.Fatalf("byte %d of %s was changed, and nobody noticed", i, name)
			}
			if !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d of %s was changed: %v", i, name, err)
			}
		}
		if err := disk.WriteFile(mem, path, data); err != nil {
			t.Fatal(err)
		}
	}
}

// Runs whose MANIFEST is gone are not taken for an empty Set.
func TestManifestMissing(t *testing.T) {
	mem := vfs.NewMem()
	o := Options{FS: mem, Dir: "seen", Table: 1}
	k := newKept()
	s := mustOpen(t, o, tiny(), k)
	mustAdd(t, s, k, []Key{keyOf(1)}, []Entry{EntryOf([]byte{1})})
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := mem.Remove("seen/" + manifestName); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(o); err == nil || !strings.Contains(err.Error(), "seen/"+manifestName) {
		t.Fatalf("%v, %v", s, err)
	}
	if files, err := mem.List("seen"); err != nil || len(files) != 1 {
		t.Errorf("left: %v, %v", files, err)
	}
}

// Looking up allocates nothing for a small batch, and next to nothing for a large one, whatever has to be read.
func TestGetAllocations(t *testing.T) {
	k := newKept()
	s := mustOpen(t, Options{FS: vfs.Default, Dir: t.TempDir(), Table: 20_000}, defaults(), k)
	defer s.Close()
	const n = 100_000
	keys, entries := make([]Key, n), make([]Entry, n)
	for i := range n {
		keys[i], entries[i] = keyOf(i), EntryOf([]byte{byte(i)})
	}
	for i := 0; i < n; i += 1000 {
		if err := s.Add(keys[i:i+1000], entries[i:i+1000]); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	if m := s.Metrics(); m.Runs < 2 {
		t.Fatalf("%+v: too few runs to prove anything", m)
	}
	for _, tt := range []struct{ size, most int }{{100, 0}, {10_000, 60}} {
		if got := testing.AllocsPerRun(20, func() {
			if err := s.Get(keys[:tt.size], entries); err != nil {
				t.Fatal(err)
			}
		}); got > float64(tt.most) {
			t.Errorf("%d look-ups allocate %v times, want at most %d", tt.size, got, tt.most)
		}
	}
}

// Keys made to begin alike make the table crowded, and it is flushed before its time instead of growing slow.
func TestCrowded(t *testing.T) {
	k := newKept()
	s := mustOpen(t, Options{FS: vfs.NewMem(), Dir: "seen"}, defaults(), k)
	defer s.Close()
	var all []Key
	one := EntryOf([]byte{1})
	for n := 0; n < 3*longProbe; n += 4 {
		all = append(all, alike(n), alike(n+1), alike(n+2), alike(n+3))
		mustAdd(t, s, k, all[n:], []Entry{one, one, one, one})
	}
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if m := s.Metrics(); m.Runs == 0 || m.Table > 2*longProbe {
		t.Errorf("%+v", m)
	}
	check(t, s, k, all)
	check(t, s, k, []Key{alike(-1), keyOf(1)})
}

// TestAddEarly adds many times what the table holds before the caller has made it durable: nothing of it is in a run, and
// a crash leaves nothing of it, until the next Add ends the generation.
func TestAddEarly(t *testing.T) {
	o := Options{FS: vfs.NewCrashableMem(), Dir: "seen", Table: 10}
	s := mustOpen(t, o, tiny(), newKept())
	defer func() { s.Close() }()
	one := EntryOf([]byte("1"))
	for n := range 100 {
		if err := s.AddEarly([]Key{keyOf(n)}, []Entry{one}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if m := s.Metrics(); s.Generation() != 1 || s.Flushed() != 0 || m.Runs != 0 || m.Table != 100 {
		t.Errorf("generation %d, %d flushed, %+v", s.Generation(), s.Flushed(), m)
	}
	var e [1]Entry
	if err := s.Get([]Key{keyOf(99)}, e[:]); err != nil || e[0] != one {
		t.Errorf("%q, %v", e[0].Bytes(), err)
	}
	if err := s.Add([]Key{keyOf(100)}, []Entry{one}); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	if m := s.Metrics(); s.Generation() != 2 || s.Flushed() != 1 || m.Entries != 101 {
		t.Errorf("after Add: generation %d, %d flushed, %+v", s.Generation(), s.Flushed(), m)
	}
}

// TestReplaced replaces entries by shorter and longer ones in turn: the table does not grow by it.
func TestReplaced(t *testing.T) {
	tab := newTable()
	for n := range 100_000 {
		key := keyOf(n % 10)
		tab.put(&key, make([]byte, 1+n/10%2*(MaxEntry-1)))
	}
	if len(tab.chunks) > 1 {
		t.Errorf("10 entries take %d bytes", tab.end)
	}
	for n := range 10 {
		key := keyOf(n)
		hi, _ := key.halves()
		if v := tab.find(&key, hi); len(v) != MaxEntry {
			t.Errorf("entry %d has %d bytes", n, len(v))
		}
	}
}
