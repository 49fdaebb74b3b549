package engine

// This file makes the record of what a page asked for in the browser (urn:pageinfo:). Its form is that of
// browsertrix-crawler, whose tools compare by it what a page asked for live and in replay.

import (
	"encoding/json"

	"kavosh"
	"kavosh/record"
)

// answered is what came of a request of a page: status 0 means nothing.
type answered struct {
	Status int    `json:"status"`
	MIME   string `json:"mime,omitempty"`
}

// pageInfo is the block of the record.
type pageInfo struct {
	URL    string              `json:"url"`
	URLs   map[string]answered `json:"urls"`
	Counts struct {
		Errors int `json:"jsErrors"`
	} `json:"counts"`
}

// noted returns answer, which then also notes what came for a URL.
func (v *visit) noted(url string, answer func(*kavosh.Exchange)) func(*kavosh.Exchange) {
	note := func(what answered) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.mu.came[url] = what
	}
	note(answered{})
	return func(x *kavosh.Exchange) {
		note(answered{x.Status, record.MediaType(x.Header.Get("Content-Type"))})
		answer(x)
	}
}

// info is the record, after so many errors of the page's scripts. The caller holds the mutex.
func (v *visit) info(errors int) kavosh.Rendering {
	p := pageInfo{URL: v.page.URL, URLs: v.mu.came}
	p.Counts.Errors = errors
	data, _ := json.Marshal(p) // strings and numbers always encode
	return kavosh.Rendering{Kind: kavosh.PageInfo, Data: data}
}
