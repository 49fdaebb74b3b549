//go:build conformance

package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nlnwa/gowarc"
)

// javaPath is the class path of the programs in Java that `make conformance-tools` gets.
func javaPath(t *testing.T) string {
	dir := os.Getenv("KAVOSH_JAVA")
	if dir == "" {
		dir = "../../.cache/java"
	}
	if jars, err := filepath.Glob(filepath.Join(dir, "*.jar")); err != nil || len(jars) == 0 {
		t.Fatalf("no programs in Java in %s; run `make conformance-tools` or set KAVOSH_JAVA", dir)
	}
	return filepath.Join(dir, "*")
}

// judges are other programs that verify digests, by what they say of a file that holds one record: "" for nothing against it.
func judges(t *testing.T) map[string]func(path string) string {
	py, java := python(t), javaPath(t)
	return map[string]func(string) string{
		"warcio": func(path string) string {
			out, err := exec.Command(py, "-m", "warcio.cli", "check", path).CombinedOutput()
			if err == nil {
				return ""
			}
			return string(out)
		},
		"gowarc": func(path string) string {
			r, err := gowarc.NewWarcFileReader(path, 0, gowarc.WithStrictValidation(), gowarc.WithAddMissingDigest(false))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			rec, _, validation, err := r.Next()
			if err != nil {
				return err.Error()
			}
			defer rec.Close()
			raw, err := rec.Block().RawBytes()
			if err != nil {
				return err.Error()
			}
			io.Copy(io.Discard, raw)
			if err := rec.ValidateDigest(validation); err != nil {
				return err.Error()
			}
			if !validation.Valid() {
				return validation.String()
			}
			return ""
		},
		"JWAT": func(path string) string {
			out, err := exec.Command("java", "-cp", java, "testdata/Digests.java", path).CombinedOutput()
			if err != nil {
				t.Fatalf("JWAT: %v\n%s", err, out)
			}
			if said := strings.TrimSpace(string(out)); said != "1 records" {
				return said
			}
			return ""
		},
		"jwarc": func(path string) string {
			out, err := exec.Command("java", "-cp", java, "org.netpreserve.jwarc.tools.WarcTool", "validate", path).CombinedOutput()
			if err == nil && !strings.Contains(string(out), "ERROR") {
				return ""
			}
			return string(out)
		},
	}
}

// answerFile is a file with one response whose digests are these.
func answerFile(t *testing.T, block, payload, ofBlock string) string {
	path := filepath.Join(t.TempDir(), "a.warc")
	record := makeRecord("response", "http://example.com/", "application/http;msgtype=response", block, "WARC-Payload-Digest", payload)
	record.header.Set("WARC-Block-Digest", ofBlock)
	record.header.Set("WARC-Date", "2026-01-31T12:00:00Z")
	file, _ := write(t, Compression{}, []sampleRecord{record})
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// What other programs make of the spellings is the table of docs/decisions/0042, and what we write they all take.
func TestSpellingsThatReadersTake(t *testing.T) {
	sum1 := func(s string) []byte { h := sha1.Sum([]byte(s)); return h[:] }
	sum256 := func(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:] }
	nopad := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString
	all := judges(t)
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	var table strings.Builder
	for _, c := range []struct {
		name  string
		spell func(string) string
	}{
		{"`sha1:` base32", func(s string) string { return "sha1:" + nopad(sum1(s)) }},
		{"`sha1:` base32 in small letters", func(s string) string { return "sha1:" + strings.ToLower(nopad(sum1(s))) }},
		{"`sha1:` hexadecimal", func(s string) string { return fmt.Sprintf("sha1:%x", sum1(s)) }},
		{"`sha256:` base32", func(s string) string { return "sha256:" + nopad(sum256(s)) }},
		{"`sha256:` base32 with padding", func(s string) string { return "sha256:" + base32.StdEncoding.EncodeToString(sum256(s)) }},
		{"`sha256:` hexadecimal", func(s string) string { return fmt.Sprintf("sha256:%x", sum256(s)) }},
		{"`sha256:` hexadecimal in capitals", func(s string) string { return fmt.Sprintf("sha256:%X", sum256(s)) }},
	} {
		right := answerFile(t, head+"hello", c.spell("hello"), c.spell(head+"hello"))
		wrong := answerFile(t, head+"hello", c.spell("another"), c.spell(head+"hello"))
		table.WriteString("| " + c.name + " |")
		for _, name := range []string{"warcio", "gowarc", "JWAT", "jwarc"} {
			said := " ok |"
			if all[name](right) != "" {
				said = " refused |"
			} else if all[name](wrong) == "" {
				said = " not looked at |"
			}
			table.WriteString(said)
		}
		table.WriteString("\n")
	}
	doc, err := os.ReadFile("../../docs/decisions/0042-payload-digests.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "|---|---|---|---|---|\n"+table.String()) {
		t.Errorf("the table is now\n%s", table.String())
	}
}

// What users see in other programs of our chunked answers stands in docs/decisions/0042: none doubts the block, and of the
// payload warcio, gowarc and JWAT mean another thing than the standard and jwarc.
func TestWhatReadersSayOfChunkedAnswers(t *testing.T) {
	records := sample()
	block := records[1].block
	path := answerFile(t, block, records[1].header.Get("WARC-Payload-Digest"), records[1].header.Get("WARC-Block-Digest"))
	for name, want := range map[string]string{
		"warcio": "payload digest failed sha256:",
		"gowarc": "payload: wrong digest: expected sha256:",
		"JWAT":   "1 records; error: INVALID_EXPECTED Incorrect payload digest",
		"jwarc":  "",
	} {
		if said := judges(t)[name](path); (said == "") != (want == "") || !strings.Contains(said, want) || strings.Contains(said, "block") {
			t.Errorf("%s says %q, want %q", name, said, want)
		}
	}
}
