package main

import (
	"math"
	"net/netip"
	"strconv"
)

// web is a generated web with host sizes by Zipf's law: the k-th host has a k-th of the first one's pages. Pages have
// numbers; those of a host are consecutive.
type web struct {
	pages, hosts uint64
	log          float64 // of hosts + 1
}

func newWeb(pages, hosts uint64) web { return web{pages, hosts, math.Log(float64(hosts + 1))} }

func (w *web) host(page uint64) uint64 {
	return min(max(uint64(math.Exp(float64(page)/float64(w.pages)*w.log)), 1), w.hosts)
}

// Words for names and titles, and top-level domains.
var (
	words = [64]string{"home", "news", "shop", "world", "green", "blue", "river", "mountain", "garden", "house", "music", "travel", "photo",
		"video", "food", "kitchen", "health", "sport", "football", "city", "country", "school", "science", "history",
		"culture", "book", "library",
		"archive", "report", "review", "guide", "help", "forum", "group", "people", "family", "children", "market",
		"business", "finance", "energy",
		"water", "light", "design", "fashion", "beauty", "auto", "bike", "train", "flight", "hotel", "island", "forest", "animal", "garden-party",
		"winter", "summer", "spring", "autumn", "morning", "evening", "today", "future", "past"}
	endings = [16]string{"com", "com", "com", "com", "org", "net", "de", "co.uk", "fr", "ir", "nl", "jp", "com.br", "it", "pl", "info"}
)

func appendOrigin(b []byte, host uint64) []byte {
	m := mix(host)
	if m&7 == 0 {
		b = append(b, "http://"...)
	} else {
		b = append(b, "https://"...)
	}
	if m>>3&3 != 0 {
		b = append(b, "www."...)
	}
	b = append(append(b, words[m>>5&63]...), words[m>>11&63]...)
	b = strconv.AppendUint(b, host, 36)
	return append(append(b, '.'), endings[m>>17&15]...)
}

// appendURL appends the URL of a page, about 75 bytes as on the real web. Each site has its own style: articles by
// date, a shop with categories, a wiki, a forum with queries.
func (w *web) appendURL(b []byte, page uint64) []byte {
	host := w.host(page)
	return appendPath(appendOrigin(b, host), host, page)
}

func appendPath(b []byte, host, page uint64) []byte {
	m := mix(page)
	switch style := mix(host) >> 24 & 7; style {
	case 0, 1, 2:
		b = append(b, '/')
		b = strconv.AppendUint(b, 2005+m&15, 10)
		b = append(b, '/', '0', '1'+byte(m>>4&7), '/')
		b = appendTitle(b, m>>7, 3+int(m>>60&3))
		b = append(b, '-')
		b = append(strconv.AppendUint(b, page, 10), ".html"...)
	case 3, 4:
		b = append(append(append(b, '/'), words[m&63]...), '/')
		b = append(append(b, words[m>>6&63]...), '/')
		b = append(appendTitle(b, m>>12, 2+int(m>>62)), "/p"...)
		b = append(strconv.AppendUint(b, page, 10), '/')
	case 5:
		b = append(b, "/wiki/"...)
		b = append(appendTitle(b, m, 2), '_')
		b = strconv.AppendUint(b, page, 36)
	case 6:
		b = append(append(append(b, '/'), words[m&63]...), "/thread-"...)
		b = strconv.AppendUint(b, page>>4, 10)
		b = append(b, "/index.php?page="...)
		b = strconv.AppendUint(b, page&15, 10)
		b = append(append(b, "&sort="...), words[m>>6&63]...)
	default:
		b = append(append(b, "/img/"...), words[m&63]...)
		b = append(b, '/')
		b = append(strconv.AppendUint(b, m>>40, 16), '_')
		b = append(strconv.AppendUint(b, page, 36), "_large.jpg"...)
	}
	return b
}

func appendTitle(b []byte, m uint64, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, '-')
		}
		b = append(b, words[m&63]...)
		m >>= 6
	}
	return b
}

// address returns the address of a host: one host in four has its own, the others share.
func address(name string) netip.Addr {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	m := mix(h)
	if m&3 != 0 {
		m &= 1<<22 - 1
	}
	return netip.AddrFrom4([4]byte{byte(16 + m>>26&127), byte(m >> 18), byte(m >> 10), byte(m >> 2)})
}
