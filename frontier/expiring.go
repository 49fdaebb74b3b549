package frontier

import (
	"hash/fnv"
	"io"
	"time"

	"kavosh/lib/weburl"
)

// This file lets URLs whose signatures expire come before they do, and those that have expired last, whatever the order.

// Bounds on URLs that come ahead, because whoever writes a page can write any expiry into its links. So many may come
// ahead of others, and one more for each other URL that was asked for: at least half of what a domain and the crawl are
// asked for has its turn by the order.
const (
	aheadOfDomain = 50
	aheadOfCrawl  = 1000
	maxAhead      = 100_000 // URLs that wait ahead, and domains that have some
)

const (
	expiresSoon   = 7 * 24 * time.Hour // a URL that expires later waits by the order: signatures rarely last longer
	expiringScore = 1e9                // of one that expires now; a point less for each minute that is left
)

// expiring knows which URLs wait ahead since they expire. It is not kept over a restart; scores of queued URLs are.
type expiring struct {
	ahead   map[uint64]bool // hashes of the URLs that wait ahead
	domains map[string]int  // URLs of a domain that came ahead, less others that were asked for since; above 0
	crawl   int             // the same of all
}

// add returns the score of a URL and its reason, with the expiry of the URL minded. A seed may come sooner by it, not later.
func (e *expiring) add(url, host string, seed bool, now time.Time, score float64, why string) (float64, string) {
	at, ok := weburl.Expires(url)
	left := at.Sub(now)
	if !ok || left > expiresSoon || left <= 0 && seed {
		return score, why
	}
	if why != "" {
		why += ", "
	}
	if left <= 0 {
		return -expiringScore, why + "expired " + utc(at)
	}
	if key := hashOfURL(url); !e.ahead[key] {
		domain := weburl.Domain(host)
		if e.domains[domain] >= aheadOfDomain || e.crawl >= aheadOfCrawl || len(e.ahead) >= maxAhead || len(e.domains) >= maxAhead {
			return score, why + "expires " + utc(at) + ", as too many others do"
		}
		if e.ahead == nil {
			e.ahead, e.domains = map[uint64]bool{}, map[string]int{}
		}
		e.ahead[key] = true
		e.domains[domain]++
		e.crawl++
	}
	return expiringScore - left.Minutes(), why + "expires " + utc(at)
}

// asked notes that a URL is done.
func (e *expiring) asked(url, host string) {
	if len(e.ahead) == 0 && len(e.domains) == 0 && e.crawl == 0 {
		return
	}
	if key := hashOfURL(url); e.ahead[key] {
		delete(e.ahead, key)
		return
	}
	e.crawl = max(e.crawl-1, 0)
	domain := weburl.Domain(host)
	if n := e.domains[domain]; n > 1 {
		e.domains[domain] = n - 1
	} else {
		delete(e.domains, domain)
	}
}

func hashOfURL(url string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, url) // never fails
	return h.Sum64()
}
