//go:build conformance

package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kavosh/internal/fakeweb"
)

// port is one that may be in use.
var port = regexp.MustCompile(` :[0-9]+`)

// The blocks of README and of each guide run, one after the other, in a folder that has what they name.
func TestDocumentedBlocks(t *testing.T) {
	frame, err := os.ReadFile("testdata/documented.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, prepared := t.TempDir(), t.TempDir()
	for _, file := range documents(t) {
		if strings.Contains(file, "docs") && !strings.Contains(file, "guide") || strings.HasSuffix(file, "steering.md") {
			continue // the story of steering.md is run by conformance/journeys, beside its own sites
		}
		script := string(frame) + "-- guide.sh --\n"
		for line := range strings.Lines(shellBlocks(t, file)) {
			if words := strings.Fields(line); len(words) > 0 && !slices.Contains([]string{"go", "make", "curl"}, words[0]) {
				script += port.ReplaceAllString(line, " :0")
			}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".md") + ".txtar"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prepare(t, prepared, string(frame))
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PREPARED", prepared)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"web": cmdWeb},
	})
}

// prepare makes the files and archives that the guides name.
func prepare(t *testing.T, dir, frame string) {
	t.Chdir(dir)
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	const turtle = "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n<https://example.org/#me> foaf:name \"Ada\" .\n"
	for name, text := range map[string]string{
		"seeds.txt": "https://example.org/\n", "known.txt": "https://example.org/\n", "more.txt": "example.net # comment\n", "press.txt": "https://example.org/press\n",
		"urls.txt": "https://example.org/a\n", "cookies.txt": "# Netscape HTTP Cookie File\nwiki.example.org\tFALSE\t/\tTRUE\t0\tsession\tx\n", "login.toml": "[\"https://wiki.example.org\"]\nuser = \"me\"\npassword = \"x\"\n",
		"news.toml": "archive = \"toml.kavosh\"\nseeds = [\"seeds.txt\"]\n", "cover.jpg": picture.String(),
		"vocabulary.ttl": turtle, "people.rdf": turtle, "page.html": "<p>page",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, web, _ := strings.Cut(frame, "-- web.txt --\n")
	address := serveWeb(t, markers.ReplaceAllString(web, "-- $1 --"))
	command(t, "crawl", "--archive", "news", "--delay", "0", "--connect-to", "::"+address, "--max-urls", "2", "https://example.org/")
	for i := range 10 {
		for class, words := range map[string]string{"good": "lecture homework", "bad": "mayor award"} {
			for _, group := range []string{"a", "b"} {
				name := filepath.Join(class, group, fmt.Sprintf("%d.txt", i))
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(words), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	command(t, "judge", "train", "--positive", "good", "--negative", "bad", "-o", "course.model")
	command(t, "export", "wacz", "news", "-o", "collection.wacz")
	files, err := filepath.Glob("news/warc/*.warc.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, archive := range []string{"example.org.kavosh", "news.kavosh", "more", "first"} {
		if err := os.CopyFS(archive, os.DirFS("news")); err != nil {
			t.Fatal(err)
		}
	}
	command(t, "crawl", "--archive", "news.kavosh", "--delay", "0", "--connect-to", "::"+address, "--max-urls", "2", "https://example.org/") // to be compared
	for from, to := range map[string]string{"collection.wacz": "x.wacz", files[0]: "old.warc.gz"} {
		if err := os.Link(from, to); err != nil {
			t.Fatal(err)
		}
	}
}

func serveWeb(t *testing.T, text string) string {
	w, err := fakeweb.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := fakeweb.NewServer(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(s.Close)
	return l.Addr().String()
}
