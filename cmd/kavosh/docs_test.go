package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// documents are README, and all below docs.
func documents(t *testing.T) []string {
	files := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// shellBlocks are all blocks of shell in a document.
func shellBlocks(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all string
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		all += block[1] + aside.ReplaceAllString(goesOn.ReplaceAllString(block[2], " "), "") + "\n"
	}
	return all
}

// shellBlock is what stands between fences, or a command that is indented, with what follows a \ and what it does behind
// some blanks.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```|(?-s:(?m:^    (kavosh (?:.*\\\\\n)*.*)))")

// goesOn is the end of a line whose command goes on in the next.
var goesOn = regexp.MustCompile(`\\\n *`)

// aside is what a line says of itself.
var aside = regexp.MustCompile(`   .*`)

// Every command that the documents show can be given: its flags exist and their values are understood.
func TestDocumentedCommands(t *testing.T) {
	parser, err := newParser(new(cli), &program{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, file := range documents(t) {
		for line := range strings.Lines(shellBlocks(t, file)) {
			args := shellWords(line)
			if len(args) == 0 {
				continue
			}
			commands++
			if err := checkCommand(t, parser, args); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), strings.TrimSpace(line), err)
			}
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands were found", commands)
	}
}

// stable is the command line that people's scripts use: each verb and flag here stays.
const stable = `
kavosh crawl --archive DIR --seeds FILE --scope page --include RE --exclude RE --order breadth --prefer language=fa --only rdf --max-pages 1 SEED
kavosh crawl --max-time 1h --max-bytes 1GB --max-hops 2 --max-urls 1 --workers 2 --delay 1s --address-delay 100ms --robots obey --json SEED
kavosh crawl --connect-to ::127.0.0.1:8091 --allow-private 10.0.0.0/8 --tls capture --proxy URL --header 'A: b' --user-agent S --contact URL SEED
kavosh crawl --digest sha256 --min-free 1GB --config FILE --seeds - --scope prefix --robots record --reason TEXT --tls strict --digest sha1
kavosh crawl --scope host --prefer rdf --prefer topic=FILE --prefer keyword=WORD --order mix,seed=2 SEED
kavosh crawl --scope domain --browser never --explain URL SEED
kavosh crawl --scope any --browser always --host-budget 1 --domain-budget 1 --credentials FILE --keep-secrets --status :0 SEED
kavosh crawl --archive DIR --resume
kavosh crawl --archive DIR --resume=20260301080000 --max-pages 2 --delay 2s --workers 3
kavosh why DIR URL
kavosh why --archive DIR URL
kavosh log DIR --json
kavosh log --archive DIR --follow
kavosh rebuild DIR
kavosh rebuild --archive DIR
kavosh characterise DIR
kavosh characterise --archive DIR
kavosh check DIR x.warc.gz x.wacz --strict
kavosh repair FILE -o OUT
kavosh serve --archive news=DIR --archive more --addr 127.0.0.1:8088 --replay-addr 127.0.0.1:8089
kavosh serve x.warc.gz
kavosh search DIR WORD
kavosh control DIR status
kavosh access DIR list
kavosh token DIR list
kavosh describe DIR --title TEXT --title-fa TEXT --description TEXT --description-fa TEXT --picture FILE
kavosh import x.wacz DIR
kavosh export text DIR
kavosh export wacz DIR -o x.wacz
kavosh export tables DIR
kavosh rdf stats DIR
kavosh rdf match DIR '? ? ?'
kavosh rdf export DIR
kavosh seeds --from DIR --for rdf --limit 10 --json
kavosh judge train --positive DIR --negative DIR -o FILE
kavosh judge try MODEL DIR
kavosh lab run DIR --order breadth --out DIR --relevant label=course
kavosh lab compare DIR
kavosh lab show DIR
kavosh demo --once --archive DIR
kavosh version
`

// What is stable can be given.
func TestStableCommandLine(t *testing.T) {
	parser, err := newParser(new(cli), &program{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(stable) {
		if args := shellWords(line); len(args) > 0 {
			if err := parses(parser, args[1:]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
}

var inline = regexp.MustCompile("`kavosh ([^`\n]+)`")

// Verbs and flags that the text of a document names exist.
func TestNamedCommands(t *testing.T) {
	parser, err := newParser(new(cli), &program{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(documents(t), "../../ARCHITECTURE.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			node := parser.Model.Node
			for i, word := range strings.Fields(m[1]) {
				name, _, _ := strings.Cut(word, "=")
				child := childOf(node, name)
				switch {
				case child != nil:
					node = child
				case i == 0 && !strings.HasPrefix(name, "--help"):
					t.Errorf("%s: `%s`: there is no such verb", filepath.Base(file), m[0])
				case strings.HasPrefix(name, "--") && !slices.ContainsFunc(slices.Concat(node.AllFlags(false)...), func(f *kong.Flag) bool { return "--"+f.Name == name }):
					t.Errorf("%s: %s: there is no flag %s", filepath.Base(file), m[0], name)
				}
			}
		}
	}
}

// Whoever misspells a command of kavosh control is told of each that its help has.
func TestControlsAreListed(t *testing.T) {
	for _, m := range regexp.MustCompile(`kavosh control ARCHIVE ([a-z-]+)`).FindAllStringSubmatch(controlCmd{}.Help(), -1) {
		if !slices.Contains(controls, m[1]) {
			t.Errorf("%s is not among them", m[1])
		}
	}
}

func checkCommand(t *testing.T, parser *kong.Kong, args []string) error {
	switch {
	case args[0] == "kavosh" || args[0] == "./kavosh":
		return parses(parser, args[1:])
	case args[0] == "go" && args[1] == "run" && args[2] == "./cmd/kavosh":
		return parses(parser, args[3:])
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
	return nil
}

// parses reports what is wrong with a command line, without looking at the files it names.
func parses(parser *kong.Kong, args []string) error {
	ctx, err := kong.Trace(parser, flagsFirst(parser.Model.Node, withMinus(args)))
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
