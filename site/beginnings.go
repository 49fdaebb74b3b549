package site

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/about"
	"kavosh/lib/cdx"
	"kavosh/lib/ranges"
	"kavosh/lib/weburl"
	"kavosh/site/draw"
)

// Bounds on what a crawl's page says of its seeds.
const (
	shownSeeds  = 20
	lookedAt    = 10 * shownSeeds // by the index, for what closed content they hold
	countedSeed = 10_000
)

// seeds fills in what a crawl began with: a few of the seeds that this reader may be told of, and how many more there are.
func (c *Reports) seeds(ctx context.Context, p *draw.Crawl, hidden func(url string) bool) error {
	read, looked := 0, 0
	for seed, err := range archive.Seeds(vfs.Default, c.Dir, p.ID) {
		if err != nil {
			return nil // damage, which kavosh check tells of
		}
		if read++; read > countedSeed {
			p.SeedsCut = true
			break
		}
		switch {
		case hidden(seed) || weburl.Silence(seed, "", hidden) != seed: // itself, or one that stands within it
			continue
		case len(p.Seeds) == shownSeeds || looked == lookedAt:
			p.MoreSeeds++
			continue
		}
		looked++
		refused, err := c.Guard.Withheld(ctx, seed)
		if err != nil {
			return err
		}
		if refused == nil {
			p.Seeds = append(p.Seeds, seed)
		}
	}
	return nil
}

// hides says which URLs rules keep from readers who are told of a crawl that began at a time.
func hides(rules *access.Rules, began time.Time) func(url string) bool {
	now := time.Now()
	return func(url string) bool {
		for _, at := range []time.Time{began, now} {
			if !rules.Decide(&cdx.Entry{URL: url, Timestamp: at.UTC().Format("20060102150405")}, now).Listed() {
				return true
			}
		}
		return false
	}
}

// Imports are the files of others that were taken into the archive, the newest first.
func (c *Reports) Imports(context.Context) ([]draw.Import, error) {
	rules, err := c.Rules.Rules()
	if err != nil {
		return nil, err
	}
	var list []draw.Import
	for made := range archive.Imports(vfs.Default, c.Dir) {
		told := func(text string) string { return unnamed(about.Title(text), hides(rules, made.Time)) }
		list = append(list, draw.Import{Name: told(baseName(made.Source)), Title: told(made.Title), Time: made.Time, Captures: made.Captures})
	}
	slices.SortStableFunc(list, func(a, b draw.Import) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// baseName is the last part of a path or an address, which tells nothing of the machine that it was on.
func baseName(source string) string {
	if u, err := url.Parse(source); err == nil && ranges.IsURL(source) {
		return path.Base("/" + u.Path)
	}
	return filepath.Base(filepath.ToSlash(source))
}

// unnamed is a text, or … for one that names a URL or a host that is hidden: files are often named after sites.
func unnamed(text string, hidden func(url string) bool) string {
	if weburl.Silence(text, "", hidden) != text {
		return "…"
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" _/:;,()[]\"'«»،؛", r) }) {
		for name := word; strings.Contains(name, "."); name = name[:strings.LastIndexAny(name, "-.")] {
			for host := name; strings.Contains(host, "."); {
				if hidden("http://" + host + "/") {
					return "…"
				}
				i := strings.IndexAny(host, "-.")
				host = host[i+1:]
			}
		}
	}
	return text
}
