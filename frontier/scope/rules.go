package scope

// This file asks the rules that people wrote: those of --exclude and --include, of the crawl and of its seeds, in their
// one order. The package comment says where the crawl's own rules (traps, hops, the mode) stand among them.

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"kavosh"
)

// named is a rule in a list, with what its decisions say.
type named struct {
	Rule
	decision Decision
}

// lists are the rules in force. They are never changed, but replaced.
type lists struct {
	exclude, rules, include []named
	byAnswer                bool // one of rules asks for what only an answer tells
}

// SetRules replaces Options.Exclude, Options.Rules and Options.Include. It may be called while links are judged. After
// it, Late asks exclude and rules again. An error names the option and the fix, and nothing is changed.
func (s *Scope) SetRules(exclude []string, rules []Rule, include []string) error {
	var l lists
	var err error
	if l.exclude, err = compile("exclude", exclude, Decision{Reason: Excluded, Rule: "excluded by --exclude "}); err != nil {
		return err
	}
	if l.include, err = compile("include", include, Decision{In: true, Reason: InScope, Rule: "included by --include "}); err != nil {
		return err
	}
	if len(rules) > MaxRules {
		return fmt.Errorf("rule: %d are more than %d: join some by | in a regular expression", len(rules), MaxRules)
	}
	l.rules, l.byAnswer = numbered(rules, "")
	s.lists.Store(&l)
	s.repealed.Store(true)
	return nil
}

// compile makes rules of the regular expressions of an option. d begins what they decide.
func compile(option string, exprs []string, d Decision) ([]named, error) {
	var all []named
	for _, e := range exprs {
		re, err := Pattern(e)
		if err != nil {
			return nil, fmt.Errorf("%s %w", option, err)
		}
		all = append(all, named{Rule{Take: d.In, conditions: []condition{{on: onURL, pattern: re}}}, Decision{In: d.In, Reason: d.Reason, Rule: d.Rule + e}})
	}
	return all, nil
}

// numbered gives rules their numbers. of says whose they are. byAnswer reports whether one asks for what only an answer
// tells.
func numbered(rules []Rule, of string) (all []named, byAnswer bool) {
	for i, r := range rules {
		d := Decision{In: r.Take, Reason: Ruled, Rule: fmt.Sprintf("%s%d%s: %s", ruleWord, i+1, of, r.text)}
		if r.Take {
			d.Reason = InScope
		}
		all = append(all, named{r, d})
		byAnswer = byAnswer || r.byAnswer()
	}
	return all, byAnswer
}

// ruleWord begins the words of a decision by a rule, before its number.
const ruleWord = "rule "

// IsRule reports whether a text is what the decision of a rule says, as Decision.Rule and Body have it.
func IsRule(text string) bool {
	rest, ok := strings.CutPrefix(text, ruleWord)
	return ok && rest != "" && rest[0] >= '1' && rest[0] <= '9'
}

// first returns the decision of the first rule that matches; nil if there is none.
func first(list []named, s *subject) *Decision {
	for i := range list {
		if list[i].matches(s) {
			return &list[i].decision
		}
	}
	return nil
}

// ruled returns the decision of --exclude or a rule about a link; nil if none matches.
func (s *Scope) ruled(l *lists, plan *seedPlan, link *kavosh.Link, parent *kavosh.Task, p *Parts) *Decision {
	if len(l.exclude)+len(l.rules) == 0 && plan == nil {
		return nil
	}
	about := subject{url: link.URL, parts: *p, kind: link.Kind, mediaType: guessed(link.Type, p.Path), size: -1}
	if parent != nil {
		about.via, about.from, about.hops = parent.URL, link.From, parent.Hops+hop(link.Kind)
	}
	return l.ask(plan, &about)
}

// ask asks all rules that stand before the mode. plan may be nil.
func (l *lists) ask(plan *seedPlan, about *subject) *Decision {
	if d := first(l.exclude, about); d != nil {
		return d
	}
	if plan != nil {
		if d := first(plan.rules, about); d != nil {
			return d
		}
	}
	return first(l.rules, about)
}

// included returns the decision of --include about a URL; nil if no pattern is found in it.
func (l *lists) included(url string, p *Parts) *Decision {
	if len(l.include) == 0 {
		return nil
	}
	return first(l.include, &subject{url: url, parts: *p})
}

// late returns the decision of --exclude or a rule about a task whose turn has come; nil if none matches. plan may be nil.
func (l *lists) late(plan *seedPlan, t *kavosh.Task) *Decision {
	p, ok := Split(t.URL)
	if !ok || len(l.exclude)+len(l.rules) == 0 && plan == nil {
		return nil
	}
	return l.ask(plan, &subject{url: t.URL, via: t.Via, from: t.From, parts: p, kind: t.Kind, hops: t.Hops, mediaType: guessed("", p.Path), size: -1})
}

// lateRobots judges a robots.txt whose turn has come. The host of a redirect's target is left out if rules leave out the
// target, the home page there, and the path of the seed there: a rule that matches "txt", or all but a folder, says
// nothing about a host.
func (s *Scope) lateRobots(t *kavosh.Task) Decision {
	free := in("robots.txt is under no rule")
	p, ok := Split(t.URL)
	if !ok || !strings.HasSuffix(t.Path, letter(kavosh.Redirect)) {
		return free
	}
	lists, plan := s.lists.Load(), s.planOfTask(t)
	seed, _ := Split(t.Seed)
	var d *Decision
	for _, url := range []string{p.Origin + cmp.Or(seed.PathQuery, "/"), p.Origin + "/", t.URL} {
		if d = lists.late(plan, &kavosh.Task{URL: url, Via: t.Via, Hops: t.Hops, Kind: kavosh.Navigation}); d == nil || d.In {
			return free
		}
	}
	return *d
}

// Body says by the rules on types and sizes how many bytes of an answer's body are read: most at most, because of rule.
// A negative most is no bound. contentType is the field as it was received; length is that of the body in bytes, and
// negative if the head does not tell it.
func (s *Scope) Body(t *kavosh.Task, contentType string, length int64) (most int64, rule string) {
	l, plan := s.lists.Load(), s.planOfTask(t)
	if t.Kind == kavosh.Prerequisite || !l.byAnswer && (plan == nil || !plan.byAnswer) {
		return -1, ""
	}
	p, ok := Split(t.URL)
	if !ok {
		return -1, ""
	}
	media, _, _ := strings.Cut(contentType, ";")
	about := subject{url: t.URL, via: t.Via, from: t.From, parts: p, kind: t.Kind, hops: t.Hops, mediaType: strings.ToLower(strings.TrimSpace(media)), size: length}
	all := l.rules
	if plan != nil {
		all = slices.Concat(plan.rules, all)
	}
	most = -1
	for i := range all {
		r := &all[i]
		if r.matches(&about) {
			if r.Take {
				return most, rule
			}
			return 0, r.decision.Rule
		}
		if at := r.cutAt(&about); !r.Take && length < 0 && at >= 0 && (most < 0 || at < most) {
			most, rule = at, r.decision.Rule
		}
	}
	return most, rule
}

// guessed returns the media type that a URL seems to have: what its link says, or what the ending of its path usually
// means; "" if neither tells.
func guessed(said, urlPath string) string {
	if said != "" {
		return strings.TrimSpace(strings.ToLower(said))
	}
	ending := path.Ext(urlPath)
	if len(ending) < 2 || len(ending) > 8 {
		return ""
	}
	return endings[strings.ToLower(ending[1:])]
}

// endings has the media types that endings of paths usually mean: those that no program makes up a page for.
var endings = map[string]string{
	"7z": "application/x-7z-compressed", "aac": "audio/aac", "apk": "application/vnd.android.package-archive", "avi": "video/x-msvideo",
	"avif": "image/avif", "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "djvu": "image/vnd.djvu",
	"doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "epub": "application/epub+zip",
	"exe": "application/vnd.microsoft.portable-executable", "flac": "audio/flac", "flv": "video/x-flv", "gif": "image/gif", "gz": "application/gzip",
	"htm": "text/html", "html": "text/html", "ico": "image/x-icon", "iso": "application/x-iso9660-image", "jpeg": "image/jpeg", "jpg": "image/jpeg",
	"js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json", "m4a": "audio/mp4", "m4v": "video/mp4", "mjs": "text/javascript",
	"mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
	"nt": "application/n-triples", "odp": "application/vnd.oasis.opendocument.presentation", "ods": "application/vnd.oasis.opendocument.spreadsheet",
	"odt": "application/vnd.oasis.opendocument.text", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "otf": "font/otf",
	"pdf": "application/pdf", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "ps": "application/postscript", "rar": "application/vnd.rar",
	"rdf": "application/rdf+xml", "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
	"ttf": "font/ttf", "ttl": "text/turtle", "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
	"webp": "image/webp", "wmv": "video/x-ms-wmv", "woff": "font/woff", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml", "xz": "application/x-xz",
	"zip": "application/zip", "zst": "application/zstd",
}
