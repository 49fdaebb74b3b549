//go:build conformance

package warc

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oddFiles are files of one record with one odd field or line each, by what is odd; the first is sound.
func oddFiles(t *testing.T) (all [][2]string) {
	const id, uri, date = "<urn:uuid:0f5c1d8e-0000-4000-8000-000000000000>", "http://example.com/", "2026-01-31T12:00:00Z"
	add := func(what, kind string, edit func(h *Header)) {
		r := makeRecord(kind, "", "text/plain", "x")
		r.header.Set("WARC-Date", date)
		if kind != "warcinfo" {
			r.header.Add("WARC-Target-URI", uri)
		}
		switch kind {
		case "revisit":
			r.header.Add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
			r.header.Add("WARC-Refers-To", id)
		case "continuation":
			r.header.Del("Content-Type")
			r.header.Add("WARC-Segment-Number", "2")
			r.header.Add("WARC-Segment-Origin-ID", id)
		}
		edit(&r.header)
		all = append(all, [2]string{what, text(t, r)})
	}
	add("nothing", "resource", func(*Header) {})
	for _, f := range [][2]string{
		{"WARC-Concurrent-To", id}, {"WARC-IP-Address", "192.0.2.1"}, {"WARC-Warcinfo-ID", id}, {"WARC-Target-URI", uri}, {"WARC-Refers-To", id},
		{"WARC-Refers-To-Target-URI", uri}, {"WARC-Refers-To-Date", date}, {"WARC-Filename", "a.warc"}, {"WARC-Segment-Origin-ID", id},
		{"WARC-Segment-Total-Length", "10"}, {"WARC-Payload-Digest", "sha1:11f6ad8ec52a2984abaafd7c3b516503785c2072"},
		{"WARC-Identified-Payload-Type", "text/plain"}, {"WARC-Truncated", "length"}, {"WARC-Profile", "http://example.com/profile"},
	} {
		for _, kind := range strings.Fields("warcinfo response resource request metadata revisit conversion continuation") {
			add(f[0]+" in a "+kind, kind, func(h *Header) {
				if !h.Has(f[0]) {
					h.Add(f[0], f[1])
				}
			})
		}
	}
	for _, f := range [][2]string{
		{"WARC-Date", "2026-01-31"}, {"WARC-Date", "2026-01-31T12:00:00+01:00"}, {"WARC-Date", "2026-02-30T12:00:00Z"}, {"WARC-Date", "20260131120000"}, {"WARC-Date", "2026-01-31t12:00:00z"},
		{"WARC-Target-URI", "/a/b"}, {"WARC-Target-URI", "example.com"}, {"WARC-Target-URI", "<http://example.com/>"}, {"WARC-Target-URI", "http://example.com/a b"},
		{"WARC-Record-ID", "urn:uuid:1"}, {"WARC-Record-ID", "<1>"}, {"WARC-Concurrent-To", "nonsense"}, {"WARC-Concurrent-To", "<nonsense>"}, {"WARC-Warcinfo-ID", "urn:uuid:1"},
		{"WARC-IP-Address", "example.com"}, {"WARC-IP-Address", "[2001:db8::1]"}, {"WARC-Truncated", "later"}, {"WARC-Type", "Resource"}, {"WARC-Type", "screenshot"},
		{"Content-Type", "text"}, {"Content-Type", "text/plain; charset=utf 8"}, {"WARC-Identified-Payload-Type", "text"},
		{"WARC-Segment-Number", "0"}, {"WARC-Segment-Number", "2"}, {"WARC-Segment-Number", "one"}, {"WARC-Block-Digest", "sha1"}, {"WARC-Block-Digest", "sha3-256:00"},
	} {
		add(f[0]+": "+f[1], "resource", func(h *Header) { h.Set(f[0], f[1]) })
	}
	for _, name := range []string{"WARC-Date", "WARC-Target-URI", "WARC-Warcinfo-ID", "WARC-Concurrent-To", "WARC-Protocol"} {
		add(name+" twice", "resource", func(h *Header) { h.Add(name, cmp.Or(h.Get(name), id)); h.Add(name, h.Get(name)) })
	}
	return all
}

// What other programs say of odd fields where they and we differ is the table of docs/decisions/0202.
func TestOddFieldsBesideOthers(t *testing.T) {
	java, dir := javaPath(t), t.TempDir()
	files := oddFiles(t)
	var paths []string
	for i, f := range files {
		path := filepath.Join(dir, fmt.Sprintf("%03d.warc", i))
		if err := os.WriteFile(path, []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	said := func(program string) []string {
		out, err := exec.Command("java", append([]string{"-cp", java, "testdata/" + program + ".java"}, paths...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(out), "\n")
	}
	jwarc, jwat := said("Fields"), said("Digests")
	word := map[bool]string{true: "wrong", false: "–"}
	var table strings.Builder
	for i, f := range files {
		rules, _ := found(t, true, f[1])
		ours, theirs, jwats := strings.Contains(rules, "error"), jwarc[i] != "", !strings.HasPrefix(jwat[i], "1 records") || strings.Contains(jwat[i], "error")
		if ours != theirs || ours != jwats {
			fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f[0], word[theirs], word[jwats], word[ours])
		}
	}
	doc, err := os.ReadFile("../../docs/decisions/0202-which-fields-records-have.md")
	if err != nil || !strings.Contains(string(doc), "|---|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("%v; the table is now\n%s", err, table.String())
	}
}
