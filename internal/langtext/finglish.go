package langtext

import "strings"

// finglish gives Persian in Latin letters as people type it: the sentences of PersoArabicLID, each word spelt after the
// pronouncing dictionary of ScriptNormalization, in two common spellings.
func finglish(data string, give func(Text)) error {
	raw, err := Stored(data, "sinaahmadi/ScriptNormalization", "data/dictionary/Persian_G2P.txt")
	if err != nil {
		return err
	}
	said := map[string]string{}
	for line := range strings.Lines(raw) {
		if word, sounds, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			said[word] = sounds
		}
	}
	spellings := []*strings.Replacer{
		strings.NewReplacer("'", "", "A", "a", "S", "sh", "C", "ch", "c", "ch", "J", "j", "Z", "zh", "x", "kh", "q", "gh",
			"?", "", "u", "oo", "w", "o"),
		strings.NewReplacer("'", "", "A", "aa", "S", "sh", "C", "ch", "c", "ch", "J", "j", "Z", "j", "x", "kh", "q", "gh",
			"?", "", "i", "ee", "w", "o"),
		strings.NewReplacer("'", "", "A", "a", "S", "sh", "C", "ch", "c", "ch", "J", "j", "Z", "zh", "x", "kh", "q", "q", "?", "", "w", "o"),
	}
	return only(learned, sentences)(data, func(t Text) {
		if t.Language != "fa" {
			return
		}
		words := strings.Fields(strings.NewReplacer("ي", "ی", "ك", "ک", "\u200c", " ", "‌", " ").Replace(t.Line))
		for i, w := range words {
			words[i] = said[strings.Trim(w, ".،؟!«»:؛")]
		}
		for _, s := range spellings {
			give(Text{Language: "fa-Latn", Source: "finglish", Line: s.Replace(strings.Join(words, " "))})
		}
	})
}
