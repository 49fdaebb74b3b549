package seen

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// What BenchmarkSeen may be told after the package's name.
var (
	urls  = flag.Int("urls", 1_000_000, "URLs of BenchmarkSeen")
	pages = flag.Int("page", defaults().page, "bytes of a page")
	ratio = flag.Int("ratio", defaults().ratio, "a run has at least so many times as many entries as all newer ones")
	plain = flag.Bool("plain", false, "no filters")
)

// BenchmarkSeen adds URLs in groups, each looked up before, then looks up such as are known and such as are not, and
// prints the processor time of each, flushing, merging and compacting included, beside the same with Pebble alone:
//
//	go test -run '^$' -bench Seen -benchtime 1x ./frontier/seen -urls 10000000
func BenchmarkSeen(b *testing.B) {
	b.Run("set", func(b *testing.B) { benchmarkSeen(b, newBenchSet) })
	b.Run("pebble", func(b *testing.B) { benchmarkSeen(b, newBenchPebble) })
}

// store is what is measured.
type store interface {
	get(keys []Key, entries []Entry) error
	add(keys []Key, entries []Entry) error
	settle() error
	bytes() int64
	written() int64
	Close() error
}

func benchmarkSeen(b *testing.B, create func(b *testing.B) store) {
	const group = 5_000
	for b.Loop() {
		s := create(b)
		rng := rand.New(rand.NewPCG(1, 2))
		keys, entries := make([]Key, group), make([]Entry, group)
		draw := func(from, n int) {
			for i := range keys {
				binary.BigEndian.PutUint64(keys[i][:], mix(uint64(from+n*i)))
				binary.BigEndian.PutUint64(keys[i][8:], mix(uint64(from+n*i)+1<<40))
			}
			slices.SortFunc(keys, func(a, b Key) int { return slices.Compare(a[:], b[:]) })
		}
		value := EntryOf([]byte("queued, at"))
		var out = make([]Entry, group)
		for i := range entries {
			entries[i] = value
		}
		phase := func(name string, rounds int, do func(i int) error) {
			begun, start := time.Now(), cpu(b)
			var drawing time.Duration
			for i := range rounds {
				from := cpu(b)
				draw(i*group, 1)
				if name == "known" {
					for j := range keys {
						n := rng.IntN(*urls)
						binary.BigEndian.PutUint64(keys[j][:], mix(uint64(n)))
						binary.BigEndian.PutUint64(keys[j][8:], mix(uint64(n)+1<<40))
					}
					slices.SortFunc(keys, func(a, b Key) int { return slices.Compare(a[:], b[:]) })
				} else if name == "new" {
					draw(1<<41+i*group, 1)
				}
				drawing += cpu(b) - from
				if err := do(i); err != nil {
					b.Fatal(err)
				}
			}
			if name == "add" {
				if err := s.settle(); err != nil {
					b.Fatal(err)
				}
			}
			n := float64(rounds * group)
			b.ReportMetric(float64(cpu(b)-start-drawing)/n, name+"-cpu-ns")
			b.ReportMetric(float64(time.Since(begun)-drawing)/n, name+"-wall-ns")
		}
		phase("add", *urls/group, func(int) error {
			if err := s.get(keys, out); err != nil {
				return err
			}
			return s.add(keys, entries)
		})
		rounds := min(*urls, 2_000_000) / group
		phase("known", rounds, func(int) error {
			err := s.get(keys, out)
			if err == nil && !out[7].Met() {
				err = errors.New("a URL that was added is not known")
			}
			return err
		})
		phase("new", rounds, func(int) error {
			err := s.get(keys, out)
			if err == nil && out[7].Met() {
				err = errors.New("a URL that was not added is known")
			}
			return err
		})
		b.ReportMetric(float64(s.bytes())/float64(*urls), "disk-B/URL")
		b.ReportMetric(float64(s.written())/float64(max(s.bytes(), 1)), "written-x")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MB")
		b.ReportMetric(0, "ns/op")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// mix is SplitMix64's, so that numbers look like hashes.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// cpu is the processor time that the process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type benchSet struct{ *Set }

func newBenchSet(b *testing.B) store {
	with := defaults()
	with.page, with.ratio = *pages, *ratio
	if *plain {
		with.filters = 0
	}
	s, err := open(Options{Dir: b.TempDir()}, with)
	if err != nil {
		b.Fatal(err)
	}
	return benchSet{s}
}

func (s benchSet) get(keys []Key, entries []Entry) error { return s.Get(keys, entries) }
func (s benchSet) add(keys []Key, entries []Entry) error { return s.Add(keys, entries) }
func (s benchSet) settle() error                         { return s.Settle() }
func (s benchSet) bytes() int64                          { return s.Metrics().Bytes }
func (s benchSet) written() int64                        { return s.Metrics().Written }

type benchPebble struct{ *pebble.DB }

func newBenchPebble(b *testing.B) store {
	opts := &pebble.Options{
		FS: vfs.Default, CacheSize: 32 << 20, MemTableSize: 32 << 20, MemTableStopWritesThreshold: 4,
		L0CompactionThreshold: 4, Logger: quiet{}, FormatMajorVersion: pebble.FormatNewest,
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	return benchPebble{db}
}

func (s benchPebble) get(keys []Key, entries []Entry) error {
	for i := range keys {
		v, closer, err := s.DB.Get(keys[i][:])
		if errors.Is(err, pebble.ErrNotFound) {
			entries[i] = Entry{}
			continue
		}
		if err != nil {
			return err
		}
		entries[i] = EntryOf(v)
		if err := closer.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s benchPebble) add(keys []Key, entries []Entry) error {
	b := s.NewBatch()
	for i := range keys {
		if err := b.Set(keys[i][:], entries[i].Bytes(), nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// settle waits until compacting has begun nothing new for a while.
func (s benchPebble) settle() error {
	if err := s.Flush(); err != nil {
		return err
	}
	for idle := 0; idle < 20; idle++ {
		if s.DB.Metrics().Compact.NumInProgress > 0 {
			idle = 0
		}
		<-time.After(10 * time.Millisecond)
	}
	return nil
}

func (s benchPebble) bytes() int64 { return int64(s.DB.Metrics().DiskSpaceUsage()) }

// written is without the log.
func (s benchPebble) written() int64 {
	m := s.DB.Metrics()
	total := m.Total()
	return int64(total.TableBytesFlushed + total.TableBytesCompacted)
}

type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// BenchmarkMerge merges four runs of 250,000 entries and prints the time an entry.
func BenchmarkMerge(b *testing.B) {
	const runs, each = 4, 250_000
	for b.Loop() {
		b.StopTimer()
		with := defaults()
		with.ratio = 0 // merging is never due
		s, err := open(Options{Dir: b.TempDir(), Table: each}, with)
		if err != nil {
			b.Fatal(err)
		}
		for n := range runs * each {
			var k Key
			binary.BigEndian.PutUint64(k[:], mix(uint64(n)))
			if err := s.Add([]Key{k}, []Entry{EntryOf([]byte("queued, at"))}); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Settle(); err != nil {
			b.Fatal(err)
		}
		old := s.mu.runs
		var entries int64
		for _, r := range old {
			entries += r.records
		}
		start := cpu(b)
		b.StartTimer()
		if err := s.merge(old); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(cpu(b)-start)/float64(entries), "cpu-ns/entry")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
