package engine

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/record"
)

// damages are what happens to a file.
var damages = map[string]func(rng *rand.Rand, data []byte) []byte{
	"flip": func(rng *rand.Rand, data []byte) []byte {
		data = bytes.Clone(data)
		if len(data) > 0 {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		return data
	},
	"cut":   func(rng *rand.Rand, data []byte) []byte { return data[:rng.IntN(len(data)+1)] },
	"empty": func(*rand.Rand, []byte) []byte { return []byte{} },
	"zero": func(rng *rand.Rand, data []byte) []byte {
		data = bytes.Clone(data)
		from := rng.IntN(len(data) + 1)
		clear(data[from:min(len(data), from+1+rng.IntN(4096))])
		return data
	},
	"garbage": func(rng *rand.Rand, data []byte) []byte {
		data = bytes.Clone(data)
		from := rng.IntN(len(data) + 1)
		for i := from; i < min(len(data), from+1+rng.IntN(512)); i++ {
			data[i] = byte(rng.Uint32())
		}
		return data
	},
	"more": func(rng *rand.Rand, data []byte) []byte { return append(bytes.Clone(data), "\x00\xffgarbage\n"...) },
	"twice": func(rng *rand.Rand, data []byte) []byte {
		from := rng.IntN(len(data) + 1)
		to := from + rng.IntN(len(data)-from+1)
		return slices.Concat(data[:to], data[from:to], data[to:])
	},
	"missing": func(*rand.Rand, []byte) []byte { return nil },
}

// files are all files below dir.
func files(t testing.TB, fs vfs.FS, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		name := path.Join(dir, n)
		if info, err := fs.Stat(name); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			for n, data := range files(t, fs, name) {
				all[n] = data
			}
		} else if all[name], err = disk.ReadFile(fs, name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// put makes a file system of files.
func put(t testing.TB, all map[string][]byte) vfs.FS {
	t.Helper()
	fs := vfs.NewMem()
	for name, data := range all {
		if data == nil {
			continue // it is missing
		}
		if err := fs.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Clone(data)); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return fs
}

// faults are what Check says of an archive that is wrong, and an error of its own.
func faults(t testing.TB, fs vfs.FS) (found []string) {
	t.Helper()
	if _, err := archive.Check(t.Context(), fs, "archive", false, func(f warc.Finding) {
		if f.Severity == warc.Fault {
			found = append(found, f.String())
		}
	}); err != nil {
		found = append(found, err.Error())
	}
	return found
}

// interrupted is an archive whose crawl was killed.
func interrupted(t testing.TB) (Options, map[string][]byte) {
	t.Helper()
	fs := vfs.NewMem()
	s := serve(t.(*testing.T), bigWeb(3, 30))
	o := options(s, fs, "http://h0.test/0")
	o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
	defer cancel()
	var killed map[string][]byte
	o.Events.Finished = func(archive.Line) {
		if killed == nil && time.Since(began) > 9*time.Second {
			killed = map[string][]byte{}
			for name, data := range files(t, fs, "archive") {
				killed[name] = data
			}
		}
	}
	if _, err := Run(ctx, o); err != nil || killed == nil {
		t.Fatal(err)
	}
	o.Events.Finished, o.Seeds, o.Resume = nil, nil, true
	return o, killed
}

// Whatever one file of a killed crawl's archive suffers: the crawl goes on, or says in a line what to do, and after that goes on.
// In the end every page is recorded once, and the archive is sound.
func TestResumeAfterDamage(t *testing.T) { resumeAfterDamage(t, 9, 1) }

// resumeAfterDamage tries each kind of damage at each file, but one of so many, with so many numbers to begin with.
func resumeAfterDamage(t *testing.T, of, seeds int) {
	synctest.Test(t, func(t *testing.T) {
		o, killed := interrupted(t)
		n := 0
		rng := rand.New(rand.NewPCG(14, 27))
		var names []string
		for name := range killed {
			if !strings.HasSuffix(name, "lock") && !strings.HasSuffix(name, "LOCK") && !strings.Contains(name, "/warc/") {
				names = append(names, name)
			}
		}
		sort.Strings(names)
		for i := range len(names) * len(damages) * seeds {
			name, what := names[i/len(damages)%len(names)], slices.Sorted(maps.Keys(damages))[i%len(damages)]
			damage := damages[what]
			if n++; n%of == 0 {
				data := killed[name]
				after := make(map[string][]byte, len(killed))
				for n, d := range killed {
					after[n] = d
				}
				if after[name] = damage(rng, data); what != "missing" && after[name] == nil {
					after[name] = []byte{}
				}
				for _, wrong := range mended(t, o, put(t, after)) {
					t.Errorf("%s of %s: %s", what, name, wrong)
				}
			}
		}
	})
}

// mended resumes a damaged crawl, and says what is wrong then.
func mended(t *testing.T, o Options, fs vfs.FS) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	o.FS = fs
	var told []string
	o.Events.Trouble = func(text string) { told = append(told, text) }
	r, err := Run(t.Context(), o)
	if err != nil {
		told = append(told, err.Error())
		fixes := []string{"rebuild", "put it back", "start a new crawl", "--resume"}
		if !slices.ContainsFunc(fixes, func(fix string) bool { return strings.Contains(err.Error(), fix) }) {
			bad("it does not say what to do: %v", err)
		}
		if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
			if !strings.Contains(err.Error(), "put it back") {
				bad("rebuild: %v", err)
			}
			return wrong
		}
		if r, err = Run(t.Context(), o); err != nil && strings.Contains(err.Error(), "start a new crawl") {
			return wrong // what the crawl was to do is lost
		} else if err != nil {
			bad("after rebuild: %v", err)
			return wrong
		}
	}
	if r.End != "done" {
		bad("it ended %q", r.End)
	}
	for url, n := range recordedTimes(t, fs) {
		if n > 1 {
			bad("%s is recorded %d times; told: %q", url, n, told)
		}
	}
	lines := 0
	for _, err := range archive.RecordsOf(fs, "archive").Index.Query(t.Context(), cdx.Query{URL: "*"}) {
		if err != nil {
			bad("%v", err)
		}
		lines++
	}
	if len(recordedTimes(t, fs)) != 93 || lines != 93 {
		bad("%d URLs are recorded, %d in the index; told: %q", len(recordedTimes(t, fs)), lines, told)
	}
	if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
		bad("rebuild: %v", err)
	}
	for _, fault := range faults(t, fs) {
		bad("after rebuild: %s", fault)
	}
	return wrong
}

// recordedTimes is how often each URL is recorded.
func recordedTimes(t *testing.T, fs vfs.FS) map[string]int {
	t.Helper()
	times := map[string]int{}
	names, err := record.Files(fs, "archive/warc")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := disk.ReadFile(fs, "archive/warc/"+name)
		if err != nil {
			t.Fatal(err)
		}
		err = record.Captures(bytes.NewReader(data), name, func(c kavosh.Capture) error {
			if c.Type != "resource" {
				times[c.URL]++
			}
			return nil
		}, func(int64, error) {})
		if err != nil {
			t.Error(err)
		}
	}
	return times
}

// A list of seeds whose last line is longer than it was is mended by Rebuild, and the crawl goes on; a store of originals that
// cannot be opened is made anew without a word.
func TestDamageThatIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, killed := interrupted(t)
		for name, data := range killed {
			after := maps.Clone(killed)
			switch {
			case path.Base(name) == "seeds":
				after[name] = bytes.Replace(data, []byte(`"crc":"`), []byte(`"crc":"12345`), 1)
				if found := faults(t, put(t, after)); len(found) == 0 || !strings.Contains(found[0], "kavosh rebuild") {
					t.Errorf("Check says %q of %s", found, name)
				}
			case strings.Contains(name, "originals@2/OPTIONS"):
				from := bytes.Index(data, []byte("pebble.concat"))
				after[name] = slices.Concat(data[:from+3], make([]byte, 4000))
				o.FS = put(t, after)
				if r, err := Run(t.Context(), o); err != nil || r.End != "done" {
					t.Errorf("with damaged options of the originals: %v", err)
				}
			default:
				continue
			}
			for _, wrong := range mended(t, o, put(t, after)) {
				t.Errorf("%s: %s", name, wrong)
			}
		}
	})
}

// A file that suffers while the crawl runs: the crawl goes on or ends in a line that says what to do, and in the end every page is
// recorded once and the archive is sound, as after damage to a crawl that was killed.
func TestDamageWhileItRuns(t *testing.T) { damageWhileItRuns(t, 3, 1) }

// damageWhileItRuns tries each kind of damage that leaves a file its length at a file of each kind, so many times, but one of so
// many.
func damageWhileItRuns(t *testing.T, of, times int) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, bigWeb(3, 30))
		rng := rand.New(rand.NewPCG(14, 28))
		kinds := []string{"frontier/", "/index/", "originals@", "archive/log/", "crawl.log", "config.toml", "seeds", "archive.json"}
		n := 0
		for range times {
			for _, kind := range kinds {
				for _, what := range []string{"flip", "garbage", "zero"} {
					if n++; n%of != 0 {
						continue
					}
					fs, began, name := vfs.NewMem(), time.Now(), ""
					o := options(s, fs, "http://h0.test/0")
					o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
					o.Events.Finished = func(archive.Line) {
						if name != "" || time.Since(began) < 5*time.Second {
							return
						}
						var names []string
						for name, data := range files(t, fs, "archive") {
							if strings.Contains(name, kind) && len(data) > 0 {
								names = append(names, name)
							}
						}
						sort.Strings(names)
						name = names[rng.IntN(len(names))]
						spoil(t, rng, fs, name, damages[what])
					}
					ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
					_, err := Run(ctx, o)
					cancel()
					if name == "" {
						t.Fatalf("nothing of %s is damaged", kind)
					}
					if err != nil && !strings.Contains(err.Error(), "rebuild") && !strings.Contains(err.Error(), "--resume") && !strings.Contains(err.Error(), "put it back") {
						t.Errorf("%s of %s: it does not say what to do: %v", what, name, err)
					}
					o.Events.Finished, o.Seeds, o.Resume = nil, nil, true
					for _, wrong := range mended(t, o, fs) {
						t.Errorf("%s of %s: %s", what, name, wrong)
					}
				}
			}
		}
	})
}

// spoil writes a damaged file over itself, as a disk does to one that others have open.
func spoil(t testing.TB, rng *rand.Rand, fs vfs.FS, name string, damage func(*rand.Rand, []byte) []byte) {
	t.Helper()
	data, err := disk.ReadFile(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(damage(rng, data), 0); err != nil {
		t.Fatal(err)
	}
}
