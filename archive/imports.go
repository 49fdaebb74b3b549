package archive

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/lib/warc"
	"kavosh/record"
)

// Incoming is what is imported at once: a WARC or ARC file, or a package of such.
type Incoming struct {
	Source    string // where it is from, a path or an address
	Title     string
	About     string // what it says of itself in sentences
	Software  string // that made it
	Signature string // "valid", "none" or what is wrong with it; "" for what is no package
	Files     []IncomingFile
	Pages     iter.Seq2[ImportedPage, error] // what it says of its pages; nil for nothing
	Version   string                         // of this program
}

// IncomingFile is a WARC or ARC file to import.
type IncomingFile struct {
	Name   string // in its source
	SHA256 string // that it should have, in hexadecimal digits; "" where nobody says
	Open   func() (io.Reader, error)
}

// ImportedPage is what a package says of a page, a line of imports/<id>/pages.jsonl.
type ImportedPage struct {
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Imported is what an import did, and import.json.
type Imported struct {
	Source    string         `json:"source"`
	Time      time.Time      `json:"time"`
	Title     string         `json:"title,omitempty"`
	Software  string         `json:"software,omitempty"`
	Signature string         `json:"signature,omitempty"`
	Files     []ImportedFile `json:"files"`
	Pages     int            `json:"pages"`
	Captures  int64          `json:"captures"` // that the capture log gained
	Faults    int            `json:"faults"`   // in records: wrong digests, records that cannot be read
	Done      bool           `json:"done"`     // false while captures are missing in the capture log

	Before  bool     `json:"-"` // all of it was in the archive before: nothing was done
	Trouble []string `json:"-"` // the first hundred faults
}

// ImportedFile is a file of an import.
type ImportedFile struct {
	Name   string `json:"name"` // in its source
	File   string `json:"file"` // in warc/
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hexadecimal digits
}

const (
	importFile = "import.json"
	pagesFile  = "pages.jsonl"
	staging    = "new" // the folder of an import that has not happened yet

	importPrefix = "IMPORT-" // of files in warc/ that were imported
)

// IsImported reports whether a file of an archive, as captures name it, was imported.
func IsImported(file string) bool { return strings.HasPrefix(file, importPrefix) }

// Import copies files into the archive in dir, and makes the archive when there is none. All files are imported or none: they are copied
// into a folder of their own and checked, and then one rename makes them the archive's. If a crash comes after the rename, the next one who
// opens the archive for writing does the rest. A file that the archive has already is not imported again.
func Import(ctx context.Context, fs vfs.FS, dir string, in Incoming, now time.Time) (Imported, error) {
	a, err := Open(fs, dir, func() error { return about.Create(fs, dir, in.Version, now) })
	if err != nil {
		return Imported{}, err
	}
	done, err := a.takeIn(ctx, in, now)
	return done, errors.Join(err, a.Close(), a.Unlock())
}

func (a *Archive) takeIn(ctx context.Context, in Incoming, now time.Time) (Imported, error) {
	made := Imported{Source: in.Source, Time: now.UTC().Truncate(time.Second), Title: in.Title, Software: in.Software, Signature: in.Signature}
	aside := a.FS.PathJoin(a.Dir, "imports", staging)
	if err := disk.MkdirAll(a.FS, aside); err != nil {
		return made, err
	}
	have, err := a.imported()
	if err != nil {
		return made, err
	}
	defer a.FS.RemoveAll(aside) // nothing is left there once it happened
	sum := sha256.New()
	for _, f := range in.Files {
		staged, err := a.stage(ctx, aside, f, &made)
		if err != nil {
			return made, fmt.Errorf("%s: %w", f.Name, err)
		}
		known, err := a.has(staged, have)
		if err != nil {
			return made, err
		}
		if known {
			if err := a.FS.Remove(a.FS.PathJoin(aside, staged.File)); err != nil {
				return made, err
			}
			continue
		}
		have[staged.SHA256] = true
		io.WriteString(sum, staged.SHA256)
		made.Files = append(made.Files, staged)
	}
	if made.Before = len(made.Files) == 0; made.Before {
		return made, nil
	}
	if err := a.stagePages(ctx, a.FS.PathJoin(aside, pagesFile), in.Pages, &made); err != nil {
		return made, err
	}
	if err := writeImport(a.FS, aside, made); err != nil {
		return made, err
	}
	id := a.FS.PathJoin(a.Dir, "imports", hex.EncodeToString(sum.Sum(nil)[:8]))
	if err := a.FS.Rename(aside, id); err != nil {
		return made, err
	}
	if err := disk.SyncDir(a.FS, a.FS.PathDir(id)); err != nil {
		return made, err
	}
	return made, errors.Join(a.settle(id, &made, nil), about.DescribeFirst(a.FS, a.Dir, about.Description{Title: in.Title, Text: in.About}))
}

func writeImport(fs vfs.FS, dir string, made Imported) error {
	data, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteFile(fs, fs.PathJoin(dir, importFile), append(data, '\n'))
}

// Imports gives what was imported into the archive in dir, in no order.
func Imports(fs vfs.FS, dir string) iter.Seq[Imported] {
	return func(yield func(Imported) bool) {
		for _, made := range imports(fs, dir) {
			if !yield(made) {
				return
			}
		}
	}
}

// imports gives the imports of an archive with their folders, in the order of their names. Not all need be done.
func imports(fs vfs.FS, dir string) iter.Seq2[string, Imported] {
	return func(yield func(string, Imported) bool) {
		root := fs.PathJoin(dir, "imports")
		names, _ := fs.List(root) // none before the first
		slices.Sort(names)
		for _, name := range names {
			var made Imported
			data, err := disk.ReadFile(fs, fs.PathJoin(root, name, importFile))
			if name == staging || err != nil || json.Unmarshal(data, &made) != nil {
				continue
			}
			if !yield(fs.PathJoin(root, name), made) {
				return
			}
		}
	}
}

// imported gives the SHA-256 of all files that were imported.
func (a *Archive) imported() (map[string]bool, error) {
	have := map[string]bool{}
	for _, made := range imports(a.FS, a.Dir) {
		for _, f := range made.Files {
			have[f.SHA256] = true
		}
	}
	return have, nil
}

// has reports whether the archive holds a file already: imported, or under its own name.
func (a *Archive) has(staged ImportedFile, have map[string]bool) (bool, error) {
	if have[staged.SHA256] {
		return true, nil
	}
	f, err := a.FS.Open(a.FS.PathJoin(a.WARC, a.FS.PathBase(staged.Name)))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != staged.Bytes {
		return false, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)) == staged.SHA256, err
}

// stage copies a file into the import's folder and checks it.
func (a *Archive) stage(ctx context.Context, aside string, in IncomingFile, made *Imported) (ImportedFile, error) {
	staged := ImportedFile{Name: in.Name}
	from, err := in.Open()
	if err != nil {
		return staged, err
	}
	tmp := a.FS.PathJoin(aside, "file")
	f, err := a.FS.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return staged, err
	}
	sum := sha256.New()
	staged.Bytes, err = io.Copy(io.MultiWriter(sum, f), &readWhile{ctx, from}) // in this order: who writes to disk may use the bytes up
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return staged, err
	}
	staged.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if in.SHA256 != "" && !strings.EqualFold(in.SHA256, staged.SHA256) {
		return staged, fmt.Errorf("its SHA-256 should be %.64s, it is %s", in.SHA256, staged.SHA256)
	}
	kind, err := a.examine(ctx, tmp, in.Name, made)
	if err != nil {
		return staged, err
	}
	staged.File = fileName(in.Name, staged.SHA256, kind)
	return staged, a.FS.Rename(tmp, a.FS.PathJoin(aside, staged.File))
}

// readWhile reads until ctx ends.
type readWhile struct {
	ctx context.Context
	r   io.Reader
}

func (r *readWhile) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// examine checks the records of a file. It refuses one that has none, or whose records cannot be read by their offsets.
func (a *Archive) examine(ctx context.Context, path, name string, made *Imported) (kind string, err error) {
	f, err := a.FS.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var packed error
	sum, err := warc.Check(ctx, name, f, warc.CheckOptions{}, func(found warc.Finding) {
		if found.Rule == "not-seekable" {
			packed = errors.New("it is compressed as a whole, so that no record can be read alone: make a copy with `kavosh repair`")
		}
		if found.Severity == warc.Fault && len(made.Trouble) < maxTrouble {
			made.Trouble = append(made.Trouble, found.String())
		}
	})
	made.Faults += sum.Errors
	if err == nil && sum.Records == 0 {
		err = errors.New("it holds no records")
	}
	return sum.Kind, cmp.Or(err, packed)
}

// fileName is the name of an imported file in warc/. It has the hash of the file, so that no two files have one name, and the file's own name.
func fileName(name, sum, kind string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	for _, end := range []string{".open", ".gz", ".zst", ".warc", ".arc"} {
		name = strings.TrimSuffix(name, end)
	}
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, name)
	end := ".warc"
	if strings.HasPrefix(kind, "ARC") {
		end = ".arc"
	}
	switch {
	case strings.Contains(kind, "gzip"):
		end += ".gz"
	case strings.Contains(kind, "zstd"):
		end += ".zst"
	}
	return importPrefix + sum[:16] + "-" + name[:min(len(name), 100)] + end
}

// stagePages writes what a package says of its pages to a file at path.
func (a *Archive) stagePages(ctx context.Context, path string, pages iter.Seq2[ImportedPage, error], made *Imported) error {
	if pages == nil {
		return nil
	}
	return disk.Replace(a.FS, path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		for page, err := range pages {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = lines.Encode(page)
			}
			if err != nil {
				return err
			}
			made.Pages++
		}
		return out.Flush()
	})
}

// finishImports ends imports that a crash cut short: after their rename it does the rest, before it it removes the files.
func (a *Archive) finishImports() error {
	if err := a.FS.RemoveAll(a.FS.PathJoin(a.Dir, "imports", staging)); err != nil {
		return err
	}
	for id, made := range imports(a.FS, a.Dir) {
		if made.Done {
			continue
		}
		logged := map[string]int{}
		for c, err := range a.Captures.Read(a.Captures.Begin()) {
			if err != nil {
				return err
			}
			logged[c.File]++
		}
		if err := a.settle(id, &made, logged); err != nil {
			return err
		}
	}
	return nil
}

// settle moves the files of an import into warc/, adds their captures to the capture log, and lets the followers read them. logged says how
// many captures of each file a crash left in the log: those are not added again.
func (a *Archive) settle(id string, made *Imported, logged map[string]int) error {
	if err := disk.MkdirAll(a.FS, a.WARC); err != nil {
		return err
	}
	for _, f := range made.Files {
		err := a.FS.Rename(a.FS.PathJoin(id, f.File), a.FS.PathJoin(a.WARC, f.File))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it was moved before the crash
			return err
		}
	}
	for _, dir := range []string{a.WARC, id} {
		if err := disk.SyncDir(a.FS, dir); err != nil {
			return err
		}
	}
	if err := a.Captures.Mend(a.Index.Cursor(), a.Index.Cursor()); err != nil {
		return err
	}
	made.Captures = 0
	for _, f := range made.Files {
		n, err := a.logFile(f.File, logged[f.File])
		if err != nil {
			return fmt.Errorf("%s: %w", f.File, err)
		}
		made.Captures += n
	}
	if err := a.CatchUp(); err != nil {
		return err
	}
	if err := a.Index.Flush(); err != nil {
		return err
	}
	made.Done = true
	return writeImport(a.FS, id, *made)
}

// logFile adds the captures of a file to the capture log, without the first ones, which it has already.
func (a *Archive) logFile(name string, first int) (captures int64, err error) {
	f, err := a.FS.Open(a.FS.PathJoin(a.WARC, name))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var batch []kavosh.Capture
	var failed error // to write the log: the file is not to blame
	flush := func() error {
		failed = a.Captures.Append(batch)
		batch = batch[:0]
		return failed
	}
	whole := &whatFails{r: f}
	_ = record.Captures(whole, name, func(c kavosh.Capture) error {
		if captures++; captures <= int64(first) {
			return nil
		}
		if batch = append(batch, c); len(batch) < 4096 {
			return nil
		}
		return flush()
	}, func(int64, error) {}) // where it breaks off, what was read of it counts, and the check told of it
	if failed = cmp.Or(failed, whole.failed); failed != nil {
		return captures, failed
	}
	return captures, flush()
}

// whatFails remembers an error of reading, so that a disk that fails is told apart from a file with bad records.
type whatFails struct {
	r      io.Reader
	failed error
}

func (w *whatFails) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.failed = err
	}
	return n, err
}

// ImportedPages gives what imported packages say of their pages, of all imports of the archive in dir.
func ImportedPages(fs vfs.FS, dir string) iter.Seq2[ImportedPage, error] {
	return func(yield func(ImportedPage, error) bool) {
		for id := range imports(fs, dir) {
			if !pagesIn(fs, fs.PathJoin(id, pagesFile), yield) {
				return
			}
		}
	}
}

func pagesIn(fs vfs.FS, path string, yield func(ImportedPage, error) bool) bool {
	f, err := fs.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	if err != nil {
		yield(ImportedPage{}, err)
		return false
	}
	defer f.Close()
	lines := json.NewDecoder(bufio.NewReader(f))
	for {
		var page ImportedPage
		err := lines.Decode(&page)
		if err == io.EOF {
			return true
		}
		if !yield(page, err) || err != nil {
			return false
		}
	}
}
