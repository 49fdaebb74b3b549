package main

// This file is the command kavosh import. Package archive imports; this file opens the sources and prints the results.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/lib/ranges"
	"kavosh/lib/wacz"
)

type importCmd struct {
	target
	Args []string `arg:"" optional:"" name:"file" help:"WACZ, WARC and ARC files, folders of such, or their addresses at HTTP servers; last the archive's folder, unless --archive names it."`
	JSON bool     `name:"json" help:"Print what was done as one JSON object."`
}

// Help returns the text above the flags in the help.
func (importCmd) Help() string {
	return `Examples:

    kavosh import collection.wacz news.kavosh
    kavosh import old.warc.gz older.arc.gz more/ news.kavosh
    kavosh import https://example.org/files/news.wacz --archive news.kavosh

Copies files that others made into an archive, which is made when it is not there. Each is checked
first: a WACZ file's digests must be right, and its signature is checked and
reported. Each is imported completely or not at all, and never twice. A
package's list of pages is kept, also for the search.`
}

// importReport is what --json prints.
type importReport struct {
	Imports []importLine `json:"imports"`
}

type importLine struct {
	archive.Imported
	Before bool   `json:"there_before"`
	Error  string `json:"error,omitempty"`
}

// Run imports each file. It reports a file that cannot be imported, and goes on with the others.
func (c *importCmd) Run(p *program) error {
	sources, dir := c.Args, c.Archive
	if dir == "" && len(sources) > 0 {
		sources, dir = sources[:len(sources)-1], sources[len(sources)-1]
	}
	if len(sources) == 0 {
		return usage("what to import, and into which archive? such as kavosh import collection.wacz news.kavosh")
	}
	if ranges.IsURL(dir) || archive.IsWebFile(dir) {
		return usage("%s is no archive: name the folder to import into last", dir)
	}
	var files []string
	for _, source := range sources {
		info, err := os.Stat(source)
		switch {
		case ranges.IsURL(source), err == nil && !info.IsDir():
			files = append(files, source)
		case err != nil:
			return fmt.Errorf("cannot open %s: %w", source, cause(err))
		default:
			found, err := archive.FilesBelow(source, archive.IsWebFile)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return fmt.Errorf("%s holds no WARC, ARC or WACZ files", source)
			}
			files = append(files, found...)
		}
	}
	if err := ofOpenArchives(files); err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	client := newRanges()
	var report importReport
	failed := false
	for _, file := range files {
		done, err := importFile(ctx, client, file, dir)
		if ctx.Err() != nil {
			return exitStatus(exitInterrupted)
		}
		line := importLine{Imported: done, Before: done.Before}
		if err != nil {
			failed, line.Error = true, oneLine(withoutPath(err, file))
			fmt.Fprintf(p.err, "kavosh: %s: %s\n", file, line.Error)
		} else {
			for _, text := range done.Trouble {
				fmt.Fprintln(p.err, "kavosh:", text)
			}
			if !c.JSON {
				fmt.Fprintln(p.out, importText(&done))
			}
		}
		report.Imports = append(report.Imports, line)
	}
	if c.JSON {
		if err := json.NewEncoder(p.out).Encode(report); err != nil {
			return err
		}
	}
	if failed {
		return exitStatus(exitFailed)
	}
	return nil
}

// ofOpenArchives returns an error if one of files lies in another archive that has access rules. The rules would not be
// imported, so what they close would be open. A copy or a hard link cannot be noticed.
func ofOpenArchives(files []string) error {
	return archive.InArchives(files, func(file, dir string) error {
		rules, err := access.Follow(vfs.Default, dir, clock.Real{}).Rules()
		if err != nil || rules.Len() == 0 {
			return err
		}
		return fmt.Errorf("%s is in the archive %s, whose access rules would be lost: run kavosh export wacz %s -o open.wacz, and import open.wacz", file, dir, dir)
	})
}

// importText returns in words what an import did.
func importText(done *archive.Imported) string {
	if done.Before {
		return done.Source + ": all of it is in the archive already."
	}
	text := fmt.Sprintf("%s: %s with %s", done.Source, plural(int64(len(done.Files)), "file"), plural(done.Captures, "capture"))
	if done.Pages > 0 {
		text += fmt.Sprintf(", %s listed", plural(int64(done.Pages), "page"))
	}
	if done.Faults > 0 {
		text += ", " + plural(int64(done.Faults), "fault") + " in them"
	}
	switch done.Signature {
	case "":
	case "none":
		text += "; not signed"
	case "valid":
		text += "; the signature is valid"
	default:
		text += "; THE SIGNATURE IS WRONG: " + done.Signature
	}
	return text + "."
}

// importFile imports one file.
func importFile(ctx context.Context, client *ranges.Client, source, dir string) (archive.Imported, error) {
	none := archive.Imported{Source: source}
	f, err := archive.OpenLooseFile(ctx, client, source)
	if err != nil {
		return none, err
	}
	defer f.Close()
	in := archive.Incoming{Source: source, Version: version()}
	if !f.IsWACZ() {
		in.Files = []archive.IncomingFile{{Name: path.Base(filepath.ToSlash(source)), Open: func() (io.Reader, error) { return io.NewSectionReader(f, 0, f.Size), nil }}}
	} else if err := incomingPackage(f, &in); err != nil {
		return none, err
	}
	return archive.Import(ctx, vfs.Default, dir, in, time.Now())
}

// incomingPackage adds to in what a WACZ file says of itself.
func incomingPackage(f *archive.LooseFile, in *archive.Incoming) error {
	zip, err := wacz.Open(f, f.Size)
	if err != nil {
		return err
	}
	in.Title, in.About, in.Software, in.Signature = zip.Package.Title, string(zip.Package.About), zip.Package.Software, "valid"
	for name, one := range zip.Packages() {
		switch signed, err := one.Signed(); {
		case err != nil:
			in.Signature = oneLine(err)
		case !signed && in.Signature == "valid":
			in.Signature = "none"
		}
		for _, member := range one.WARCs() {
			in.Files = append(in.Files, archive.IncomingFile{Name: path.Join(name, path.Base(member)), SHA256: one.SHA256(member), Open: func() (io.Reader, error) { return one.Open(member) }})
		}
	}
	if len(in.Files) == 0 {
		return fmt.Errorf("there is no WARC file in it")
	}
	in.Pages = func(yield func(archive.ImportedPage, error) bool) {
		for _, one := range zip.Packages() {
			for p, err := range one.Pages() {
				if !yield(archive.ImportedPage{URL: p.URL, Time: p.Time, Title: p.Title, Text: p.Text}, err) || err != nil {
					return
				}
			}
		}
	}
	return nil
}
