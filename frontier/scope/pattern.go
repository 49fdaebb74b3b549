package scope

// This file makes regular expressions that are looked for in URLs.

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"kavosh/lib/weburl"
)

// Bounds of a pattern: of the program that it becomes, in steps, beside a few for each byte of its text; and of a class
// of letters that is written out.
const (
	patternSteps  = 10_000
	stepsOfByte   = 8
	classWritten  = 512
	patternAdvice = "quote special characters such as ? by a backslash"
)

// Pattern compiles a regular expression (RE2) to be looked for in seen-keys. Letters beyond ASCII stand for what URLs have
// in their place: "آ" for "%D8%A2". An error says what is wrong with it: that it is empty, and would be found in every
// URL, that it is none, or that it is too large.
func Pattern(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, errors.New("is empty, and would be found in every URL: leave it out, or write . for all")
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%q: it is no regular expression (%w); %s", text, err, patternAdvice)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err == nil && len(prog.Inst) > patternSteps+stepsOfByte*len(text) {
		err = errors.New("it is too large: repeat less in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%.100q: %w", text, err)
	}
	for i := range len(text) {
		if text[i] >= 0x80 {
			return regexp.Compile(escapes(tree).String())
		}
	}
	return regexp.Compile(text)
}

// escapes replaces letters beyond ASCII in a pattern by their escapes. A class with very many of them, such as [^/],
// stays as it is.
func escapes(re *syntax.Regexp) *syntax.Regexp {
	for i := range re.Sub {
		re.Sub[i] = escapes(re.Sub[i])
	}
	switch re.Op {
	case syntax.OpLiteral:
		all := &syntax.Regexp{Op: syntax.OpConcat}
		for _, r := range re.Rune {
			all.Sub = append(all.Sub, escape(r, re.Flags))
		}
		return all
	case syntax.OpCharClass:
		any, n := &syntax.Regexp{Op: syntax.OpAlternate}, 0
		rest := &syntax.Regexp{Op: syntax.OpCharClass, Flags: re.Flags}
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo < 0x80 {
				rest.Rune = append(rest.Rune, lo, min(hi, 0x7f))
				lo = 0x80
			}
			if n += int(max(hi-lo+1, 0)); n > classWritten {
				return re
			}
			for r := lo; r <= hi; r++ {
				any.Sub = append(any.Sub, escape(r, 0))
			}
		}
		if n == 0 {
			return re
		}
		if len(rest.Rune) > 0 {
			any.Sub = append(any.Sub, rest)
		}
		return any
	}
	return re
}

// escape is a letter as a URL has it: the digits of an escape may be in either case.
func escape(r rune, flags syntax.Flags) *syntax.Regexp {
	one := &syntax.Regexp{Op: syntax.OpLiteral, Flags: flags, Rune: []rune{r}}
	if r >= 0x80 {
		one.Flags |= syntax.FoldCase
		one.Rune = []rune(weburl.Escape(string(r)))
	}
	return one
}
