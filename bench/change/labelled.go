package main

// This file measures how well the importance of a change tells that the content of a page changed. The labels are those of
// who makes the site: a page is made out of a source, such as a file in Markdown, that lies in the same repository. If both
// changed from one state of the site to the next, its content did; if only the page did, it was the template, a list of
// other pages, a version or a date.

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/lib/htmltree"
	"kavosh/lib/segment"
	"kavosh/lib/simhash"
	"kavosh/lib/words"
)

//go:embed sites.tsv
var sitesText string

// Bounds of what is taken of a site, so that none outweighs the others.
const (
	mostOfSite  = 700 // pairs of each label
	mostOfState = 10  // and of one state of the site
	mostEarlier = 8   // versions before
	mostBytes   = 1 << 20
)

// labelled measures, or learns, on the sites of a part of sites.tsv, whose clones are in a folder.
func labelled(folder, part string, learns bool) error {
	var all []pair
	var sites [][]pair
	for line := range strings.Lines(sitesText) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 || f[3] != part {
			continue
		}
		s, err := openStates(filepath.Join(folder, strings.ReplaceAll(f[0], "/", "+")+".git"))
		if err != nil {
			return err
		}
		pairs, err := s.pairs(f[2])
		if err = cmp.Or(err, s.close()); err != nil {
			return fmt.Errorf("%s: %w", f[0], err)
		}
		if tell(f[0], pairs); len(pairs) == 0 {
			continue
		}
		all = append(all, pairs...)
		sites = append(sites, pairs)
	}
	if learns {
		learn(sites)
		return nil
	}
	tell("all", all)
	tell("all, of those in which a reader sees a change", slices.DeleteFunc(all, func(p pair) bool { return p.scores["words"] == 0 && p.operations == 0 }))
	return nil
}

// pair is two versions of a page.
type pair struct {
	content    bool // its source changed, too
	operations int
	counts     []change.Counted // of what was done, without the past
	scores     map[string]float64
}

// measures are the scores of a pair, in the order in which they are printed.
var measures = []string{"digest", "simhash", "words", "share of words", "DOM", "E of 2009", "E of 2011", "ours", "ours, with past"}

// tell prints what the measures are worth on pairs.
func tell(name string, pairs []pair) {
	content := 0
	for _, p := range pairs {
		if p.content {
			content++
		}
	}
	fmt.Printf("%s: %d pairs, of %d the content changed\n", name, len(pairs), content)
	if content == 0 || content == len(pairs) {
		return
	}
	for _, m := range measures {
		fmt.Printf("  AUC %.3f  %s\n", auc(pairs, m), m)
	}
}

// auc is the chance that a pair whose content changed has a higher score than one whose content did not.
func auc(pairs []pair, measure string) float64 {
	list := slices.Clone(pairs)
	slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.scores[measure], b.scores[measure]) })
	yes, no, won := 0.0, 0.0, 0.0
	for i := 0; i < len(list); {
		y, n := 0.0, 0.0
		for at := list[i].scores[measure]; i < len(list) && list[i].scores[measure] == at; i++ {
			if list[i].content {
				y++
			} else {
				n++
			}
		}
		won += y * (no + n/2)
		yes, no = yes+y, no+n
	}
	return won / (yes * no)
}

// states reads the states of a site out of a clone.
type states struct {
	dir   string
	cat   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	trees map[string]map[string]string // by commit: blobs of sources by path
}

func openStates(dir string) (*states, error) {
	s := &states{dir: dir, cat: exec.Command("git", "-C", dir, "cat-file", "--batch"), trees: map[string]map[string]string{}}
	out, err := s.cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.in, err = s.cat.StdinPipe(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cat.Start()
}

func (s *states) close() error {
	s.in.Close()
	return s.cat.Wait()
}

// object returns the content of an object of a kind; nil if the clone does not have it.
func (s *states) object(name, kind string) ([]byte, error) {
	fmt.Fprintln(s.in, name)
	head, err := s.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return nil, nil // missing, or of more than one
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, err
	}
	body := make([]byte, size+1) // and the end of the line
	if _, err := io.ReadFull(s.out, body); err != nil || f[1] != kind {
		return nil, err
	}
	return body[:size], nil
}

// candidate is a pair of versions before it is read.
type candidate struct {
	page     string
	old, new string // blobs
	content  bool
	earlier  []version
	at       [2]time.Time
}

// version is a blob of a page with its time.
type version struct {
	blob string
	at   time.Time
}

var hexadecimal = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// pairs returns labelled pairs of the states up to a commit.
func (s *states) pairs(commit string) ([]pair, error) {
	cmd := exec.Command("git", "-C", s.dir, "log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--raw", "--no-abbrev", "--no-renames",
		"--format=@%ct %s", commit, "--", "*.html", "*.htm")
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list []candidate
	past := map[string][]version{}
	source, before := "", "" // commits of the sources of this state, and of that before
	var at time.Time
	var sources map[string]string // of this state, by page
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			seconds, subject, _ := strings.Cut(rest, " ")
			n, _ := strconv.ParseInt(seconds, 10, 64)
			at, before, source, sources = time.Unix(n, 0), source, "", nil
			for _, name := range hexadecimal.FindAllString(subject, -1) {
				if body, err := s.object(name, "commit"); err != nil {
					return nil, err
				} else if body != nil {
					source = name
				}
			}
			continue
		}
		about, page, ok := strings.Cut(line, "\t")
		f := strings.Fields(about)
		if !ok || len(f) != 5 {
			continue
		}
		earlier := past[page]
		past[page] = append(slices.Clone(earlier[max(0, len(earlier)-mostEarlier):]), version{f[3], at})
		if f[4] != "M" || source == "" || before == "" || len(earlier) == 0 {
			continue
		}
		if sources == nil {
			if sources, err = s.sourcesOf(source); err != nil {
				return nil, err
			}
		}
		content, known, err := s.label(sources[key(page)], before, source)
		if err != nil {
			return nil, err
		}
		if known {
			list = append(list, candidate{page, f[2], f[3], content, earlier[:len(earlier)-1], [...]time.Time{earlier[len(earlier)-1].at, at}})
		}
	}
	return s.measure(list)
}

// chosen takes some candidates of each label: by lot, but always the same, a few of each state.
func chosen(list []candidate) []candidate {
	lot := func(c *candidate) uint64 {
		h := fnv.New64a()
		io.WriteString(h, c.page+c.old+c.new)
		return h.Sum64()
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(lot(&a), lot(&b)) })
	type group struct {
		content bool
		at      int64
	}
	of, n := map[group]int{}, map[bool]int{}
	return slices.DeleteFunc(list, func(c candidate) bool {
		g := group{c.content, c.at[1].Unix()}
		if of[g] >= mostOfState || n[c.content] >= mostOfSite {
			return true
		}
		of[g]++
		n[c.content]++
		return false
	})
}

// tree returns the blobs of the sources of a commit by path.
func (s *states) tree(commit string) (map[string]string, error) {
	if t, ok := s.trees[commit]; ok {
		return t, nil
	}
	text, err := exec.Command("git", "-C", s.dir, "ls-tree", "-r", "-z", commit).Output()
	if err != nil {
		return nil, err
	}
	t := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 && slices.Contains([]string{".md", ".mdx", ".markdown", ".adoc", ".rst", ".html"}, path.Ext(name)) {
			t[name] = f[2]
		}
	}
	s.trees[commit] = t
	return t, nil
}

var (
	numbered = regexp.MustCompile(`^\d+[-_.]`)
	dated    = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)-`)
)

// key returns what the paths of a page and of its source have in common.
func key(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	list := strings.Split(name, "/")
	if last := list[len(list)-1]; len(list) > 1 && (last == "index" || last == "readme") {
		list = list[:len(list)-1]
	}
	for i, part := range list {
		if part = dated.ReplaceAllString(part, "$1/$2/$3/"); !strings.Contains(part, "/") {
			part = numbered.ReplaceAllString(part, "")
		}
		list[i] = part
	}
	return strings.Join(list, "/")
}

// sourcesOf returns for each key of a page the one source that it can come from.
func (s *states) sourcesOf(commit string) (map[string]string, error) {
	t, err := s.tree(commit)
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		for k := key(name); k != ""; { // and all that it ends in, as folders of sources are no folders of the site
			if had, ok := of[k]; ok && had != name {
				of[k] = "" // of several, none
			} else {
				of[k] = name
			}
			_, k, _ = strings.Cut(k, "/")
		}
	}
	return of, nil
}

var (
	including = regexp.MustCompile(`(?m)\{%-?\s*include|^import .*from|^<<<|@include|` + "^```@" + `|\{\{[<%]|data-include`)
	preface   = regexp.MustCompile(`(?s)\A(---|\+\+\+)\r?\n.*?\n(---|\+\+\+)\r?\n`)
	tags      = regexp.MustCompile(`<!--[^>]*-->|</?[A-Za-z][^>]*>`)
	titled    = regexp.MustCompile(`(?m)^title\s*[:=].*$`)
)

// label reports whether a source says something else in another commit. It is not known if the source is not in both, says
// the same in other markup, says little, or includes others.
func (s *states) label(name, before, after string) (content, known bool, err error) {
	if name == "" {
		return false, false, nil
	}
	old, err := s.tree(before)
	if err != nil {
		return false, false, err
	}
	new, err := s.tree(after)
	if err != nil || old[name] == "" || new[name] == "" {
		return false, false, err
	}
	is, err := s.object(new[name], "blob")
	if err != nil || is == nil {
		return false, false, err
	}
	saysNow := said(is)
	if len(saysNow) < leastSaid { // it is made of other pages
		return false, false, nil
	}
	if old[name] == new[name] {
		return false, !including.Match(is), nil
	}
	was, err := s.object(old[name], "blob")
	if err != nil || was == nil {
		return false, false, err
	}
	differs := !slices.Equal(said(was), saysNow)
	return differs, differs, nil
}

// leastSaid is how many words a source has that a page is made of.
const leastSaid = 20

// said returns the words of a source, without markup and without what is written before it but the title.
func said(text []byte) (list []string) {
	head := preface.FindString(string(text))
	body := tags.ReplaceAllString(titled.FindString(head)+" "+string(text[len(head):]), " ")
	for w := range words.All(body) {
		list = append(list, string(w))
	}
	return list
}

// measure reads some candidates, and measures them.
func (s *states) measure(list []candidate) ([]pair, error) {
	var pairs []pair
	for _, c := range chosen(list) {
		read := func(blob string) (*htmltree.Page, *segment.Page, error) {
			body, err := s.object(blob, "blob")
			if err != nil || body == nil || len(body) > mostBytes {
				return nil, nil, err
			}
			t := parse(string(body))
			return t, cut(t), nil
		}
		oldTree, old, err := read(c.old)
		if err != nil || old == nil {
			return nil, err
		}
		newTree, new, err := read(c.new)
		if err != nil {
			return nil, err
		}
		if old == nil || new == nil {
			continue
		}
		var h change.History
		var last *segment.Page
		var lastAt time.Time
		for _, v := range append(c.earlier, version{c.old, c.at[0]}) {
			_, p, err := read(v.blob)
			if err != nil {
				return nil, err
			}
			if p == nil {
				continue
			}
			if last != nil {
				h.Next(between(last, p), v.at.Sub(lastAt))
			}
			last, lastAt = p, v.at
		}
		d := between(old, new)
		e := d.Importance(change.ByPlace())
		p := pair{content: c.content, operations: len(d.Operations), counts: d.Counts(nil), scores: map[string]float64{"digest": 1, "E of 2009": e.Printed, "E of 2011": e.Summed, "ours": e.Weighed}}
		h.Mark(d)
		p.scores["ours, with past"] = d.Importance(h.Weigh(d, change.ByPlace())).Weighed
		a, b := textOf(old), textOf(new)
		p.scores["words"], p.scores["share of words"] = differing(a, b)
		p.scores["simhash"] = float64(simhash.Distance(fingerprint(a), fingerprint(b)))
		_, p.scores["DOM"] = differing(elements(oldTree), elements(newTree))
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// textOf returns the words of a page.
func textOf(p *segment.Page) (list []string) {
	for _, b := range p.Root.Leaves(nil) {
		for _, t := range b.Texts {
			for w := range words.All(t) {
				list = append(list, string(w))
			}
		}
		for _, l := range b.Links {
			for w := range words.All(l.Name) {
				list = append(list, string(w))
			}
		}
	}
	return list
}

func fingerprint(list []string) uint64 {
	var h simhash.Hasher
	for _, w := range list {
		h.Add([]byte(w + " "))
	}
	return h.Sum()
}

// elements returns the elements of a page, each with its way, its attributes and its own text.
func elements(p *htmltree.Page) (list []string) {
	var visit func(n *htmltree.Node, way string)
	visit = func(n *htmltree.Node, way string) {
		if n.Name == "" {
			list = append(list, way+" "+line(n.Text))
			return
		}
		way += "/" + n.Name
		of := way
		for _, a := range n.Attr {
			of += " " + a.Name + "=" + a.Value
		}
		list = append(list, of)
		for c := range n.Children() {
			visit(c, way)
		}
	}
	visit(p.Root, "")
	return list
}

// differing returns how many of the items of two lists are in one alone, in any order, and which share of all that is.
func differing(a, b []string) (n, share float64) {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	for _, w := range b {
		count[w]--
	}
	for _, k := range count {
		n += float64(max(k, -k))
	}
	return n, n / float64(max(1, len(a)+len(b)))
}
