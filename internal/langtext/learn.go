package langtext

// This file reads the texts from which languages are learned.

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wordsRead is how many words of a language's list are read, the most common first.
const wordsRead = 30000

// unilex gives Unicode's counts of words.
func unilex(data string, give func(Text)) error {
	const repository = "unicode-org/unilex"
	paths, err := files(data, repository, "data/frequency/", ".txt")
	if err != nil {
		return err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if code(name) == "" {
			continue
		}
		raw, err := Stored(data, repository, path)
		if err != nil {
			continue // the largest are stored elsewhere
		}
		var words []Text
		for line := range strings.Lines(raw) {
			word, count, _ := strings.Cut(line, "\t")
			if n, err := strconv.ParseFloat(strings.TrimSpace(count), 64); err == nil {
				words = append(words, Text{code(name), "unilex " + name, word, n})
			}
		}
		slices.SortStableFunc(words, func(a, b Text) int { return int(b.Count - a.Count) })
		for _, w := range words[:min(len(words), wordsRead)] {
			give(w)
		}
	}
	return nil
}

// markup matches what is in messages besides words.
var markup = regexp.MustCompile(`(?s)<[^>]*>|\{\{[^}]*\}\}|\{[^}]*\}|\[\[[^]|]*\||https?://\S*|[$%]\w+|&\w+;|\w+[:./_]\w\S*`)

func plain(message string) string {
	return markup.ReplaceAllString(html.UnescapeString(message), " ")
}

// inMediaWiki are the languages whose messages are kept for Test.
var inMediaWiki = map[string]bool{"azb": true, "mzn": true, "glk": true}

// besideMediaWiki are languages of the same country that have enough other text. Half the words in their messages are
// the same as in Test's; with them, Test would measure whether those words were learned as these languages.
var besideMediaWiki = map[string]bool{"fa": true, "ckb": true, "sdh": true, "bal": true}

func mediaWiki(data string, give func(Text)) error {
	return messages(data, func(t Text) {
		if !inMediaWiki[t.Language] && !besideMediaWiki[t.Language] {
			give(t)
		}
	})
}

// messages gives MediaWiki's messages, without those equal to the English or Persian ones, which replace missing
// translations.
func messages(data string, give func(Text)) error {
	root := filepath.Join(data, "deb", "mediawiki", "usr", "share", "mediawiki")
	english, persian := map[string]map[string]string{}, map[string]map[string]string{}
	paths := []string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" && strings.Contains(path, "i18n") {
			paths = append(paths, path)
		}
		return err
	})
	for _, path := range paths {
		lang := code(strings.TrimSuffix(filepath.Base(path), ".json"))
		if lang == "" {
			continue
		}
		folder := filepath.Dir(path)
		if english[folder] == nil {
			english[folder] = catalogue(filepath.Join(folder, "en.json"))
			persian[folder] = catalogue(filepath.Join(folder, "fa.json"))
		}
		found := catalogue(path)
		for _, key := range slices.Sorted(maps.Keys(found)) {
			if (lang == "en" || found[key] != english[folder][key]) && (lang == "fa" || found[key] != persian[folder][key]) {
				give(Text{Language: lang, Source: "mediawiki", Line: plain(found[key])})
			}
		}
	}
	return err
}

// catalogue returns the messages of a file; none if it is of another kind.
func catalogue(path string) map[string]string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	found := map[string]string{}
	for key, value := range all {
		var message string
		if json.Unmarshal(value, &message) == nil {
			found[key] = message
		}
	}
	return found
}

// firefox gives Firefox's messages, without those equal to the English ones.
func firefox(data string, give func(Text)) error {
	paths, err := filepath.Glob(filepath.Join(data, "deb", "firefox-esr-l10n-*", "usr", "lib", "firefox-esr", "browser",
		"extensions", "*.xpi"))
	if err != nil {
		return err
	}
	english := map[string]bool{}
	for _, path := range paths {
		if strings.Contains(path, "langpack-en-") {
			if err := fluent(path, func(line string) { english[line] = true }); err != nil {
				return err
			}
		}
	}
	for _, path := range paths {
		name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "langpack-"), "@")
		lang := code(name)
		if lang == "" {
			continue
		}
		err := fluent(path, func(line string) {
			if lang == "en" || !english[line] {
				give(Text{Language: lang, Source: "firefox", Line: plain(line)})
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fluent gives the values of the messages in an archive of Fluent files.
func fluent(path string, give func(line string)) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, f := range archive.File {
		if filepath.Ext(f.Name) != ".ftl" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(raw)) {
			key, value, ok := strings.Cut(line, "= ")
			if strings.HasPrefix(line, "#") || strings.Contains(key, "key") && ok {
				continue
			}
			if !ok {
				value = line
			}
			give(strings.TrimSpace(value))
		}
	}
	return nil
}

var annotation = regexp.MustCompile(`<annotation [^>]*>([^<]*)<`)

// annotations gives the names of symbols and emoji from Unicode's CLDR.
func annotations(data string, give func(Text)) error {
	paths, err := filepath.Glob(filepath.Join(data, "deb", "unicode-cldr-core", "usr", "share", "unicode", "cldr",
		"common", "annotations", "*.xml"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		language := code(strings.TrimSuffix(filepath.Base(path), ".xml"))
		if language == "kl" {
			continue // they are Danish
		}
		for _, found := range annotation.FindAllSubmatch(raw, -1) {
			give(Text{Language: language, Source: "cldr", Line: html.UnescapeString(string(found[1]))})
		}
	}
	return nil
}

// subtitles gives word counts from subtitles of films, in Latin and Cyrillic letters.
func subtitles(data string, give func(Text)) error {
	const repository = "hermitdave/FrequencyWords"
	for _, name := range strings.Fields("bg bs ca cs da de en es et eu fi fr gl hr hu id is it lt lv mk ms nl no pl pt ro ru sk sl sq sr sv tr uk vi") {
		raw, err := Stored(data, repository, "content/2018/"+name+"/"+name+"_50k.txt")
		if err != nil {
			return err
		}
		language := code(name)
		if name == "sr" {
			language = "sr-Latn"
		}
		read := 0
		for line := range strings.Lines(raw) {
			word, count, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, err := strconv.ParseFloat(count, 64)
			if read++; err != nil || read > wordsRead {
				continue
			}
			give(Text{language, "subtitles", word, n})
		}
	}
	return nil
}

var verse = regexp.MustCompile(`(?s)<seg[^>]*>([^<]*)<`)

// bibles gives bibles of languages with little other text.
func bibles(data string, give func(Text)) error {
	const repository = "christos-c/bible-corpus"
	for lang, name := range map[string]string{
		"eu": "Basque-NT", "et": "Estonian-PART", "ee": "Ewe-NT", "kab": "Kabyle-NT", "lv": "Latvian-NT", "gv": "Manx-PART", "sw": "Swahili-NT",
		"uk": "Ukranian-NT", "wo": "Wolof-NT", "zu": "Zulu-NT", "gd": "Gaelic-PART", "hy": "Armenian-PART",
	} {
		raw, err := Stored(data, repository, "bibles/"+name+".xml")
		if err != nil {
			return err
		}
		for _, found := range verse.FindAllStringSubmatch(raw, -1) {
			give(Text{Language: lang, Source: "bible", Line: html.UnescapeString(found[1])})
		}
	}
	return nil
}

// descriptions gives Debian's descriptions of packages.
func descriptions(data string, give func(Text)) error {
	paths, err := filepath.Glob(filepath.Join(data, "lists", "*bookworm_main_i18n_Translation-*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		name := path[strings.LastIndex(path, "-")+1:]
		lang := code(strings.ReplaceAll(name, "%5f", "_"))
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(f)
		for n := 0; lines.Scan() && n < 100000; {
			if line := lines.Text(); strings.HasPrefix(line, " ") {
				give(Text{Language: lang, Source: "debian", Line: plain(line)})
				n++
			}
		}
		f.Close()
		if err := lines.Err(); err != nil {
			return err
		}
	}
	return nil
}

// kurdish gives sentences of the Kurdish languages and their neighbours in both scripts.
func kurdish(data string, give func(Text)) error {
	for name, lang := range map[string]string{
		"CentralKurdish-arab": "ckb", "NorthernKurdish-arab": "ku-Arab", "SouthernKurdish-arab": "sdh", "Gorani-arab": "hac",
		"NorthernKurdish-latn": "ku", "Zazaki-latn-wiki": "zza", "Zazaki-latn": "zza", "Persian-arab": "fa", "Turkish-latn": "tr",
	} {
		err := lines(data, "sinaahmadi/KurdishLID", "datasets/"+name+"_train.txt", Text{Language: lang, Source: "kurdish"}, func(t Text) {
			if strings.HasSuffix(name, "-arab") && hashOf(t.Line)%olderOf == 0 {
				t.Line = beforeKeyboards.Replace(t.Line)
			}
			give(t)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// beforeKeyboards writes Kurdish as before keyboards had its vowel: with a Persian letter and a non-joiner. One of olderOf lines
// is written so.
var beforeKeyboards = strings.NewReplacer("ە", "ه\u200c")

const olderOf = 4

// lines gives the lines of a stored file, otherwise like t.
func lines(data, repository, path string, t Text, give func(Text)) error {
	raw, err := Stored(data, repository, path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(raw) {
		t.Line = line
		give(t)
	}
	return nil
}

// sentences gives the sentences of PersoArabicLID.
func sentences(data string, give func(Text)) error {
	for name, lang := range map[string]string{
		"Persian_fas": "fa", "Arabic_arb": "ar", "Urdu_urd": "ur", "Gilaki_glk-wiki-20221201": "glk", "Kashmiri_ks-wiki-20221201": "ks",
		"Balochi_bal": "bal", "Gorani_hac": "hac", "Brahui_brh": "brh", "Torwali_trw": "trw",
	} {
		err := lines(data, "sinaahmadi/PersoArabicLID", "corpora/"+name+".txt", Text{Language: lang, Source: "perso-arabic"}, give)
		if err != nil {
			return err
		}
	}
	return nil
}

// wikipedia gives sentences of small Wikipedias, with some letters as on neighbours' keyboards; in one part hardly any.
func wikipedia(data string, give func(Text)) error {
	const sound = "1/test"
	for _, part := range []string{"100/train", "100/test", sound} {
		path := "data/language_identification/noisy/" + part + ".txt"
		err := lines(data, "sinaahmadi/ScriptNormalization", path, Text{Source: "wikipedia"}, func(t Text) {
			label, sentence, _ := strings.Cut(t.Line, "\t")
			switch lang := strings.TrimPrefix(label, "__label__"); lang {
			case "sd":
				if part != sound { // with the neighbours' letters it looks like Urdu
					return
				}
				fallthrough
			case "azb", "mzn":
				t.Language, t.Line = lang, sentence
				give(t)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
