package scope

import (
	"strings"
	"sync"

	"kavosh/lib/simhash"
)

// maxNear is with how many pages a new one is compared, the newest. With their URLs these need some 20 MB.
const maxNear = 1 << 17

// near finds pages that say nearly the same as an earlier page. It is safe for concurrent use.
type near struct {
	mu struct {
		sync.Mutex
		pages *simhash.Index[string]
	}
}

// earlier returns the URL of an earlier page with nearly the same text. If there is none, it returns "" and remembers
// this page, so that later ones are compared with it. fingerprint is a simhash of the text.
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
	if other == "" { // the first of several similar pages stands for all of them
		n.mu.pages.Add(fingerprint, strings.Clone(url))
	}
	return other
}
