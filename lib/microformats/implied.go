package microformats

// This file finds the properties that an element implies, if a microformat does not state them.

import (
	"slices"
	"strings"

	"kavosh/lib/htmltree"
)

// imply gives an item without its own name, photo or URL what its element implies. Older formats imply nothing.
func (r *reader) imply(n *htmltree.Node, item *Item) {
	if item.classic {
		return
	}
	if !item.named && !item.nested && len(item.Properties["name"]) == 0 {
		item.Properties["name"] = []Value{{Text: strings.TrimSpace(r.impliedName(n)), kind: 'p'}}
	}
	if item.linked || item.nested {
		return
	}
	if len(item.Properties["photo"]) == 0 {
		if picture := impliedElement(n, "img src", "object data"); picture != nil {
			item.Properties["photo"] = []Value{r.url(picture)}
		}
	}
	if len(item.Properties["url"]) == 0 {
		if link := impliedElement(n, "a href", "area href"); link != nil {
			item.Properties["url"] = []Value{r.url(link)}
		}
	}
}

func (r *reader) impliedName(n *htmltree.Node) string {
	named := []string{"img alt", "area alt", "abbr title"}
	if name, ok := stated(n, named...); ok {
		return name
	}
	only := n
	for range 2 {
		if only = onlyChild(only); only == nil || isRoot(only) {
			break
		}
		if name, _ := stated(only, named...); name != "" {
			return name
		}
	}
	return r.text(n, false)
}

// impliedElement returns the element from which an item's photo or URL is taken: n, its only child of a kind, or the
// only such child of its only child.
func impliedElement(n *htmltree.Node, kinds ...string) *htmltree.Node {
	if _, ok := stated(n, kinds...); ok {
		return n
	}
	for _, kind := range kinds {
		if one := onlyOf(n, kind); one != nil {
			return one
		}
	}
	if only := onlyChild(n); only != nil && !isRoot(only) {
		for _, kind := range kinds {
			if one := onlyOf(only, kind); one != nil {
				return one
			}
		}
	}
	return nil
}

// onlyOf returns n's only child of that name with the attribute, if it is not an item.
func onlyOf(n *htmltree.Node, kind string) (only *htmltree.Node) {
	element, attribute, _ := strings.Cut(kind, " ")
	for c := range n.Children() {
		if c.Name == element {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	if only == nil || isRoot(only) {
		return nil
	}
	if _, ok := only.Get(attribute); !ok {
		return nil
	}
	return only
}

// onlyChild returns the only element in n; nil if there is none or more than one.
func onlyChild(n *htmltree.Node) (only *htmltree.Node) {
	for c := range n.Children() {
		if c.Name != "" {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

func isRoot(n *htmltree.Node) bool {
	class, _ := n.Get("class")
	return slices.ContainsFunc(slices.Collect(htmltree.Words(class)), rootName.MatchString)
}
