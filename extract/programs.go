package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"kavosh/lib/ascii"
)

// This file tells pages by the programs that they run by themselves, for kavosh.Page.Programs: scripts, handlers of events
// that need no person, and frames, whose pages may have scripts. Pages of one template have the same fingerprint,
// although their scripts are named from other folders and begin with other data.

// Bounds on what is read of one script in a page.
const (
	maxProgram      = 64 << 10 // bytes
	maxProgramNames = 64       // names in its code; data that comes later differs from page to page
)

// runs takes note of one program of the page, of the given kind, such as "src".
func (h *htmlReader) runs(kind string, what uint64) {
	if h.opts.Needs.Programs && h.guessed == "" && !h.unsure {
		h.page.Programs = mixed(mixed(h.page.Programs, sumOf([]byte(kind))), what) | 1
	}
}

// programFrame takes note of a frame.
func (h *htmlReader) programFrame() {
	switch h.scan.tag.atom {
	case atom.Iframe, atom.Frame, atom.Object, atom.Embed:
		h.runs("frame", 0)
	}
}

// programFile takes note of a script in a file: its name without the way to it from the page, digits and query.
func (h *htmlReader) programFile(src []byte) {
	src, _, _ = bytes.Cut(bytes.TrimSpace(src), []byte("?"))
	for cut := true; cut; {
		var up bool
		src, cut = bytes.CutPrefix(src, []byte("./"))
		src, up = bytes.CutPrefix(src, []byte("../"))
		cut = cut || up
	}
	sum := uint64(fnvOffset)
	for _, c := range src {
		if c < '0' || c > '9' {
			sum = (sum ^ uint64(c)) * fnvPrime
		}
	}
	h.runs("src", sum)
}

// programCode takes note of code in the page: its first names outside of strings. Numbers and strings are data.
func (h *htmlReader) programCode(kind string, code []byte) {
	if !h.opts.Needs.Programs {
		return
	}
	code = code[:min(len(code), maxProgram)]
	sum, names := uint64(fnvOffset), 0
	for i := 0; i < len(code) && names < maxProgramNames; {
		switch c := code[i]; {
		case c == '"' || c == '\'' || c == '`':
			for i++; i < len(code) && code[i] != c; i++ {
				if code[i] == '\\' {
					i++
				}
			}
			i++
		case ascii.IsLetter(c) || c == '_' || c == '$':
			begin := i
			for ; i < len(code) && (ascii.IsLetter(code[i]) || code[i] == '_' || code[i] == '$' || code[i] >= '0' && code[i] <= '9'); i++ {
			}
			switch name := code[begin:i]; string(name) {
			case "true", "false", "null": // data
			default:
				sum = mixed(sum, sumOf(name))
				names++
			}
		default:
			i++
		}
	}
	h.runs(kind, sum)
}

// programHandler takes note of an attribute that has code, unless it runs only when a person does something.
func (h *htmlReader) programHandler(at attr) {
	for _, event := range [...]string{"load", "error", "pageshow", "scroll", "resize", "readystatechange", "domcontentloaded", "animation", "transition", "canplay", "begin"} {
		if len(at.name) > 2 && ascii.HasPrefixFold(at.name[2:], event) {
			h.programCode("handler", at.value)
			return
		}
	}
}

// The sums of FNV-1a.
const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

func sumOf(b []byte) uint64 {
	sum := uint64(fnvOffset)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * fnvPrime
	}
	return sum
}

// mixed is sum with one more number.
func mixed(sum, more uint64) uint64 {
	sum = (sum ^ more) * 0x9E3779B97F4A7C15
	return sum ^ sum>>29
}
