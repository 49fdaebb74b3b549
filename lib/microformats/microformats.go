// Package microformats reads microformats2 and the older microformats in HTML pages, with the names of microformats2.
//
// It follows the parsing specification of microformats.org: microformats.go finds items and their properties, value.go
// reads values, implied.go handles implied properties, classic.go has the names of the older formats. The include
// pattern of the older formats, which takes in content from elsewhere in the page, is left out. statements.go turns
// items into RDF.
//
// A page costs time linear in its length: see the bounds below, and htmltree.Page.Spend.
package microformats

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"kavosh/lib/htmltree"
)

const (
	maxClasses = 128    // names in one class or rel attribute
	maxValues  = 50_000 // items, values and links in one page
	visitCost  = 4      // bytes of the page's allowance for each node visited again
)

// Data holds the microformats of a page. Its JSON follows the specification.
type Data struct {
	Items []*Item             `json:"items"`
	Rels  map[string][]string `json:"rels"`     // the URLs for each link relation
	Links map[string]*Link    `json:"rel-urls"` // by URL
}

// Link is a link with relations. Its texts are those of the first element that has them.
type Link struct {
	Rels     []string `json:"rels"`
	Text     string   `json:"text,omitempty"`
	Title    string   `json:"title,omitempty"`
	Media    string   `json:"media,omitempty"`
	HrefLang string   `json:"hreflang,omitempty"`
	Type     string   `json:"type,omitempty"`
}

// Item is a microformat. Its types, such as h-card, are sorted.
type Item struct {
	Type       []string           `json:"type"`
	ID         string             `json:"id,omitempty"`
	Properties map[string][]Value `json:"properties"`
	Children   []*Item            `json:"children,omitempty"`

	classic       bool   // of an older format
	named, linked bool   // it has a property that prevents implying a name, or a URL and a photo
	nested        bool   // it contains items
	date          string // date of its last time
}

// Value is the value of a property: a text, with markup or a picture's alternative text if the kind of property has it;
// or an item with a text for it.
type Value struct {
	Text string
	HTML *string
	Alt  *string
	Item *Item

	kind byte // of the property
}

// MarshalJSON returns a bare string if there is only a text.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.HTML == nil && v.Alt == nil && v.Item == nil {
		return json.Marshal(v.Text)
	}
	return json.Marshal(struct {
		*Item
		Value string  `json:"value"`
		HTML  *string `json:"html,omitempty"`
		Alt   *string `json:"alt,omitempty"`
	}{v.Item, v.Text, v.HTML, v.Alt})
}

// Read returns the microformats of a page. If a bound was exceeded, the page's Fault says so.
func Read(page *htmltree.Page) *Data {
	r := reader{page: page, data: &Data{Items: []*Item{}, Rels: map[string][]string{}, Links: map[string]*Link{}}}
	r.element(page.Root, nil)
	for _, l := range r.data.Links {
		slices.Sort(l.Rels)
	}
	return r.data
}

type reader struct {
	page   *htmltree.Page
	data   *Data
	values int
	pairs  map[[2]string]bool // links by relation and URL
}

// room counts one more value and reports whether the bound allows it.
func (r *reader) room(n *htmltree.Node) bool {
	if r.values++; r.values <= maxValues {
		return true
	}
	r.page.Stop(n, "more than %d values of microformats", maxValues)
	return false
}

// property is a property that an element gives to the item around it.
type property struct {
	kind byte // 'p', 'u', 'd' for dt, 'e'; 't' for a tag: a word in a URL
	name string
}

// element reads an element and its content; around is the item around it, or nil.
func (r *reader) element(n *htmltree.Node, around *Item) {
	if n.Name == "" {
		return
	}
	r.link(n)
	classes := r.words(n, "class")
	var properties []property
	if around != nil {
		properties = r.properties(n, classes, around)
	}
	item := r.root(n, classes, properties, around)
	within := around
	if item != nil {
		within = item
	}
	for c := range n.Children() {
		r.element(c, within)
	}
	if item != nil {
		r.imply(n, item)
	}
	if around != nil && (item != nil || len(properties) > 0) {
		r.give(n, around, properties, item)
	} else if item != nil {
		r.data.Items = append(r.data.Items, item)
	}
}

// words returns the names in an attribute, at most maxClasses.
func (r *reader) words(n *htmltree.Node, attribute string) (words []string) {
	value, _ := n.Get(attribute)
	if value == "" {
		return nil
	}
	for word := range htmltree.Words(value) {
		if len(words) == maxClasses {
			r.page.Stop(n, "an attribute of more than %d names", maxClasses)
			break
		}
		words = append(words, word)
	}
	return words
}

var (
	rootName     = regexp.MustCompile(`^h(?:-[a-z0-9]+)?(?:-[a-z]+)+$`)
	propertyName = regexp.MustCompile(`^(?:p|u|dt|e)((?:-[a-z0-9]+)?(?:-[a-z]+)+)$`)
)

// root returns the item that an element begins; nil if none.
func (r *reader) root(n *htmltree.Node, classes []string, properties []property, around *Item) *Item {
	var types []string
	for _, c := range classes {
		if strings.HasPrefix(c, "h-") && rootName.MatchString(c) {
			types = append(types, c)
		}
	}
	classic := len(types) == 0
	if classic {
		for _, c := range classes {
			if kind := classicRoots[c]; kind != "" {
				types = append(types, kind)
			}
		}
		if len(types) == 0 && around != nil && around.classic && slices.Contains(properties, property{'p', "item"}) {
			types = []string{"h-item"} // what a review is about
		}
	}
	if len(types) == 0 || !r.room(n) {
		return nil
	}
	slices.Sort(types)
	id, _ := n.Get("id")
	return &Item{Type: slices.Compact(types), ID: id, Properties: map[string][]Value{}, classic: classic}
}

// properties returns the properties that an element gives to the item around it.
func (r *reader) properties(n *htmltree.Node, classes []string, around *Item) (all []property) {
	if around.classic {
		return classicProperties(classes, r.words(n, "rel"), around)
	}
	for _, c := range classes {
		if match := propertyName.FindStringSubmatch(c); match != nil {
			all = append(all, property{c[0], match[1][1:]})
		}
	}
	return all
}

// give adds the value or item of an element to the item around it.
func (r *reader) give(n *htmltree.Node, to *Item, properties []property, item *Item) {
	to.nested = to.nested || item != nil
	for _, p := range properties {
		if !r.room(n) {
			return
		}
		to.named = to.named || p.kind == 'p' || p.kind == 'e'
		to.linked = to.linked || p.kind == 'u'
		v := r.value(n, p.kind, item)
		v.kind = p.kind
		if p.kind == 'd' {
			v.Text = to.dated(v.Text)
		}
		if to.classic || item != nil {
			v.Alt = nil
		}
		if v.Item = item; item != nil {
			if explicit := item.standIn(p.kind); explicit != nil {
				v.Text = explicit.Text
			}
		}
		to.Properties[p.name] = append(to.Properties[p.name], v)
	}
	if len(properties) == 0 {
		to.Children = append(to.Children, item)
	}
}

// dated returns a time with its date: a time of day gets the date of the time before it.
func (i *Item) dated(text string) string {
	if len(text) >= len("15:04") && text[2] == ':' && i.date != "" {
		return i.date + " " + text
	}
	if date := dateStart.FindString(text); date != "" {
		i.date = date
	}
	return text
}

// standIn returns the value that replaces an item where a text is wanted: its name, or for URL properties its URL.
func (i *Item) standIn(kind byte) *Value {
	values := i.Properties[map[byte]string{'p': "name", 'u': "url"}[kind]]
	if first := slices.IndexFunc(values, func(v Value) bool { return v.kind == kind }); first >= 0 {
		return &values[first]
	}
	return nil
}

// link notes the relations of a link.
func (r *reader) link(n *htmltree.Node) {
	if n.Name != "a" && n.Name != "link" && n.Name != "area" {
		return
	}
	href, linked := n.Get("href")
	rels := r.words(n, "rel")
	if !linked || len(rels) == 0 {
		return
	}
	url, ok := r.page.Resolve(href)
	if !ok || !r.room(n) {
		return
	}
	l := r.data.Links[url]
	if l == nil {
		l = &Link{}
		r.data.Links[url] = l
	}
	if r.pairs == nil {
		r.pairs = map[[2]string]bool{}
	}
	for _, rel := range rels {
		if pair := [2]string{rel, url}; !r.pairs[pair] {
			r.pairs[pair] = true
			r.data.Rels[rel] = append(r.data.Rels[rel], url)
			l.Rels = append(l.Rels, rel)
		}
	}
	if l.Text == "" {
		l.Text, _ = r.page.Text(n)
	}
	for attribute, to := range map[string]*string{"title": &l.Title, "media": &l.Media, "hreflang": &l.HrefLang, "type": &l.Type} {
		if *to == "" {
			*to, _ = n.Get(attribute)
		}
	}
}
