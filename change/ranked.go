package change

// This file lists what changed between two crawls, what matters most first.

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// Page is a page in a List.
type Page struct {
	URL        string         `json:"url"`
	Before     string         `json:"before,omitempty"` // times of its captures, as an index has them
	Now        string         `json:"now,omitempty"`
	Status     int            `json:"status,omitempty"` // of the newer answer, for one that is gone
	Importance float64        `json:"importance,omitempty"`
	Operations map[string]int `json:"operations,omitempty"` // how many, such as "insert link"
	Noise      map[Noise]int  `json:"noise,omitempty"`      // how many more that tell nothing, by why
}

// List is what came of the pages of two crawls.
type List struct {
	Tally
	Unseen   int64  `json:"unseen"`    // of the unchanged, those whose bytes changed, and nothing that a reader sees
	Noise    int64  `json:"noise"`     // of the changed, those of which nothing changed but noise
	NotAsked int64  `json:"not_asked"` // pages of the older crawl for which the newer one has no answer, or only a note of it
	Unread   int64  `json:"unread"`    // of the changed, those of which a version cannot be read
	Changes  []Page `json:"changed_pages"`
	News     []Page `json:"new_pages"`
	Lost     []Page `json:"gone_pages"`
}

// Lister compares two crawls.
type Lister struct {
	Records *records.Records // its index has the captures
	// Compare returns what differs between two captures of a page.
	Compare       func(ctx context.Context, old, new *cdx.Entry) (*Report, error)
	Offset, Limit int // of each list; memory is bounded by their sum
	Trouble       func(url string, err error)
	Done          func(pages int64) // is called after each page
}

// List compares the captures for which old and new are true. What whoever the records are read for may not see is left
// out.
func (l *Lister) List(ctx context.Context, old, new func(*cdx.Entry) bool) (*List, error) {
	n, list := int64(0), &List{}
	for p, err := range Pairs(ctx, l.Records.Index, old, new) {
		if err != nil {
			return nil, err
		}
		closed, err := l.closed(ctx, p.Old, p.New)
		if err != nil {
			return nil, err
		}
		if closed {
			continue
		}
		if err := l.take(ctx, list, &p); err != nil {
			return nil, err
		}
		if n++; l.Done != nil {
			l.Done(n)
		}
	}
	l.cut(&list.Changes, 0)
	for _, pages := range [...]*[]Page{&list.Changes, &list.News, &list.Lost} {
		*pages = (*pages)[min(l.Offset, len(*pages)):min(l.Offset+l.Limit, len(*pages))]
	}
	return list, nil
}

// closed reports whether one of two captures may not be shown.
func (l *Lister) closed(ctx context.Context, of ...*cdx.Entry) (bool, error) {
	for _, e := range of {
		if e == nil || l.Records.Gate == nil {
			continue
		}
		if refused, err := l.Records.Gate.Refused(ctx, e); refused != nil || err != nil {
			return true, err
		}
	}
	return false, nil
}

// take adds a page to the list.
func (l *Lister) take(ctx context.Context, list *List, p *Pair) error {
	page := Page{URL: p.URL}
	if p.Old != nil {
		page.Before = p.Old.Timestamp
	}
	if p.New != nil {
		page.Now = p.New.Timestamp
	}
	most := l.Offset + l.Limit
	switch p.Fate {
	case NotAsked:
		list.NotAsked++
	case New:
		if list.News = append(list.News, page); len(list.News) > most {
			list.News = list.News[:most]
		}
	case Gone:
		page.Status = p.New.Status
		if list.Lost = append(list.Lost, page); len(list.Lost) > most {
			list.Lost = list.Lost[:most]
		}
	case Differs:
		r, err := l.Compare(ctx, p.Old, p.New)
		switch _, refused := errors.AsType[*kavosh.Refused](err); {
		case ctx.Err() != nil:
			return ctx.Err()
		case refused: // what it repeats is closed
			return nil
		case err != nil:
			list.Unread++
			l.Trouble(p.URL, err)
		case len(r.Operations) == 0:
			list.Unseen++
			list.Unchanged++
			return nil
		default:
			page.Importance, page.Operations = r.Importance.Weighed, r.Counts()
			if page.Noise = r.Noise(); len(page.Operations) == 0 {
				list.Noise++
			}
		}
		list.Changes = append(list.Changes, page)
		l.cut(&list.Changes, 2*most+100)
	}
	list.Add(p.Fate)
	return nil
}

// cut keeps the pages that changed most, once there are more than so many.
func (l *Lister) cut(pages *[]Page, many int) {
	if len(*pages) <= many {
		return
	}
	slices.SortFunc(*pages, func(a, b Page) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), strings.Compare(a.URL, b.URL))
	})
	*pages = (*pages)[:min(len(*pages), l.Offset+l.Limit)]
}
