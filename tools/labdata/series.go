package main

// This file makes series: what crawls would have found of a site over years, out of a repository in which each commit is a state of the
// site as it is served.

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/clones"
	"kavosh/lib/warc"
)

// seriesTable is the list of series, in the form of sitesTable.
//
//go:embed series.tsv
var seriesTable string

// seriesCrawls is how many crawls a series has: kavosh quality --series takes as many days for crawls of an imported archive.
const seriesCrawls = 100

const day = 24 * time.Hour

// series makes OUT/NAME.warc.gz of each site of the list. clones is a folder of whole bare clones, OWNER+NAME.git.
func series(clones, out string) error {
	sites, err := readSites(seriesTable)
	if err != nil {
		return err
	}
	for i := range sites {
		file := filepath.Join(out, sites[i].web+".warc.gz")
		if _, err := os.Stat(file); err == nil {
			continue
		}
		if err := sites[i].series(clones, file+".new"); err != nil {
			return fmt.Errorf("%s: %w", sites[i].repository, err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			return err
		}
	}
	return nil
}

// series writes what crawls found that followed links from the site's URL, each on a day of its own, evenly from the first commit to the last.
func (s *site) series(folder, file string) error {
	dir, err := clones.At(folder, s.repository, s.commit)
	if err != nil {
		return err
	}
	history, err := clones.History(dir, s.commit)
	if err != nil {
		return err
	}
	if len(history) < 2 {
		return fmt.Errorf("%s has one commit: is it a whole clone?", dir)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	had := map[string]capture{}
	first, last := history[0].Time.Truncate(day).Add(day), history[len(history)-1].Time.Truncate(day).Add(day)
	for i := range seriesCrawls {
		began := first.Add(last.Sub(first) / (seriesCrawls - 1) * time.Duration(i)).Round(day)
		for len(history) > 1 && !history[1].Time.After(began) {
			history = history[1:]
		}
		w, state := newWeb(s.web), *s
		state.commit = history[0].ID
		if err := w.serve(state, folder); err != nil {
			return err
		}
		for k, p := range w.reached(s.url) {
			if err := p.recordOn(out, began.Add(time.Duration(k)*time.Second), had); err != nil {
				return err
			}
		}
		fmt.Printf("%s %s %s\n", s.web, began.Format(time.DateOnly), state.commit)
	}
	return f.Close()
}

// reached returns the answers that a crawl meets one after the other that follows links from a URL and stays below it.
func (w *web) reached(from string) (met []page) {
	links := make([][]string, len(w.pages))
	w.eachLink(func(i int, l *kavosh.Link) { links[i] = append(links[i], l.URL) })
	queue, known := []string{from}, map[string]bool{from: true}
	for ; len(queue) > 0; queue = queue[1:] {
		i, ok := w.at[queue[0]]
		if !ok {
			met = append(met, page{url: queue[0], status: http.StatusNotFound, header: "Content-Type: text/html\r\n"})
			continue
		}
		met = append(met, w.pages[i])
		for _, to := range links[i] {
			if strings.HasPrefix(to, from) && !known[to] {
				known[to] = true
				queue = append(queue, to)
			}
		}
	}
	return met
}

// capture is what a crawl had of a URL.
type capture struct {
	digest, date string
}

// recordOn writes the answer of one day; as a revisit if the day before had the same.
func (p *page) recordOn(out *warc.Writer, at time.Time, had map[string]capture) error {
	h, block := p.record(at)
	sum := sha256.Sum256(p.body)
	digest := warc.FormatDigest("sha256", sum[:])
	if before := had[p.url]; before.digest == digest && p.status == http.StatusOK {
		h.Set("WARC-Type", "revisit")
		h.Add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
		h.Add("WARC-Refers-To-Target-URI", p.url)
		h.Add("WARC-Refers-To-Date", before.date)
		block = block[:len(block)-len(p.body)]
	} else if p.status == http.StatusOK {
		had[p.url] = capture{digest, warc.FormatDate(at)}
	}
	h.Set("WARC-Payload-Digest", digest)
	h.Set("Content-Length", fmt.Sprint(len(block)))
	_, err := out.WriteRecord(h, bytes.NewReader(block))
	return err
}
