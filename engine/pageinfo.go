package engine

// This file makes the record of what a page asked for in the browser (urn:pageinfo:). Its form is that of
// browsertrix-crawler, whose tools compare by it what a page asked for live and in replay.

import (
	"encoding/json"

	"kavosh"
	"kavosh/record"
)

// noted returns answer, which then also notes what came for a URL.
func (v *visit) noted(url string, answer func(*kavosh.Exchange)) func(*kavosh.Exchange) {
	note := func(what kavosh.Answered) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.mu.came[url] = what
	}
	note(kavosh.Answered{})
	return func(x *kavosh.Exchange) {
		note(kavosh.Answered{Status: x.Status, MIME: record.MediaType(x.Header.Get("Content-Type"))})
		answer(x)
	}
}

// info is the record, after so many errors of the page's scripts. The caller holds the mutex.
func (v *visit) info(errors int) kavosh.Rendering {
	p := kavosh.Asked{URL: v.page.URL, URLs: v.mu.came, Counts: kavosh.AskedCounts{Errors: errors}}
	data, _ := json.Marshal(p) // strings and numbers always encode
	return kavosh.Rendering{Kind: kavosh.PageInfo, Data: data}
}
