package scope

import (
	"strings"
	"sync"

	"kavosh/lib/simhash"
)

// maxNear is how many pages a new one is compared with, the newest: with their URLs some 20 MB.
const maxNear = 1 << 17

// near finds pages that say nearly the same as an earlier one.
type near struct {
	mu struct {
		sync.Mutex
		pages *simhash.Index[string]
	}
}

// earlier is the URL of a page with nearly the text of url's, "" for none; then url is one that later pages are compared
// with.
func (n *near) earlier(fingerprint uint64, url string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mu.pages == nil {
		n.mu.pages = simhash.NewIndex[string](maxNear)
	}
	other, _, _ := n.mu.pages.Find(fingerprint)
	if other == url {
		return ""
	}
	if other == "" { // of pages nearly the same the first one stands for all
		n.mu.pages.Add(fingerprint, strings.Clone(url))
	}
	return other
}
