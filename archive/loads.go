package archive

// This file reads browser.log, which says what the browser found in pages that it loaded with --browser auto.

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/journal"
)

// BrowserLogFile is the name of the log of loads in the folder of a crawl.
const BrowserLogFile = "browser.log"

// Load is a line of browser.log (docs/formats/browserlog.md).
type Load struct {
	Time      time.Time      `json:"time"`
	URL       string         `json:"url"`
	Why       string         `json:"why,omitempty"`        // why it was loaded, in words
	Links     int            `json:"links"`                // that the crawl did not know, in the document that the scripts left; and requests other than GET
	Found     int            `json:"found"`                // resources that the crawl did not know, which the scripts asked for
	Resources []string       `json:"resources,omitempty"`  // the first of them
	Makes     bool           `json:"makes,omitempty"`      // much of what it shows is nowhere in its HTML
	Acts      map[string]int `json:"behaviours,omitempty"` // how often each behaviour acted on it, by name
	Notes     []string       `json:"notes,omitempty"`      // what was refused, and why the page ended, one line each
}

// Loads are the sums of browser.log.
type Loads struct {
	Scripted  int64 `json:"scripted"`  // pages with scripts
	Loaded    int64 `json:"loaded"`    // of them, those that the browser loaded
	Links     int64 `json:"links"`     // Load.Links of all
	Resources int64 `json:"resources"` // Load.Found of all
}

// ReadLoads reads the lines of browser.log of a crawl of the archive in dir; none if it has no such log.
func ReadLoads(fs vfs.FS, dir, id string) iter.Seq2[Load, error] {
	return func(yield func(Load, error) bool) {
		for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, BrowserLogFile), 0) {
			var l Load
			if err == nil {
				if err = json.Unmarshal(e.Line, &l); err != nil {
					err = fmt.Errorf("browser.log of crawl %s is damaged before byte %d: %w", id, e.Next, err)
				}
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}
