package archive

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// PackageTexts has what imported packages say of pages, by URL: titles, and texts as a browser showed them. If a URL
// has several pages, the one with the longest text counts.
type PackageTexts map[string]ImportedPage

// maxTexts is the most bytes of texts that are kept in memory. Further ones are skipped.
const maxTexts = 64 << 20

// ReadPackageTexts reads the pages of all imports into the archive in dir. What cannot be read is skipped and reported
// to trouble.
func ReadPackageTexts(fs vfs.FS, dir string, trouble func(string)) PackageTexts {
	all, size := PackageTexts{}, 0
	for page, err := range ImportedPages(fs, dir) {
		if err != nil {
			trouble("what imported packages say of their pages: " + err.Error())
			break
		}
		if size += len(page.URL) + len(page.Title) + len(page.Text); size > maxTexts {
			break
		}
		if old, ok := all[page.URL]; !ok || len(page.Text) > len(old.Text) {
			all[page.URL] = page
		}
	}
	return all
}

// Complete adds to page what a package says of it, if that is more than the page itself holds, because its scripts
// wrote text. It reports whether it added anything.
func (t PackageTexts) Complete(url string, page *kavosh.Page) (more bool) {
	said := t[url]
	if page.Title == "" && said.Title != "" {
		page.Title, more = said.Title, true
	}
	if len(page.Text) < len(said.Text)/2 {
		page.Text, page.Blocks, more = said.Text, nil, true
	}
	return more
}
