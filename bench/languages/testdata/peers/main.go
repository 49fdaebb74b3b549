//go:build peers

package main

/*
#cgo LDFLAGS: -lcld2
#include <stdlib.h>
const char* cld2(const char* text, int bytes);
*/
import "C"

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"github.com/abadojack/whatlanggo"
	"github.com/pemistahl/lingua-go"

	"kavosh/lib/lang"
)

type sample struct{ language, length, text string }

// identifier gives the code of a text's language, and knows some.
type identifier struct {
	name     string
	identify func(text string) string
	knows    map[string]bool // nil for all that it ever answers
}

func main() {
	flag.Parse()
	f, err := os.Open(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	var all []sample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := map[string]int{}; lines.Scan(); {
		language, rest, _ := strings.Cut(lines.Text(), "\t")
		length, text, _ := strings.Cut(rest, "\t")
		if n[language+length]++; n[language+length] <= 50 {
			all = append(all, sample{merged(language), length, text})
		}
	}
	id := lang.Load().New()
	ours := identifier{"kavosh", func(text string) string {
		if found := id.Identify(text); len(found) > 0 {
			return found[0].Code
		}
		return ""
	}, nil}
	whatlang := identifier{"whatlanggo", func(text string) string { return whatlanggo.Detect(text).Lang.Iso6391() }, map[string]bool{}}
	for l := range whatlanggo.Langs {
		whatlang.knows[code(l.Iso6391())] = true
	}
	cld2 := identifier{"CLD2", func(text string) string {
		c := C.CString(text)
		defer C.free(unsafe.Pointer(c))
		return C.GoString(C.cld2(c, C.int(len(text))))
	}, nil}
	detector := lingua.NewLanguageDetectorBuilder().FromAllLanguages().Build()
	linguaFull := identifier{"lingua-go", func(text string) string {
		if l, ok := detector.DetectLanguageOf(text); ok {
			return strings.ToLower(l.IsoCode639_1().String())
		}
		return ""
	}, map[string]bool{}}
	for _, l := range lingua.AllLanguages() {
		linguaFull.knows[code(strings.ToLower(l.IsoCode639_1().String()))] = true
	}
	fmt.Println("| peer | characters | shared languages | macro-F1 | ours | of all | ours | MB/s | ours |\n|---|---|---|---|---|---|---|---|---|")
	for _, peer := range []identifier{whatlang, cld2, linguaFull} {
		for _, length := range []string{"50", "200", "1000"} {
			shared := map[string]bool{}
			for _, s := range all {
				if s.length == length && (peer.knows == nil && answers(peer, all, s.language) || peer.knows[s.language]) {
					shared[s.language] = true
				}
			}
			theirs, speed := macro(peer, all, length, shared)
			our, ourSpeed := macro(among(id, shared), all, length, shared)
			everything, _ := macro(peer, all, length, nil)
			ourEverything, _ := macro(ours, all, length, nil)
			fmt.Printf("| %s | %s | %d | %.4f | %.4f | %.4f | %.4f | %.1f | %.1f |\n",
				peer.name, length, len(shared), theirs, our, everything, ourEverything, speed, ourSpeed)
		}
	}
}

// among is lib/lang's answer when only some languages are possible, as all texts are in one of them.
func among(id *lang.Identifier, shared map[string]bool) identifier {
	return identifier{"kavosh", func(text string) string {
		for _, l := range id.Identify(text) {
			if shared[code(l.Code)] {
				return l.Code
			}
		}
		return ""
	}, nil}
}

// answers reports whether an identifier ever gives a language for its own long texts.
func answers(peer identifier, all []sample, language string) bool {
	for _, s := range all {
		if s.language == language && s.length == "1000" && code(peer.identify(s.text)) == language {
			return true
		}
	}
	return false
}

// macro is the mean F1 over languages, all for nil, and the speed in megabytes a second.
func macro(who identifier, all []sample, length string, of map[string]bool) (f1, speed float64) {
	right, is, said := map[string]float64{}, map[string]float64{}, map[string]float64{}
	size, began := 0, time.Now()
	for _, s := range all {
		if s.length != length || of != nil && !of[s.language] {
			continue
		}
		answer := code(who.identify(s.text))
		size += len(s.text)
		is[s.language]++
		said[answer]++
		if answer == s.language {
			right[answer]++
		}
	}
	speed = float64(size) / 1e6 / time.Since(began).Seconds()
	for l := range is {
		f1 += 2 * right[l] / (is[l] + said[l]) / float64(len(is))
	}
	return f1, speed
}

// code is the code that lib/lang has for one that another identifier gives.
func code(l string) string {
	l, _, _ = strings.Cut(strings.ToLower(l), "-")
	switch l {
	case "iw":
		return "he"
	case "tl":
		return "fil"
	}
	return merged(l)
}

// merged is one code for languages that are scored as one.
func merged(l string) string {
	switch l {
	case "bs", "hr", "sr", "sr-Latn", "sr-latn":
		return "hbs"
	case "id", "ms":
		return "id/ms"
	case "no", "nb", "nn":
		return "nb/nn"
	}
	return l
}
