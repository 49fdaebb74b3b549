package quads

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/lib/rdf"
)

// BenchmarkPut puts documents of a hundred statements, as people describe things, and says what a statement takes on disk
// beside the bytes of its line, and how many are read in a second.
func BenchmarkPut(b *testing.B) {
	fs := vfs.Default
	dir := b.TempDir()
	s, err := Open(fs, dir+"/rdf")
	if err != nil {
		b.Fatal(err)
	}
	lines := 0
	began := time.Now()
	for n := 0; b.Loop(); n++ {
		lines += putMade(b, s, n)
	}
	if err := s.db.Flush(); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	disk := s.db.Metrics().DiskSpaceUsage()
	b.ReportMetric(float64(disk)/float64(100*b.N), "B/statement")
	b.ReportMetric(float64(lines)/float64(100*b.N), "B/line")
	b.ReportMetric(float64(100*b.N)/took.Seconds(), "statements/s")
	read := 0
	began = time.Now()
	for _, err := range s.ByGraph() {
		if err != nil {
			b.Fatal(err)
		}
		read++
	}
	b.ReportMetric(float64(read)/time.Since(began).Seconds(), "read/s")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// putMade puts the n-th document and gives the bytes of its statements as N-Quads.
func putMade(b *testing.B, s *Store, n int) (size int) {
	d := Document{URL: fmt.Sprintf("https://data%d.example.org/people/%d.ttl", n%97, n), Time: time.Unix(int64(n), 0)}
	err := s.Put(&d, func(yield func(rdf.Quad) error) error {
		for i := range 100 {
			subject := iriTerm(fmt.Sprintf("%s#%d", d.URL, i/5))
			q := rdf.Quad{Subject: subject}
			switch i % 5 {
			case 0:
				q.Predicate, q.Object = iriTerm(rdfType), iriTerm("http://xmlns.com/foaf/0.1/Person")
			case 1:
				q.Predicate, q.Object = iriTerm("http://xmlns.com/foaf/0.1/name"), plain(fmt.Sprintf("Person number %d of %d", i, n*7919%100003))
			case 2:
				q.Predicate, q.Object = iriTerm("http://xmlns.com/foaf/0.1/knows"), iriTerm(fmt.Sprintf("https://data%d.example.org/people/%d.ttl#%d", (n+i)%97, (n*31+i)%(n+1), i%20))
			case 3:
				q.Predicate, q.Object = iriTerm("http://purl.org/dc/terms/created"), instant(time.Unix(int64(n*100+i)*5077, 0))
			default:
				q.Predicate = iriTerm("http://www.w3.org/2000/01/rdf-schema#comment")
				q.Object = rdf.Term{Kind: rdf.Literal, Value: fmt.Sprintf("کتاب‌های کهن شمارهٔ %d در شهر %d نگهداری می‌شوند", i, n), Language: "fa"}
			}
			if err := yield(q); err != nil {
				return err
			}
			for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, iriTerm(d.URL)} {
				size += len(appendTerm(nil, t))
			}
			size += 2
			d.Statements++
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}
