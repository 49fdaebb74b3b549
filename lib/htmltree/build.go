package htmltree

// This file builds the tree of a web page.

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// builder builds the tree of a page from tags and texts.
type builder struct {
	page *Page
	z    *html.Tokenizer

	open  []*Node        // open elements, outermost first
	count map[string]int // how many of each name are open
	over  int            // open elements beyond maxDepth, which are in the tree but not in open
	inert int            // open template elements, whose content is not part of the page
	head  bool           // a head element was seen
	body  *Node
	based bool // a base element was seen

	parts int // elements, attributes and texts so far
	full  bool
	slab  []Node
}

// kind says how an element affects its neighbours.
type kind uint8

const (
	void       kind = 1 << iota // it has no end tag
	special                     // end tags of inline elements do not close it
	scope                       // end tags do not close it, except those of tables
	formatting                  // it may be closed while block elements inside it stay open
	ofHead                      // it may be in the head
	closesP                     // it ends an open paragraph
)

// kinds has the kinds of the elements of the HTML standard; others have none.
var kinds = func() map[string]kind {
	all := map[string]kind{}
	for names, k := range map[string]kind{
		"area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr":                                                                                                                               void,
		"address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header": special,
		"hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template":            special,
		"textarea tfoot th thead title tr track ul wbr xmp":                                                                                                special,
		"applet caption html table td th marquee object template svg math":                                                                                 scope,
		"a b big code em font i nobr s small strike strong tt u":                                                                                           formatting,
		"base basefont bgsound link meta noframes noscript script style template title":                                                                    ofHead,
		"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup hr main menu nav ol p pre": closesP,
		"search section summary table ul h1 h2 h3 h4 h5 h6 listing xmp plaintext li dd dt":                                                                 closesP,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] |= k
		}
	}
	return all
}()

// rows says which element contains a part of a table; elements open below that one are closed first.
var rows = map[string]string{
	"td": " tr tbody thead tfoot table ", "th": " tr tbody thead tfoot table ", "tr": " tbody thead tfoot table ",
	"tbody": " table ", "thead": " table ", "tfoot": " table ", "caption": " table ", "colgroup": " table ", "col": " colgroup table ",
}

func (b *builder) build() {
	b.z = html.NewTokenizer(strings.NewReader(b.page.body))
	b.z.SetMaxBuf(maxToken)
	b.z.AllowCDATA(true)
	if !b.page.XML {
		b.page.Root = b.make("html", 0)
		b.push(b.page.Root)
	}
	for at := 0; !b.full; {
		token := b.z.Next()
		here := at
		at += len(b.z.Raw())
		switch token {
		case html.ErrorToken:
			if b.z.Err() == html.ErrBufferExceeded {
				b.page.Stop(&Node{Offset: here}, "a tag or text of more than %d bytes", maxToken)
			}
			if b.page.Root == nil {
				b.page.Root = b.make("html", 0)
			}
			return
		case html.TextToken:
			b.text(here)
		case html.StartTagToken, html.SelfClosingTagToken:
			b.start(here, token == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := b.z.TagName()
			b.end(atom.String(name))
		}
	}
}

// make returns a new node from a slab, because a page should cost few allocations.
func (b *builder) make(name string, offset int) *Node {
	if len(b.slab) == 0 {
		b.slab = make([]Node, min(1024, 16+b.parts))
	}
	n := &b.slab[0]
	b.slab = b.slab[1:]
	n.Name, n.Offset = name, offset
	if b.parts++; b.parts > maxParts {
		b.full = true
		b.page.Stop(n, "more than %d elements, attributes and texts", maxParts)
	}
	return n
}

func (b *builder) top() *Node { return b.open[len(b.open)-1] }

func (b *builder) push(n *Node) {
	b.open = append(b.open, n)
	b.count[n.Name]++
}

// cut closes the open elements from index i on.
func (b *builder) cut(i int) {
	for _, n := range b.open[i:] {
		b.count[n.Name]--
	}
	b.open, b.over = b.open[:i], 0
}

func (b *builder) text(offset int) {
	if b.inert > 0 || len(b.open) == 0 {
		return
	}
	text := string(b.z.Text())
	if !b.page.XML && len(strings.TrimLeft(text, blanks)) > 0 {
		b.needBody()
	}
	n := b.make("", offset)
	n.Text = text
	b.add(n)
}

func (b *builder) add(n *Node) {
	parent := b.top()
	n.Parent = parent
	if parent.Last == nil {
		parent.First = n
	} else {
		parent.Last.Next = n
	}
	parent.Last = n
}

// needBody ends the head, and begins the body if no tag did.
func (b *builder) needBody() {
	if b.top().Name == "head" {
		b.cut(len(b.open) - 1)
	}
	if len(b.open) == 1 && b.body == nil {
		b.body = b.make("body", b.page.Root.Offset)
		b.add(b.body)
		b.push(b.body)
	}
}

func (b *builder) start(offset int, selfClosing bool) {
	raw, more := b.z.TagName()
	name := atom.String(raw)
	if name == "noscript" || b.page.XML {
		b.z.NextIsNotRawText()
	}
	if name == "template" && !selfClosing {
		b.inert++
	}
	if b.inert > 0 {
		return
	}
	if b.page.XML {
		b.startXML(name, offset, selfClosing, more)
		return
	}
	k := kinds[name]
	switch {
	case name == "html":
		b.page.Root.Offset = offset
		b.attributes(b.page.Root, more)
		return
	case name == "head":
		if b.head || b.body != nil {
			return
		}
		b.head = true
	case name == "body" || name == "frameset":
		if b.body != nil {
			b.attributes(b.body, more)
			return
		}
		b.cut(1)
	case k&ofHead == 0:
		b.needBody()
		b.imply(name, k)
	}
	n := b.make(name, offset)
	b.attributes(n, more)
	b.add(n)
	if name == "body" || name == "frameset" {
		b.body = n
	}
	if name == "base" {
		b.setBase(n)
	}
	foreign := b.count["svg"]+b.count["math"] > 0
	if k&void != 0 || selfClosing && foreign {
		return
	}
	b.enter(n)
}

func (b *builder) enter(n *Node) {
	if len(b.open) >= maxDepth {
		b.over++
		return
	}
	b.push(n)
}

func (b *builder) startXML(name string, offset int, selfClosing, more bool) {
	n := b.make(name, offset)
	b.attributes(n, more)
	switch {
	case b.page.Root == nil:
		b.page.Root = n
	case len(b.open) == 0:
		return // a second root element
	default:
		b.add(n)
	}
	if name == "base" {
		b.setBase(n)
	}
	if !selfClosing {
		b.enter(n)
	}
}

// setBase applies the first base element.
func (b *builder) setBase(n *Node) {
	if href, ok := n.Get("href"); ok && !b.based {
		b.based = true
		if url, ok := b.page.Resolve(href); ok {
			b.page.setBase(url)
		}
	}
}

// attributes adds the attributes of the current tag to n; existing ones stay.
func (b *builder) attributes(n *Node, more bool) {
	for first := len(n.Attr); more; {
		var key, value []byte
		key, value, more = b.z.TagAttr()
		if len(n.Attr) >= maxAttributes {
			b.page.Stop(n, "an element with more than %d attributes", maxAttributes)
			return
		}
		if name := atom.String(key); first == 0 || !n.has(name) {
			n.Attr = append(n.Attr, Attribute{name, string(value)})
			b.parts++
		}
	}
}

func (n *Node) has(name string) bool {
	_, ok := n.Get(name)
	return ok
}

// imply closes the elements that a start tag ends without an end tag.
func (b *builder) imply(name string, k kind) {
	if k&closesP != 0 && b.count["p"] > 0 {
		b.close("p", scope)
	}
	switch name {
	case "li":
		b.closeItem("li", "li")
	case "dd", "dt":
		b.closeItem("dd", "dt")
	case "option", "optgroup":
		if b.top().Name == "option" {
			b.cut(len(b.open) - 1)
		}
		if name == "optgroup" && b.top().Name == "optgroup" {
			b.cut(len(b.open) - 1)
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if top := b.top().Name; len(top) == 2 && top[0] == 'h' && top != "hr" {
			b.cut(len(b.open) - 1)
		}
	case "a", "button":
		b.close(name, scope)
	case "rb", "rt", "rtc", "rp":
		if top := b.top().Name; top == "rb" || top == "rt" || top == "rp" {
			b.cut(len(b.open) - 1)
		}
	}
	if within := rows[name]; within != "" && b.count["table"] > 0 {
		for i := len(b.open) - 1; i > 0; i-- {
			if strings.Contains(within, " "+b.open[i].Name+" ") {
				b.cut(i + 1)
				break
			}
		}
	}
}

// closeItem closes the open item of the innermost list.
func (b *builder) closeItem(name, or string) {
	if b.count[name]+b.count[or] == 0 {
		return
	}
	for i := len(b.open) - 1; i > 0; i-- {
		n := b.open[i].Name
		if n == name || n == or {
			b.cut(i)
			return
		}
		if kinds[n]&special != 0 && n != "address" && n != "div" && n != "p" {
			return
		}
	}
}

func (b *builder) end(name string) {
	if name == "template" && b.inert > 0 {
		b.inert--
		return
	}
	k := kinds[name]
	if b.inert > 0 || len(b.open) == 0 || k&void != 0 {
		return
	}
	if b.over > 0 {
		b.over--
		return
	}
	switch {
	case b.page.XML:
		b.close(name, 0)
	case name == "html" || name == "body":
	case rows[name] != "":
		b.close(name, 0, "table")
	case name == "table":
		b.close(name, 0)
	case k&(special|scope|formatting) == 0:
		b.close(name, special)
	default:
		b.close(name, scope)
	}
}

// close ends the innermost open element with that name, unless it contains an open element of the kind or name of a
// barrier. If it is a formatting element, the elements in it stay open.
func (b *builder) close(name string, barrier kind, or ...string) {
	if b.count[name] == 0 {
		return
	}
	blocks := false
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.open[i].Name
		switch {
		case n == name && blocks && kinds[name]&formatting != 0:
			b.count[name]--
			b.open = append(b.open[:i], b.open[i+1:]...)
			return
		case n == name:
			b.cut(i)
			return
		case kinds[n]&barrier != 0, len(or) > 0 && n == or[0]:
			return
		}
		blocks = blocks || kinds[n]&special != 0
	}
}
