//go:build conformance

package weburl

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Other people's programs answer for the same URLs: pywb's canonicaliser for index keys, and the implementation that the
// authors of the URL Standard test it with. Both are installed once, below the user's cache folder.
const (
	surtPackage   = "surt==0.3.1"
	whatwgPackage = "whatwg-url@16.0.1"
)

// surtOracle answers each line, a JSON string, with pywb's urlkey for it, or null where pywb refuses.
const surtOracle = `
import json, sys
from surt import surt
for line in sys.stdin:
    try:
        key = surt(json.loads(line))
    except Exception:
        key = None
    print(json.dumps(key))
`

// whatwgOracle answers each line, a JSON array of base and reference, with the href, or null for failure. A base that is
// no URL counts as none.
const whatwgOracle = `
const { URL } = require("whatwg-url");
const parse = (ref, base) => { try { return new URL(ref, base).href } catch { return undefined } };
const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n");
console.log(lines.map(line => {
  const [base, ref] = JSON.parse(line);
  return JSON.stringify(parse(ref, parse(base)) ?? null);
}).join("\n"));
`

// oracleFolder is where program is installed; install runs there when it is not.
func oracleFolder(t *testing.T, name, have string, install ...*exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "kavosh-conformance", name)
	if _, err := os.Stat(filepath.Join(dir, have)); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range install {
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cannot install %s in %s: %v\n%s", name, dir, err, out)
		}
	}
	return dir
}

// ask runs an oracle on questions and returns its answers, of which there is one to each; nil is a refusal.
func ask[Q any](t *testing.T, cmd *exec.Cmd, questions []Q) []*string {
	t.Helper()
	var in, errs bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, q := range questions {
		if err := enc.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args[0], err, errs.String())
	}
	answers := make([]*string, len(questions))
	dec := json.NewDecoder(bytes.NewReader(out))
	for i := range answers {
		if err := dec.Decode(&answers[i]); err != nil {
			t.Fatalf("answer %d of %d: %v", i, len(answers), err)
		}
	}
	return answers
}

func askSURT(t *testing.T, urls []string) []*string {
	dir := oracleFolder(t, "surt", "bin/surt-ready",
		exec.Command("python3", "-m", "venv", "."),
		exec.Command("bin/pip", "install", "--quiet", surtPackage),
		exec.Command("touch", "bin/surt-ready"))
	return ask(t, exec.Command(filepath.Join(dir, "bin/python"), "-W", "ignore", "-c", surtOracle), urls)
}

// TestReferenceImplementation compares hrefs with whatwg-url's on 100,000 pairs of base and reference, put together from
// what parsers trip over. Credentials with characters outside the basic plane are left out: whatwg-url cuts them in two.
func TestReferenceImplementation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var pairs [][2]string
	for len(pairs) < 100_000 {
		pairs = append(pairs, [2]string{oddURL(r, 6), oddURL(r, 8)})
	}
	dir := oracleFolder(t, "whatwg-url", "node_modules/whatwg-url/package.json",
		exec.Command("npm", "install", "--silent", "--no-save", "--prefix", ".", whatwgPackage))
	cmd := exec.Command("node", "-e", whatwgOracle)
	cmd.Dir = dir
	differ, failures := 0, 0
	for i, want := range ask(t, cmd, pairs) {
		base, err := Parse(pairs[i][0])
		if err != nil {
			base = nil
		}
		u, err := parse(base, pairs[i][1])
		if want == nil {
			failures++
		}
		if want == nil && err != nil || want != nil && err == nil && u.String() == *want {
			continue
		}
		if want != nil && strings.Contains(*want, "%EF%BF%BD") && strings.Contains(*want, "@") {
			continue
		}
		if differ++; differ <= 30 {
			t.Errorf("%q against %q: %v, %v; the reference implementation has %s", pairs[i][1], pairs[i][0], u, err, show(want))
		}
	}
	t.Logf("%d pairs, %d of them failures, %d differ", len(pairs), failures, differ)
}

func show(s *string) string {
	if s == nil {
		return "failure"
	}
	return *s
}

// oddURL puts up to n of the pieces together that make URLs odd, after a scheme or not.
func oddURL(r *rand.Rand, n int) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var s strings.Builder
	if r.IntN(2) == 0 {
		s.WriteString(pick("http:", "https:", "HTTP:", "ftp:", "file:", "ws:", "data:", "foo:", "mailto:", "http", ""))
		s.WriteString(pick("//", "/", `\\`, "", "///", "//"))
	}
	for range r.IntN(n) + 1 {
		s.WriteString(pick("a", "b", "example.com", "/", "/", `\`, "..", ".", "%2e", "%2E", ":", "@", "[", "]", "[::1]",
			"[1:2::3]", "[::1.2.3.4]", "[::", "0x7f", "1", "256", "127.0.0.1", "0", "08", "+1", "-1", "0x", "0xg", "xn--",
			"xn--mgba3a4f16a", "faß", "خبر", "می‌خواهم", "%", "%zz", "%00", "%41", " ", "\t", "\n", "?", "#", "&", "=", "'",
			`"`, "<", "^", "|", "`", "{", "~", "é", "\u00ad", "。", "：", "／", "80", "443", "99999", "C:", "C|", "\x7f",
			"\x00", "\ufffd", "😀", "-", "_", "*", ";", ",", "!", "$", "(", "0x1.0x2", "١", "א1", "a\u200db", "xn--a", "XN--",
			"ⓧn--a", "ẞ", "K", "\u0130"))
	}
	return s.String()
}
