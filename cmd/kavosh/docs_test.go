package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// Every command that README and the guides show can be given: its flags exist and their values are understood.
func TestDocumentedCommands(t *testing.T) {
	files, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				args := shellWords(line)
				if len(args) == 0 {
					continue
				}
				commands++
				if err := checkCommand(t, args); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(file), strings.TrimSpace(line), err)
				}
			}
		}
	}
	if commands < 25 {
		t.Errorf("only %d commands were found", commands)
	}
}

func checkCommand(t *testing.T, args []string) error {
	switch {
	case args[0] == "kavosh" || args[0] == "./kavosh":
		return parses(args[1:])
	case args[0] == "go" && args[1] == "run" && args[2] == "./cmd/kavosh":
		return parses(args[3:])
	case args[0] == "go" && args[1] == "build":
		_, err := os.Stat("../../" + args[len(args)-1])
		return err
	case args[0] == "make":
		makefile, err := os.ReadFile("../../Makefile")
		if err != nil {
			return err
		}
		if !regexp.MustCompile(`(?m)^` + args[1] + `:`).Match(makefile) {
			t.Errorf("the Makefile has no target %s", args[1])
		}
		return nil
	}
	t.Errorf("%s: a command of another program", args[0])
	return nil
}

// parses reports what is wrong with a command line, without looking at the files it names.
func parses(args []string) error {
	var c cli
	parser, err := newParser(&c, &program{out: io.Discard, err: io.Discard})
	if err != nil {
		return err
	}
	ctx, err := kong.Trace(parser, withMinus(args))
	if err != nil {
		return err
	}
	if ctx.Error != nil {
		return ctx.Error
	}
	if err := ctx.Reset(); err != nil { // defaults
		return err
	}
	if _, err := ctx.Apply(); err != nil {
		return err
	}
	return ctx.Validate()
}

// shellWords are a line's words up to a comment or redirection; of a pipe, the words after the last |.
func shellWords(line string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		switch {
		case strings.HasPrefix(w, "#") || w == "<" || w == ">":
			return words
		case w == "|":
			words = nil
		default:
			words = append(words, strings.Trim(w, "'"))
		}
	}
	return words
}
