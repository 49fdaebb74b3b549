package judge

// This file makes judges, which score pages, from the values of the option --prefer. It has the list of all kinds.
// Files are read only by Reader.Open.

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/lang"
	"kavosh/lib/spelling"
)

// kinds are the judges that --prefer takes, in the order in which Help lists them. A new kind needs one file and one
// line here.
var kinds = []struct {
	name, value, help string
	make              func(r *Reader, value string, common *Background) (Judge, error) // nil for what is no judge
}{
	{"keyword", "WORD", "pages that have the word, or several words side by side",
		func(_ *Reader, value string, _ *Background) (Judge, error) { return Keyword(value) }},
	{"query", "WORDS", "pages on what the words are about",
		func(_ *Reader, value string, common *Background) (Judge, error) { return Query(value, common) }},
	{"topic", "FILE", "pages like the text in a file", (*Reader).topic},
	{"model", "FILE", "pages of the class that a model knows, which kavosh judge train made", (*Reader).model},
	{"language", "CODE", "pages in a language, such as fa for Persian; CODE,by=text, tag or published goes by less", (*Reader).language},
	{"rdf", "documents", "documents of the semantic web, as rdf alone; rdf=embedded: pages that hold its statements, too",
		func(_ *Reader, value string, _ *Background) (Judge, error) { return RDF(value) }},
	{"re", "RE", "pages with the regular expression in address, title or text",
		func(_ *Reader, value string, _ *Background) (Judge, error) { return Regexp(value) }},
	{"background", "FILE", "no judge, but how common words are, for query and topic: a text, each line a document", nil},
}

// Help lists the values that Parse accepts, one per line.
func Help() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "%-16s %s\n", k.name+"="+k.value, k.help)
	}
	return b.String()
}

// Reader makes judges from the values of --prefer. It is not safe for concurrent use; the judges are.
type Reader struct {
	Open func(name string) ([]byte, error) // reads a file named in a value

	languages *lang.Model // shared by all language judges; loaded for the first one
}

// Parse makes one judge from values of --prefer, such as keyword=WORD; Help lists them. If there are several, the
// highest score counts (Any). If one has a weight, as in 2*keyword=WORD, the weighted mean counts (Mix), and the
// default weight is 1. Weights are above 0 and at most 1,000,000. Without values the judge is nil; background= alone is
// an error.
func (r *Reader) Parse(prefer []string) (Judge, error) {
	if len(prefer) == 0 {
		return nil, nil
	}
	var background *Background
	for _, value := range prefer {
		if file, ok := strings.CutPrefix(value, "background="); ok {
			text, err := r.Open(file)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", value, err)
			}
			background = NewBackground(strings.ToValidUTF8(string(text), "\uFFFD"))
		}
	}
	var (
		judges []Weighted
		plain  []Judge
		weighs bool
	)
	for _, value := range prefer {
		weight, name, is, err := cutWeight(value)
		if err != nil {
			return nil, err
		}
		if name == "background" {
			continue
		}
		j, err := r.one(name, is, background)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", value, err)
		}
		weighs = weighs || weight != 0
		if weight == 0 {
			weight = 1
		}
		judges, plain = append(judges, Weighted{j, weight}), append(plain, j)
	}
	switch {
	case len(judges) == 0:
		return nil, fmt.Errorf("%q alone prefers nothing: give a query or a topic with it", prefer[0])
	case weighs:
		return Mix(judges...), nil
	case len(judges) == 1:
		return plain[0], nil
	}
	return Any(plain...), nil
}

// cutWeight splits 2*name=value; weight is 0 if there is none.
func cutWeight(s string) (weight float64, name, value string, err error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok && !strings.HasSuffix(name, "rdf") {
		return 0, "", "", fmt.Errorf("%q: %w", s, unknown(name))
	}
	if number, rest, ok := strings.Cut(name, "*"); ok {
		if weight, err = strconv.ParseFloat(number, 64); err != nil || !(weight > 0 && weight <= 1e6) {
			return 0, "", "", fmt.Errorf("%q: the weight %q is no number above 0 and up to 1000000", s, number)
		}
		name = rest
	}
	return weight, name, value, nil
}

func (r *Reader) one(name, value string, common *Background) (Judge, error) {
	for _, k := range kinds {
		if k.name == name && k.make != nil {
			return k.make(r, value, common)
		}
	}
	return nil, unknown(name)
}

func (r *Reader) topic(file string, common *Background) (Judge, error) {
	text, err := r.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s; for words, write query=WORDS", file)
	}
	if err != nil {
		return nil, err
	}
	return Query(strings.ToValidUTF8(string(text), "\uFFFD"), common)
}

func (r *Reader) model(file string, _ *Background) (Judge, error) {
	data, err := r.Open(file)
	if err != nil {
		return nil, err
	}
	m, err := ReadModel(data)
	if err != nil {
		return nil, err
	}
	return Class(m), nil
}

func (r *Reader) language(value string, _ *Background) (Judge, error) {
	if r.languages == nil {
		r.languages = lang.Load()
	}
	return Language(r.languages, value)
}

// unknown is the error for a name that no judge has, and for one without a value.
func unknown(name string) error {
	var names, forms []string
	for _, k := range kinds {
		names, forms = append(names, k.name), append(forms, k.name+"="+k.value)
	}
	if i := slices.Index(names, spelling.Nearest(name, names)); i >= 0 {
		return fmt.Errorf("there is no judge %s; did you mean %s?", name, forms[i])
	}
	return fmt.Errorf("there is no judge %q; write it as %s", name, orList(forms))
}

func orList(all []string) string {
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
