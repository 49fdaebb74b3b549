// Package langtext reads the public text from which language models are trained and measured, as tools/langdata.sh
// stores it.
//
// A language is trained on [Learn], the model tuned on [Tune] and measured on [Test]. The three have no source in
// common. A language counts as tested if Test has text in it.
package langtext

import (
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Text is a line of text in one language, or a word that a source counted.
type Text struct {
	Language string // BCP 47 code, with the script only if the language is more often written in another
	Source   string
	Line     string
	Count    float64 // how often the line occurs
}

// Folder returns the data folder: $KAVOSH_LANGDATA, or .cache/langdata in the checkout.
func Folder() string {
	if folder := os.Getenv("KAVOSH_LANGDATA"); folder != "" {
		return folder
	}
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..", ".cache", "langdata")
}

// reader gives the lines of one source in the data folder.
type reader func(data string, give func(Text)) error

// Learn yields the text for training.
func Learn(data string) iter.Seq2[Text, error] {
	return read(data, unilex, subtitles, mediaWiki, firefox, annotations, bibles, descriptions, kurdish,
		only(learned, sentences), only(learned, wikipedia), finglish, declared)
}

// Tune yields the text for choosing constants: the Universal Declaration of Human Rights, in the languages that have
// enough other text for training, and the sentences in Arabic script that Learn leaves out.
func Tune(data string) iter.Seq2[Text, error] {
	return read(data, undeclared, only(heldOut, sentences), only(heldOut, wikipedia))
}

// Test yields the text for measuring: sentences of treebanks and of the FLORES translations and, for languages of Iran
// that neither has, messages of MediaWiki.
func Test(data string) iter.Seq2[Text, error] { return read(data, treebanks, flores, wikiMessages) }

func read(data string, readers ...reader) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		for _, r := range readers {
			more := true
			err := r(data, func(t Text) {
				if t.Line = strings.TrimSpace(t.Line); more && t.Line != "" && t.Language != "" {
					if t.Count == 0 {
						t.Count = 1
					}
					more = yield(t, nil)
				}
			})
			if !more || err != nil && !yield(Text{}, err) {
				return
			}
		}
	}
}

// Stored returns a file of a repository's newest commit, in the data folder. The error says what is missing.
func Stored(data, repository, path string) (string, error) {
	dir := filepath.Join(data, "git", strings.ReplaceAll(repository, "/", "+"))
	out, err := exec.Command("git", "-C", dir, "show", "HEAD:"+path).Output()
	if err != nil {
		return "", fmt.Errorf("%s of %s: %w; tools/langdata.sh brings it", path, repository, err)
	}
	return string(out), nil
}

// files returns the paths in a repository's newest commit with that prefix and suffix.
func files(data, repository, prefix, suffix string) ([]string, error) {
	dir := filepath.Join(data, "git", strings.ReplaceAll(repository, "/", "+"))
	out, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "--name-only", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; tools/langdata.sh brings it", repository, err)
	}
	var paths []string
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); strings.HasPrefix(path, prefix) && strings.HasSuffix(path, suffix) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// learned reports whether a line is for training, if a source serves both: four fifths are.
func learned(line string) bool { return hashOf(line)%5 != 0 }

func hashOf(line string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(line))
	return h.Sum32()
}

func heldOut(line string) bool { return !learned(line) }

func only(pass func(line string) bool, r reader) reader {
	return func(data string, give func(Text)) error {
		return r(data, func(t Text) {
			if pass(t.Line) {
				give(t)
			}
		})
	}
}

// code returns the language code for a source's name of a language; "" for those left out: artificial, historical, in
// an unusual script, or with too little text.
func code(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if c, ok := aliases[name]; ok {
		return c
	}
	base, region, _ := strings.Cut(name, "-")
	switch region {
	case "arab", "latn", "cyrl", "hans", "hant", "deva", "tfng", "formal", "tarask":
		return ""
	}
	if c, ok := aliases[base]; ok {
		return c
	}
	if known[base] {
		return base
	}
	return ""
}

var known = func() map[string]bool {
	set := map[string]bool{}
	for _, c := range strings.Fields(`
		af am ar as ast az azb ba bal be bg bm bn bo br bs ca ce ceb ckb co cs cv cy da de dsb dz ee el en eo es et eu fa ff fi fil fo fr
		fur fy ga gd gl glk gn gu gv ha hac he hi hr hsb ht hu hy ia id ig ilo is it jv ka kab kk kl km kn ks ku kv ky la lb lg lij lmo ln lo
		lrc lt lv mai mg mhr mi mk ml mn mr ms mt my mzn nb nds ne new nl nn nso ny oc om or os pa pl pms pnb ps pt qu rm rn ro ru rw sa sah sat
		sc scn sco sd sdh se si sk skr sl sm sn so sq sr ss st su sv sw szl ta te tg th ti tk tn tr ts tt tyv ug udm uk ur uz ve vec vi vls
		wa war wo xh yi yo zu zza bqi khw brh trw iu chr dv`) {
		set[c] = true
	}
	return set
}()

var aliases = map[string]string{
	"tl": "fil", "no": "nb", "iw": "he", "in": "id", "sr-ec": "sr", "sr-cyrl": "sr", "sr-el": "sr-Latn", "sr-latn": "sr-Latn", "sh-latn": "",
	"ug-arab": "ug", "ks-arab": "ks", "skr-arab": "skr", "pa-arab": "pnb", "ku-latn": "ku", "kmr": "ku", "ku-arab": "ku-Arab",
	"tg-cyrl": "tg", "tt-cyrl": "tt", "kk-cyrl": "kk", "arz": "ar", "ary": "ar", "fa-af": "fa", "prs": "fa", "bgn": "bal", "bcc": "bal",
	"diq": "zza", "fuf": "", "swh": "sw", "zlm": "ms", "fj": "", "gug": "gn", "quz": "qu", "lki": "", "nan-latn-tailo": "", "es-formal": "",
	"hu-formal": "", "de-formal": "", "nl-informal": "", "ca-valencia": "ca", "sw-ke": "sw", "sr-cyrl-ba": "sr", "sr-latn-ba": "sr-Latn",
	"rm-rumgr": "rm", "rm-sursilv": "rm", "nds-nl": "", "zh": "zh", "ja": "ja", "ko": "ko", "be-tarask": "be",
	"vec-u-sd-itpd": "vec", "azb": "azb",
}
