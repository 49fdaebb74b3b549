package archive

// This file takes WARC, ARC and WACZ files of other programs into an archive, all of an import or nothing, whenever a
// crash comes.

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

// Incoming is what one import takes in: a WARC or ARC file, or a package of such files.
type Incoming struct {
	Source    string // the path or address that it comes from
	Title     string
	About     string // its description of itself in sentences, or ""
	Software  string // the program that made it, or ""
	Signature string // "valid", "none" or what is wrong with it; "" if it is not a package
	Files     []IncomingFile
	Pages     iter.Seq2[ImportedPage, error] // its list of pages; nil if it has none
	Version   string                         // the version of this program
}

// IncomingFile is one WARC or ARC file to import.
type IncomingFile struct {
	Name   string // its name in the source
	SHA256 string // the sum that it must have, in hexadecimal digits; "" if the source gives none
	Open   func() (io.Reader, error)
}

// ImportedPage is what a package says of one page. It is a line of imports/<id>/pages.jsonl.
type ImportedPage struct {
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Imported says what an import did. It is stored as import.json.
type Imported struct {
	Source    string         `json:"source"`
	Time      time.Time      `json:"time"`
	Title     string         `json:"title,omitempty"`
	Software  string         `json:"software,omitempty"`
	Signature string         `json:"signature,omitempty"`
	Files     []ImportedFile `json:"files"`
	Pages     int            `json:"pages"`
	Captures  int64          `json:"captures"` // captures that were added to the capture log
	Faults    int            `json:"faults"`   // faulty records: wrong digests, or not readable
	Done      bool           `json:"done"`     // false while captures are missing from the capture log

	Before  bool     `json:"-"` // the archive had all of it already, so nothing was done
	Trouble []string `json:"-"` // the first hundred faults
}

// ImportedFile is one file of an import.
type ImportedFile struct {
	Name   string `json:"name"` // its name in the source
	File   string `json:"file"` // its name in warc/
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hexadecimal digits
}

const (
	importFile = "import.json"
	pagesFile  = "pages.jsonl"
	staging    = "new" // the folder of an import until its rename

	importPrefix = "IMPORT-" // begins the names of imported files in warc/
)

// IsImported reports whether a WARC file of an archive was imported. file is its name as captures have it.
func IsImported(file string) bool { return strings.HasPrefix(file, importPrefix) }

// Import copies files into the archive in dir, and makes the archive if there is none. It imports all files or none:
// they are copied into a folder of their own and checked, and then one rename makes them part of the archive. If a
// crash comes after the rename, the next process that opens the archive for writing does the rest. Files that the
// archive has already are not imported again.
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
	defer a.FS.RemoveAll(aside) // after the rename there is nothing left to remove
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

// Imports yields the imports of the archive in dir, in no order.
func Imports(fs vfs.FS, dir string) iter.Seq[Imported] {
	return func(yield func(Imported) bool) {
		for _, made := range imports(fs, dir) {
			if !yield(made) {
				return
			}
		}
	}
}

// imports yields the imports of an archive with their folders, in the order of their names. Some may be unfinished.
func imports(fs vfs.FS, dir string) iter.Seq2[string, Imported] {
	return func(yield func(string, Imported) bool) {
		root := fs.PathJoin(dir, "imports")
		names, _ := fs.List(root) // no folder before the first import: no names
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

// imported returns the SHA-256 of every file that was imported.
func (a *Archive) imported() (map[string]bool, error) {
	have := map[string]bool{}
	for _, made := range imports(a.FS, a.Dir) {
		for _, f := range made.Files {
			have[f.SHA256] = true
		}
	}
	return have, nil
}

// has reports whether the archive has a file already, imported or under its own name.
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
	staged.Bytes, err = io.Copy(io.MultiWriter(sum, f), warc.Until(ctx, from)) // in this order: the writer to disk may change the bytes
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

// examine checks the records of a file. It refuses a file without records, or with records that cannot be read at their
// offsets.
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

// fileName returns the name in warc/ of an imported file: its own name, and a part of its hash, so that no two files
// get the same name.
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

// stagePages writes a package's list of pages to a file at path.
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

// finishImports ends unfinished imports: if the rename has happened, it does the rest, otherwise it removes the files.
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

// settle moves the files of an import into warc/, adds their captures to the capture log, and lets the followers read
// them. logged says how many captures of each file are in the log already, after a crash. These are not added again.
func (a *Archive) settle(id string, made *Imported, logged map[string]int) error {
	if err := disk.MkdirAll(a.FS, a.WARC); err != nil {
		return err
	}
	for _, f := range made.Files {
		err := a.FS.Rename(a.FS.PathJoin(id, f.File), a.FS.PathJoin(a.WARC, f.File))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // a missing file was moved before the crash
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

// logFile adds the captures of a file to the capture log, except the first ones, which the log has already.
func (a *Archive) logFile(name string, first int) (captures int64, err error) {
	f, err := a.FS.Open(a.FS.PathJoin(a.WARC, name))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var batch []kavosh.Capture
	var failed error // an error of writing the log, which is not the file's fault
	flush := func() error {
		failed = a.Captures.Append(batch)
		batch = batch[:0]
		return failed
	}
	whole := &warc.Noting{R: f} // a failing disk is told from a file with bad records
	_ = record.Captures(whole, name, func(c kavosh.Capture) error {
		if captures++; captures <= int64(first) {
			return nil
		}
		if batch = append(batch, c); len(batch) < 4096 {
			return nil
		}
		return flush()
	}, func(int64, error) {}) // a broken file counts as far as it can be read; examine has reported it
	if failed = cmp.Or(failed, whole.Err); failed != nil {
		return captures, failed
	}
	return captures, flush()
}

// ImportedPages yields the pages that all imported packages of the archive in dir list.
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
