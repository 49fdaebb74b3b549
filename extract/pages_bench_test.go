package extract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// prose20K is a page of 20 KB as people write them: a head, a menu, paragraphs of words drawn by rank from a large
// vocabulary, and 50 links.
func prose20K() []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string { // the commoner the shorter
		r := int(1 / (rnd.Float64() + 1e-4))
		n := 2 + min(r, 7) + rnd.IntN(3)
		w := make([]byte, n)
		pick := rand.New(rand.NewPCG(uint64(r), uint64(n)))
		for i := range w {
			w[i] = "etaoinshrdlucmfwypvbgkqjxz"[pick.IntN(26)]
		}
		return string(w)
	}
	words := func(b *strings.Builder, n int) {
		for range n {
			b.WriteString(word())
			b.WriteByte(' ')
		}
	}
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html>` + "\n" + `<html lang="en"><head><meta charset="utf-8"><title>A page of prose</title><link rel="stylesheet" href="/style.css"></head><body>` + "\n<ul>")
	for i := range 10 {
		fmt.Fprintf(&b, `<li><a href="/menu/%d.html">Menu %d</a></li>`+"\n", i, i)
	}
	b.WriteString("</ul>\n")
	for p := range 20 {
		b.WriteString("<p>")
		words(&b, 45)
		fmt.Fprintf(&b, `<a href="/pages/%d/%d.html">`, rnd.IntN(100), rnd.IntN(10000))
		words(&b, 2)
		b.WriteString("</a> ")
		words(&b, 40)
		fmt.Fprintf(&b, `<a href="page%d.html" title="more of %d">`, rnd.IntN(10000), p)
		words(&b, 3)
		b.WriteString("</a> ")
		words(&b, 60)
		b.WriteString("</p>\n")
	}
	b.WriteString("</body></html>\n")
	return []byte(b.String())
}

// pages are the pages that are measured: one that is made up and those of Debian's packages that are installed.
func pages(tb testing.TB) map[string][]byte {
	all := map[string][]byte{"prose": prose20K()}
	for name, path := range map[string]string{
		"postgresql": "postgresql-doc-15/html/sql-createtable.html",
		"javadoc":    "openjdk-17-jre-headless/api/java.desktop/javax/swing/JComboBox.html",
		"persian":    "debian-handbook/html/fa-IR/apt.html",
		"rustdoc":    "rust-doc/html/std/collections/struct.HashMap.html",
	} {
		data, err := os.ReadFile("/usr/share/doc/" + path)
		if err != nil {
			tb.Logf("%s is not measured: %v", name, err)
			continue
		}
		all[name] = data
	}
	return all
}

// BenchmarkPages reads whole pages; x-peer is as in BenchmarkHTML.
func BenchmarkPages(b *testing.B) {
	all := pages(b)
	all["prose with simhash"] = all["prose"]
	all["prose with text"] = all["prose"]
	for name, page := range all {
		b.Run(name, func(b *testing.B) {
			doc := Document{URL: "http://site.test/doc/page.html", Payload: page, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
			opts := Options{Buffers: new(Buffers), Simhash: strings.HasSuffix(name, "simhash"), Needs: kavosh.Needs{Text: strings.HasSuffix(name, "text")}}
			links := len(Extract(doc, opts).Links)
			us, peer := time.Hour, time.Hour
			for range 200 {
				us = min(us, timed(func() { Extract(doc, opts) }))
				peer = min(peer, timed(func() { tokens(page) }))
			}
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				Extract(doc, opts)
			}
			b.ReportMetric(float64(peer)/float64(us), "x-peer")
			b.ReportMetric(float64(us.Nanoseconds())/1000, "best-µs")
			b.ReportMetric(float64(links), "links")
		})
	}
}
