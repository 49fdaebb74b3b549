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
	"runtime/debug"
	"strings"
	"syscall"
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

// Texts and pages of a language and length that are identified; lingua-go takes minutes for more.
const (
	mostTexts = 50
	mostPages = 20
)

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
		most := mostTexts
		if strings.HasSuffix(length, "p") {
			most = mostPages
		}
		if n[language+length]++; n[language+length] <= most {
			all = append(all, sample{merged(language), length, strings.ReplaceAll(text, "\v", "\n")})
		}
	}
	before := memory()
	id := lang.Load().New()
	ours := among(id, nil)
	ours.identify("A text.")
	fmt.Printf("kavosh takes %d MB of memory\n\n", memory()-before)
	fmt.Println("| peer | characters | shared languages | macro-F1 | ours | of all | ours | Persian F1 | ours | MB/s | ours |\n|---|---|---|---|---|---|---|---|---|---|---|")
	var took []string
	for _, build := range []func() identifier{published, cld2, whatlang, linguaFull} {
		before := memory()
		peer := build()
		for _, length := range []string{"50", "200", "1000", "200p", "1000p"} {
			shared := map[string]bool{}
			for _, s := range all {
				if s.length == length && (peer.knows == nil && answers(peer, all, s.language) || peer.knows[s.language]) {
					shared[s.language] = true
				}
			}
			theirs := measure(peer, all, length, shared)
			our := measure(among(id, shared), all, length, shared)
			everything, ourEverything := measure(peer, all, length, nil), measure(ours, all, length, nil)
			fmt.Printf("| %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.1f | %.1f |\n", peer.name, length, len(shared),
				theirs.macro, our.macro, everything.macro, ourEverything.macro, everything.persian, ourEverything.persian, everything.speed, ourEverything.speed)
		}
		took = append(took, fmt.Sprintf("%s %d MB", peer.name, memory()-before))
	}
	fmt.Printf("\nMemory after that: %s\n", strings.Join(took, ", "))
}

// published is the method of Azimzadeh, Yari and Aleahmad (2009), which knows Persian alone.
func published() identifier {
	return identifier{"published method", func(text string) string {
		if is, _ := lang.Published(lang.Page{Text: text}); is {
			return "fa"
		}
		return ""
	}, map[string]bool{"fa": true}}
}

func whatlang() identifier {
	codeOf := func(l whatlanggo.Lang) string {
		switch c := l.Iso6393(); c { // it has no code of two letters for these
		case "pes":
			return "fa"
		case "ydd":
			return "yi"
		case "ceb", "ilo", "mai", "skr":
			return c
		}
		return l.Iso6391()
	}
	knows := map[string]bool{}
	for l := range whatlanggo.Langs {
		knows[code(codeOf(l))] = true
	}
	return identifier{"whatlanggo", func(text string) string { return codeOf(whatlanggo.Detect(text).Lang) }, knows}
}

func cld2() identifier {
	return identifier{"CLD2", func(text string) string {
		c := C.CString(text)
		defer C.free(unsafe.Pointer(c))
		return C.GoString(C.cld2(c, C.int(len(text))))
	}, nil}
}

func linguaFull() identifier {
	detector := lingua.NewLanguageDetectorBuilder().FromAllLanguages().Build()
	knows := map[string]bool{}
	for _, l := range lingua.AllLanguages() {
		knows[code(strings.ToLower(l.IsoCode639_1().String()))] = true
	}
	return identifier{"lingua-go", func(text string) string {
		if l, ok := detector.DetectLanguageOf(text); ok {
			return strings.ToLower(l.IsoCode639_1().String())
		}
		return ""
	}, knows}
}

// among is lib/lang's answer when only some languages are possible, as all texts are in one of them; nil for all. What has blocks is
// read as a page.
func among(id *lang.Identifier, shared map[string]bool) identifier {
	return identifier{"kavosh", func(text string) string {
		var found []lang.Language
		if strings.Contains(text, "\n") {
			found = id.Page(lang.Page{Text: text}).Languages
		} else {
			found = id.Identify(text)
		}
		for _, l := range found {
			if shared == nil || shared[code(l.Code)] {
				return l.Code
			}
		}
		return ""
	}, nil}
}

// memory is what the process holds, in megabytes, garbage left out.
func memory() int {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kB int
	fmt.Sscan(rest, &kB)
	return kB >> 10
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

// measured is what became of texts: the mean F1 over languages, that of Persian, and megabytes a second of the processor's time.
type measured struct{ macro, persian, speed float64 }

// measure identifies the texts of some length in some languages, all for nil.
func measure(who identifier, all []sample, length string, of map[string]bool) (m measured) {
	right, is, said := map[string]float64{}, map[string]float64{}, map[string]float64{}
	size, began := 0, processor()
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
	m.speed = float64(size) / 1e6 / (processor() - began).Seconds()
	for l := range is {
		m.macro += 2 * right[l] / (is[l] + said[l]) / float64(len(is))
	}
	m.persian = 2 * right["fa"] / max(1, is["fa"]+said["fa"])
	return m
}

// processor is the time that processors have worked for this program.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
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
