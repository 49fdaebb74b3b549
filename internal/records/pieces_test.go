package records

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/cdx"
)

// came writes what an answer brought of a body of 20 bytes, from a byte on, in a year. of is the entry of the first answer,
// nil for itself.
func (m *memory) came(of *cdx.Entry, year, from int, part, how string, extra ...string) *cdx.Entry {
	m.t.Helper()
	status, head := 200, "HTTP/1.1 200 OK\r\nX-Own: first\r\n"
	if of != nil {
		first, err := (&Records{Files: m}).Alone(m.t.Context(), of)
		if err != nil {
			m.t.Fatal(err)
		}
		defer first.Close()
		status, head = 206, fmt.Sprintf("HTTP/1.1 206 Partial\r\nX-Own: later\r\nContent-Range: bytes %d-19/20\r\n", from)
		extra = append(extra, Continues, first.Record.Get("WARC-Record-ID")+" "+first.Record.Get("WARC-Date"))
	}
	if strings.Contains(how, "chunked") {
		head += "Transfer-Encoding: chunked\r\n"
		part = fmt.Sprintf("%x\r\n%s\r\n", len(part), part)
		if !strings.Contains(how, "cut") {
			part += "0\r\n\r\n"
		}
	}
	if strings.Contains(how, "cut") {
		extra = append(extra, "WARC-Truncated", "disconnect")
	}
	e := m.put("response", "http://a.test/", year, fmt.Sprint("sha1:", from), head+"\r\n"+part, extra...)
	e.Status = status
	m.entries[len(m.entries)-1].Status = status
	return e
}

// TestPieces opens bodies that came in pieces, by each of these.
func TestPieces(t *testing.T) {
	const all = "abcdefghijklmnopqrst"
	const whole = "response 200 first " + all
	for _, c := range []struct {
		why  string
		make func(m *memory, first *cdx.Entry) []*cdx.Entry
		how  string // the first piece is there: "chunked"
		want string
	}{
		{"nothing continues it", func(m *memory, first *cdx.Entry) []*cdx.Entry { return nil }, "", "response 200 first abcdefgh cut:disconnect"},
		{"its rest", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 8, all[8:], "")}
		}, "", whole},
		{"its rest in chunks", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 8, all[8:], "chunked")}
		}, "chunked", whole},
		{"two more pieces", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 8, all[8:12], "cut chunked"), m.came(first, 2003, 12, all[12:], "")}
		}, "chunked", whole},
		{"at one time, in any order", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2001, 12, all[12:], ""), m.came(first, 2001, 8, all[8:12], "cut")}
		}, "", whole},
		{"a copy, and a piece of another body", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			other := m.came(nil, 2002, 0, "ABCDEFGH", "cut")
			m.came(other, 2003, 8, "NO", "")
			m.came(first, 2003, 8, all[8:], "")
			return []*cdx.Entry{m.came(first, 2003, 8, all[8:], "")}
		}, "", whole},
		{"all of it, and the end is told too late", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 8, all[8:], "cut")}
		}, "", whole},
		{"the end is missing", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 8, all[8:12], "cut")}
		}, "", "response 200 first abcdefghijkl cut:disconnect"},
		{"a gap", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 12, all[12:], "")}
		}, "", "response 200 first abcdefgh cut:disconnect"},
		{"a gap that only reading tells", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			return []*cdx.Entry{m.came(first, 2002, 12, all[12:], "")}
		}, "chunked", "body: unexpected EOF"},
		{"another range", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			m.came(first, 2002, 25, all[8:], "")
			return nil
		}, "", "response 200 first abcdefgh cut:disconnect"},
		{"too many", func(m *memory, first *cdx.Entry) []*cdx.Entry {
			for range 2 * MaxPieces {
				m.came(first, 2002, 8, all[8:], "")
			}
			return nil
		}, "", whole},
	} {
		m := &memory{t: t}
		r := &Records{Index: m, Files: m}
		m.came(nil, 2000, 0, "earlier", "")
		first := m.came(nil, 2001, 0, all[:8], c.how+" cut")
		for _, e := range append(c.make(m, first), first) {
			if got := opened(r, e); got != c.want {
				t.Errorf("%s: %q by the capture of %s, want %q", c.why, got, e.Timestamp, c.want)
			}
		}
	}
}

// TestPiecesAlone opens pieces whose first is not there, or is closed.
func TestPiecesAlone(t *testing.T) {
	m := &memory{t: t}
	first := m.came(nil, 2001, 0, "abcdefgh", "cut")
	last := m.came(first, 2002, 8, "ijklmnopqrst", "")
	if got, want := opened(&Records{Files: m}, last), "response 206 later ijklmnopqrst"; got != want {
		t.Errorf("without an index: %q, want %q", got, want)
	}
	if got, want := opened(&Records{Index: m, Files: m, Gate: gate{map[string]kavosh.Access{first.URL: kavosh.MetadataOnly}}}, last), opened(&Records{Files: m, Gate: gate{map[string]kavosh.Access{first.URL: kavosh.MetadataOnly}}}, first); got != want {
		t.Errorf("closed: %q, want %q", got, want)
	}
	r := &Records{Index: m, Files: m, Gate: byDigest{first.Digest}}
	if _, err := r.Open(t.Context(), last); !isRefused(err, kavosh.Takedown) {
		t.Errorf("the first piece is closed: %v", err)
	}
	r.Gate = byDigest{last.Digest}
	if _, err := r.Open(t.Context(), first); !isRefused(err, kavosh.Takedown) {
		t.Errorf("the last piece is closed: %v", err)
	}
	m.entries = m.entries[1:]
	if got, want := opened(&Records{Index: m, Files: m}, last), "response 206 later ijklmnopqrst"; got != want {
		t.Errorf("without its first piece: %q, want %q", got, want)
	}
}

// byDigest closes what has a digest.
type byDigest struct{ digest string }

func (g byDigest) Refused(_ context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if e.Digest == g.digest {
		return &kavosh.Refused{Access: kavosh.Takedown}, nil
	}
	return nil, nil
}

func (g byDigest) Revisiting(ctx context.Context, _ *cdx.Entry) context.Context { return ctx }
func (g byDigest) Withheld(context.Context, string) (*kavosh.Refused, error)    { return nil, nil }
func (g byDigest) Edition() string                                              { return "" }
