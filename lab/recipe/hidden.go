package recipe

// This file keeps texts that must not be published out of lists of experiments.

import (
	"fmt"
	"hash/fnv"
	"io"
	"strings"
)

// Hidden replaces a label or address in a list that must not be published, such as a tag that somebody gave to a page:
// "#" and its hash. With the web, it can be found again.
func Hidden(s string) string {
	h := fnv.New64a()
	io.WriteString(h, s)
	return fmt.Sprintf("#%016x", h.Sum64())
}

// HiddenQuery is a judge that searches for the words of the unit's label.
const HiddenQuery = "query=#"

// reveal finds what is hidden in units.
func (b *workspace) reveal(units []unit) error {
	for i := range units {
		u := &units[i]
		if hash, ok := strings.CutPrefix(u.relevant, "label=#"); ok {
			label := ""
			for l := range b.labels[u.web] {
				if Hidden(l) == "#"+hash {
					label = l
				}
			}
			if label == "" {
				return fmt.Errorf("%s has no label whose hash is %s: it is not the web that the list is of; make it again by make lab-data", u.web, hash)
			}
			u.relevant = "label=" + label
		}
		if u.judge == HiddenQuery {
			label := strings.TrimPrefix(u.relevant, "label=")
			_, words, named := strings.Cut(label, "=")
			if !named {
				words = label
			}
			u.judge = "query=" + words
		}
		if !strings.HasPrefix(u.start, "#") {
			continue
		}
		web, err := b.open(u.web)
		if err != nil {
			return err
		}
		for k := range web.Pages {
			if Hidden(web.Pages[k].URL) == u.start {
				u.start = web.Pages[k].URL
				break
			}
		}
		if strings.HasPrefix(u.start, "#") {
			return fmt.Errorf("%s has no page whose hash is %s: it is not the web that the list is of; make it again by make lab-data", u.web, u.start[1:])
		}
	}
	return nil
}
