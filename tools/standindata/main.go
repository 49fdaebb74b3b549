// Command standindata makes a folder of real answers, each labelled with what a person sees in it: the page that was
// asked for, or something that stands in its place.
//
//	standindata CLONES OUT
//
// pages.tsv and unseen.tsv name the answers: files of public repositories at pinned commits, with what is known of each.
// CLONES is a folder of bare clones, OWNER+NAME.git; missing ones are fetched from GitHub. The answers go to OUT/train,
// OUT/held and OUT/unseen, with a labels.tsv in each: file, label, status, URL, source. Of pages.tsv a site or maker has
// all its pages in one half, train or held, which a hash of its name chooses. Whoever writes a detector looks at train
// alone; docs/benchmarks.md says what of held was looked at, too. `make standin-data` makes all three.
//
// Labels: wall (a challenge, captcha or block page), consent (a page that asks for consent and shows nothing else),
// login (a page whose purpose is to sign in), notfound (an error page), parked (a parked domain, or a server without a
// site), page (all others).
package main

import (
	"bytes"
	"compress/bzip2"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kavosh/internal/clones"
	"kavosh/lib/weburl"
)

// pagesTable is the list of answers: tab-separated fields, told in its head.
//
//go:embed pages.tsv
var pagesTable string

// unseenTable is the list of the answers of the folder unseen.
//
//go:embed unseen.tsv
var unseenTable string

// row names one file, or by a pattern of package path many.
type row struct {
	repository, commit, path string
	label                    string // "-" leaves the file out
	status                   int    // of the answer; 0 if it is not known
	url                      string // "" if it is not known
	site                     string // whose page it is; "" is the domain in the page's own address
	half                     string // the folder it goes to; "" is the one that its site chooses
}

// readRows reads a table whose answers go to a folder.
func readRows(table, half string) (rows []row, err error) {
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("%q has not seven fields", line)
		}
		status, err := strconv.Atoi(f[4])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if _, err := path.Match(f[2], ""); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3], status, known(f[5]), known(f[6]), half})
	}
	return rows, nil
}

// known turns "-", which stands for what is not known, into "".
func known(field string) string {
	if field == "-" {
		return ""
	}
	return field
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: standindata CLONES OUT")
		os.Exit(2)
	}
	rows, err := readRows(pagesTable, "")
	if err == nil {
		var unseen []row
		unseen, err = readRows(unseenTable, "unseen")
		rows = append(rows, unseen...)
	}
	if err == nil {
		err = run(rows, os.Args[1], os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "standindata:", err)
		os.Exit(1)
	}
}

// run makes the answers that rows name.
func run(rows []row, folder, out string) error {
	labels := map[string]*strings.Builder{"train": {}, "held": {}, "unseen": {}}
	counts := map[string]int{}
	for half := range labels {
		if err := os.RemoveAll(filepath.Join(out, half)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(out, half), 0o755); err != nil {
			return err
		}
	}
	for len(rows) > 0 { // the rows of one commit at a time
		n := slices.IndexFunc(rows, func(r row) bool { return r.repository != rows[0].repository || r.commit != rows[0].commit })
		if n < 0 {
			n = len(rows)
		}
		answers, err := read(rows[:n], folder)
		if err != nil {
			return fmt.Errorf("%s: %w", rows[0].repository, err)
		}
		for _, a := range answers {
			half := a.half
			if half == "" {
				half = halfOf(a.site)
			}
			counts[half+" "+a.label]++
			name := fmt.Sprintf("%s-%05d.html", a.label, counts[half+" "+a.label])
			if err := os.WriteFile(filepath.Join(out, half, name), a.body, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(labels[half], "%s\t%s\t%d\t%s\t%s\n", name, a.label, a.status, unknown(a.url), a.repository+"/"+a.path)
		}
		rows = rows[n:]
	}
	for half, lines := range labels {
		if err := os.WriteFile(filepath.Join(out, half, "labels.tsv"), []byte(lines.String()), 0o644); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(os.Stderr, "%6d %s\n", counts[name], name)
	}
	return nil
}

func unknown(field string) string {
	if field == "" {
		return "-"
	}
	return field
}

// halfOf returns train or held. The seed was drawn once, before any detector was run.
func halfOf(site string) string {
	h := fnv.New32a()
	io.WriteString(h, "standin 1 "+site)
	if h.Sum32()>>16&1 == 0 {
		return "train"
	}
	return "held"
}

// answer is a row that names one file, with its body.
type answer struct {
	row
	body []byte
}

// read returns the answers that rows of one commit name. The first row that fits a file decides.
func read(rows []row, folder string) (answers []answer, err error) {
	clone, err := clones.At(folder, rows[0].repository, rows[0].commit)
	if err != nil {
		return nil, err
	}
	exact := map[string]int{}
	var patterns []int
	for i, r := range rows {
		if strings.ContainsAny(r.path, "*?[") {
			patterns = append(patterns, i)
		} else {
			exact[r.path] = i
		}
	}
	rowOf := func(name string) int {
		if i, ok := exact[name]; ok {
			return i
		}
		for _, i := range patterns {
			if ok, _ := path.Match(rows[i].path, name); ok { // readRows checked the pattern
				return i
			}
		}
		return -1
	}
	files, err := clones.Files(clone, rows[0].commit, func(name string) bool { return rowOf(name) >= 0 })
	if err != nil {
		return nil, err
	}
	found := map[int]bool{}
	for _, f := range files {
		i := rowOf(f.Path)
		found[i] = true
		r := rows[i]
		if r.label == "-" {
			continue
		}
		r.path = f.Path
		body, err := unpack(f.Path, f.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		if r.site == "" {
			r.site = siteOf(r, body)
		}
		answers = append(answers, answer{r, body})
	}
	for i, r := range rows {
		if !found[i] {
			fmt.Fprintf(os.Stderr, "%s has no %s\n", r.repository, r.path)
		}
	}
	return answers, nil
}

// unpack returns the page in a file: packed, the body of the first answer in an HTTP archive (HAR), or that of an answer
// which a test's fetch keeps.
func unpack(name string, data []byte) ([]byte, error) {
	switch path.Ext(name) {
	case ".gz":
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case ".bz2":
		return io.ReadAll(bzip2.NewReader(bytes.NewReader(data)))
	case ".har", ".json":
		var saved struct {
			Log struct {
				Entries []struct {
					Response struct {
						Content struct{ Text, Encoding string }
					}
				}
			}
			Response struct{ BodyText string }
		}
		if err := json.Unmarshal(data, &saved); err != nil {
			return nil, err
		}
		if len(saved.Log.Entries) == 0 {
			return []byte(saved.Response.BodyText), nil
		}
		c := saved.Log.Entries[0].Response.Content
		if c.Encoding == "base64" {
			return base64.StdEncoding.DecodeString(c.Text)
		}
		return []byte(c.Text), nil
	}
	return data, nil
}

// siteOf returns the domain of an answer by its URL, or by the address that the page gives itself. A page without one
// counts to its repository.
func siteOf(r row, body []byte) string {
	address := r.url
	if address == "" {
		address = ownAddress(body)
	}
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return weburl.Domain(strings.ToLower(u.Hostname()))
	}
	return r.repository
}
