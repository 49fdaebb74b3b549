// Command quality measures kavosh quality --between and --at on a made-up archive of a million captures: half a million pages, each
// visited twice. It prints how long each takes, and the most memory.
//
//	go run ./bench/quality [-pages N] [-kavosh PROGRAM] DIR
//
// The archive is made in DIR the first time: some minutes, 1 GB.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/warc"
)

func main() {
	pages := flag.Int("pages", 500_000, "pages, each captured twice")
	program := flag.String("kavosh", "bin/kavosh", "the program to measure")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: quality [-pages N] [-kavosh PROGRAM] DIR")
		os.Exit(2)
	}
	if err := measure(flag.Arg(0), *program, *pages); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

// measure makes the archive, unless it is there, and runs the program on it.
func measure(dir, program string, pages int) error {
	if _, err := os.Stat(filepath.Join(dir, "index")); err != nil {
		if err := makeArchive(dir, pages); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"--between", "2026-03-01,2026-03-08"}, {"--at", "2026-03-05"}} {
		for _, name := range []string{"blocks@1", "change@1"} { // what an earlier run kept
			if err := os.RemoveAll(filepath.Join(dir, "derived", name)); err != nil {
				return err
			}
		}
		cmd := exec.Command(program, append([]string{"quality", dir, "--limit", "3"}, args...)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return err
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		fmt.Printf("%s: %.0f s, %.0f s of processors, %d MB\n\n", strings.Join(args, " "), time.Since(began).Seconds(),
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), used.Maxrss>>10)
	}
	return nil
}

// makeArchive writes an archive whose pages were visited on two days.
func makeArchive(dir string, pages int) error {
	if err := os.MkdirAll(filepath.Join(dir, "warc"), 0o777); err != nil {
		return err
	}
	about := "{\"format\": 1, \"name\": \"quality\", \"created\": \"2026-01-01T00:00:00Z\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "archive.json"), []byte(about), 0o666); err != nil {
		return err
	}
	for visit := range 2 {
		if err := writeVisit(filepath.Join(dir, "warc", fmt.Sprintf("visit-%d.warc.gz", visit)), visit, pages); err != nil {
			return err
		}
	}
	_, err := archive.Rebuild(context.Background(), vfs.Default, dir, nil)
	return err
}

// writeVisit writes one visit of all pages. Of a hundred, at the second one 85 are the same, as revisits, ten have other texts, two
// other links, two are gone, and of one nothing but a counter differs.
func writeVisit(name string, visit, pages int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := bufio.NewWriterSize(f, 1<<20)
	out := warc.NewWriter(buf, warc.Compression{Format: warc.Gzip, Level: 1})
	day := time.Date(2026, 3, 1+7*visit, 0, 0, 0, 0, time.UTC)
	for i := range pages {
		p := page{i, visit, i * 37 % 100}
		at := day.Add(20 * time.Hour / time.Duration(pages) * time.Duration(i))
		body := p.body()
		sum := sha256.Sum256(body)
		h := warc.Header{
			{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()},
			{Name: "WARC-Target-URI", Value: address(i)}, {Name: "WARC-Date", Value: warc.FormatDate(at)},
			{Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "WARC-Payload-Digest", Value: warc.FormatDigest("sha256", sum[:])},
		}
		status := "200 OK"
		if visit == 1 && p.fate >= 97 && p.fate < 99 {
			status = "404 Not Found"
		}
		block := fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: text/html\r\nLast-Modified: Sat, 28 Feb 2026 10:00:00 GMT\r\nContent-Length: %d\r\n\r\n", status, len(body))
		if visit == 1 && p.fate < 85 {
			h.Set("WARC-Type", "revisit")
			h.Add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
		} else {
			block = append(block, body...)
		}
		h.Add("Content-Length", fmt.Sprint(len(block)))
		if _, err := out.WriteRecord(h, bytes.NewReader(block)); err != nil {
			return err
		}
	}
	return buf.Flush()
}

func address(i int) string {
	return fmt.Sprintf("http://site%d.test/folder%d/page-%d.html", i%1000, i/1000%50, i)
}

// page is a page at one visit.
type page struct{ number, visit, fate int }

// body returns some three kilobytes of HTML.
func (p *page) body() []byte {
	version, links, readers := 0, 12, 7
	if p.visit == 1 {
		switch {
		case p.fate >= 85 && p.fate < 95:
			version = 1
		case p.fate >= 95 && p.fate < 97:
			links = 13
		case p.fate == 99:
			readers = 8
		}
	}
	b := fmt.Appendf(nil, "<!doctype html><html lang=en><title>Page %d</title><nav>", p.number)
	for i := range links {
		b = fmt.Appendf(b, "<a href=\"/folder%d/\">Folder %[1]d</a> ", (p.number+i)%50)
	}
	b = append(b, "</nav><main>"...)
	for i := range 12 {
		subject := [...]string{"harbour", "market", "valley", "bridge", "library", "garden", "station"}[(p.number+i+version)%7]
		b = fmt.Appendf(b, "<p>Paragraph %d of page %d tells what came of the %s, at some length, as people who live beside it have told it for years, and as others have written it down.</p>", i, p.number, subject)
	}
	return fmt.Appendf(b, "</main><footer><p>%d readers online</p></footer></html>", readers)
}
