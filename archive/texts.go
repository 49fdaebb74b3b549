package archive

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// PackageTexts are what imported packages say of pages, by their URLs: titles and texts as a browser showed them. Of several pages of
// a URL the one with the longest text counts.
type PackageTexts map[string]ImportedPage

// maxTexts is how many bytes of them are held; what comes after them is passed over.
const maxTexts = 64 << 20

// ReadPackageTexts reads what was imported into the archive in dir, as far as it can be read.
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

// Complete gives page what a package says of it, where that is more than the page itself holds: its scripts wrote it.
// It reports whether there is more.
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
