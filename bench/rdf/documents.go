package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"kavosh/lib/rdf"
)

// documents writes one N-Triples and one Turtle document of about size bytes each to dir, unless they exist. The same
// size gives the same bytes.
func documents(dir string, size int64) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var names []string
	for _, ext := range []string{".nt", ".ttl"} {
		name := filepath.Join(dir, fmt.Sprintf("%d%s", size, ext))
		names = append(names, name)
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if err := write(name, size); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// write writes a document, under another name until it is complete.
func write(name string, size int64) error {
	f, err := os.Create(name + ".part")
	if err != nil {
		return err
	}
	defer f.Close()
	out := &counter{out: bufio.NewWriterSize(f, 1<<20)}
	c := &catalogue{random: rand.New(rand.NewPCG(1, 2))}
	if filepath.Ext(name) == ".ttl" {
		for out.n < size && err == nil {
			_, err = io.WriteString(out, c.next())
		}
	} else {
		r, w := rdf.NewTurtleReader(c, "http://kavosh.example/"), rdf.NewNTriplesWriter(out)
		for out.n < size && err == nil {
			var q rdf.Quad
			if q, err = r.Read(); err == nil {
				err = w.Write(q)
			}
		}
		if err == nil {
			err = w.Close()
		}
	}
	if err == nil {
		err = out.out.Flush()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}

type counter struct {
	out *bufio.Writer
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.out.Write(p)
}

// catalogue generates an endless Turtle document such as a library might publish: people, books, places, subjects and
// counts, in English and Persian, in the style of people, with property lists and collections.
type catalogue struct {
	random *rand.Rand
	n      int    // records so far
	left   string // unread part of the current record
}

func (c *catalogue) Read(p []byte) (int, error) {
	if c.left == "" {
		c.left = c.next()
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

const head = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> .
@prefix qb: <http://purl.org/linked-data/cube#> .
@prefix dbr: <http://dbpedia.org/resource/> .
@prefix person: <http://data.library.example/id/person/> .
@prefix book: <http://data.library.example/id/book/> .
@prefix place: <http://data.library.example/id/place/> .
@prefix topic: <http://data.library.example/id/topic/> .

`

var (
	english = strings.Fields("the library of history and science holds manuscripts letters maps pictures collected by travellers in many countries old new great early modern complete illustrated second edition volume with notes index commentary translated from original journey garden river mountain city bridge star night morning")
	persian = strings.Fields("کتابخانه تاریخ و دانش نسخه‌های خطی نامه‌ها نقشه‌ها تصویرها گردآوری مسافران در کشورهای بسیار کهن نو بزرگ آغازین کامل مصور چاپ دوم جلد با یادداشت فهرست شرح ترجمه از متن اصلی سفر باغ رود کوه شهر پل ستاره شب بامداد")
)

func (c *catalogue) words(of []string, n int) string {
	some := make([]string, n)
	for i := range some {
		some[i] = of[c.random.IntN(len(of))]
	}
	return strings.Join(some, " ")
}

// next returns the next record.
func (c *catalogue) next() string {
	var b strings.Builder
	if c.n == 0 {
		b.WriteString(head)
	}
	c.n++
	i, r := c.n, c.random.IntN
	switch i % 5 {
	case 0:
		fmt.Fprintf(&b, `person:p%d a foaf:Person , schema:Person ;
    foaf:name "%s"@en , "%s"@fa ;
    foaf:mbox <mailto:p%d@mail.example> ;
    schema:birthDate "%d-%02d-%02d"^^xsd:date ;
    foaf:knows person:p%d , person:p%d , person:p%d ;
    foaf:based_near [ a geo:Point ; geo:lat %d.%04d ; geo:long %d.%04d ] ;
    owl:sameAs <http://www.wikidata.org/entity/Q%d> .

`, i, c.words(english, 2), c.words(persian, 2), i, 1900+r(100), 1+r(12), 1+r(28), r(i+1), r(i+1), r(i+1), 25+r(14),
			r(10000), 44+r(19), r(10000), r(1e8))
	case 1, 2:
		fmt.Fprintf(&b, `book:b%d
    a schema:Book ;
    dcterms:title "%s"@en , "%s"@fa ;
    dcterms:creator person:p%d ;
    schema:author ( person:p%d person:p%d ) ;
    dcterms:issued "%d"^^xsd:gYear ;
    dcterms:subject topic:t%d , topic:t%d , <http://id.loc.gov/authorities/subjects/sh%d> ;
    dcterms:abstract """%s.
"%s." – %s."""@en ;
    schema:numberOfPages %d ;
    schema:isAccessibleForFree %v ;
    schema:isbn "978-%010d" .

`, i, c.words(english, 6), c.words(persian, 6), r(i+1), r(i+1), r(i+1), 1800+r(220), r(5000), r(5000), r(1e7),
			c.words(english, 30), c.words(persian, 20), c.words(english, 10), 50+r(900), r(2) == 0, r(1e10))
	case 3:
		fmt.Fprintf(&b, `place:%d a schema:Place ; rdfs:label "%s"@fa , "%s"@en ;
    geo:lat %d.%05d ; geo:long %d.%05d ; schema:population %d ; rdfs:seeAlso dbr:Place_%d , <http://sws.geonames.org/%d/> .

`, i, c.words(persian, 2), c.words(english, 2), r(90), r(1e5), r(180), r(1e5), r(1e7), r(1e6), r(1e7))
	default:
		fmt.Fprintf(&b, `topic:t%d a skos:Concept ;
    skos:prefLabel "%s"@en ; skos:altLabel "%s"@en-GB , '%s'@fa ;
    skos:broader topic:t%d ; skos:notation "%03d.%02d" ;
    skos:definition "%s: \"%s\"\n"@en .
[] a qb:Observation ; qb:dataSet <http://data.library.example/loans> ; dcterms:subject topic:t%d ; schema:value %d.%de%d .

`, i, c.words(english, 2), c.words(english, 3), c.words(persian, 2), r(5000), r(1000), r(100), c.words(english, 12),
			c.words(persian, 9), i, 1+r(9), r(1000), r(6))
	}
	return b.String()
}
