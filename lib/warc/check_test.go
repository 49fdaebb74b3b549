package warc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// found checks a file of plain records and gives the rules of what it finds.
func found(t *testing.T, strict bool, records ...string) (string, Summary) {
	t.Helper()
	var rules []string
	sum, err := Check(context.Background(), "x", strings.NewReader(strings.Join(records, "")), CheckOptions{Strict: strict}, func(f Finding) {
		rules = append(rules, string(f.Severity)+" "+f.Rule)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(rules, ", "), sum
}

// text is a record as it stands in a file.
func text(t *testing.T, r sampleRecord, edits ...string) string {
	t.Helper()
	b, _ := write(t, Compression{}, []sampleRecord{r})
	s := string(b)
	for i := 0; i < len(edits); i += 2 {
		changed := strings.Replace(s, edits[i], edits[i+1], 1)
		if changed == s {
			t.Fatalf("%q is not in %q", edits[i], s)
		}
		s = changed
	}
	return s
}

func TestFindings(t *testing.T) {
	all := sample()
	response, request, revisit, resource := all[1], all[2], all[4], all[5]
	sha := func(s string) string { sum := sha256.Sum256([]byte(s)); return FormatDigest("sha256", sum[:]) }
	payload := sha("hello, world")
	_, body, _ := strings.Cut(httpAnswer, "\r\n\r\n")
	for _, c := range []struct {
		name            string
		record          string
		lenient, strict string
	}{
		{"sound", text(t, response), "", ""},
		{"another payload digest", text(t, response, payload, sha("x")), "error digest-payload", "error digest-payload"},
		{"a payload digest that no data can have", text(t, response, payload, "sha256:abc"), "error digest-payload", "error digest-payload"},
		{"another block digest", text(t, request, "WARC-Block-Digest: sha256:", "WARC-Block-Digest: sha256:A"), "error digest-block", "error digest-block"},
		{"the digest of the chunked body", text(t, response, payload, sha(body)), "warning digest-payload-undecoded", "warning digest-payload-undecoded"},
		{"another digest, of a truncated body", text(t, response, payload, sha("x")+"\r\nWARC-Truncated: length"), "warning digest-truncated", "warning digest-truncated"},
		{"a segment", text(t, response, payload, sha("x")+"\r\nWARC-Segment-Number: 1"), "", ""},
		{"an unknown algorithm", text(t, response, payload, "blake3:abc"), "warning digest-form", "warning digest-form"},
		{"no answer in a response", text(t, makeRecord("response", "http://a.b/", "application/http", "hello")), "warning http-head", "warning http-head"},
		{"a 100 before the answer", text(t, makeRecord("response", "http://a.b/", "application/http", "HTTP/1.1 100 Continue\r\n\r\n"+httpAnswer, "WARC-Payload-Digest", payload)), "", ""},
		{"an answer without content type", text(t, makeRecord("response", "http://a.b/", "", httpAnswer, "WARC-Payload-Digest", payload)), "", "warning content-type"},
		{"a type of its own", text(t, response, "WARC-Type: response", "WARC-Type: x-note", "WARC-Payload-Digest", "X"), "warning unknown-type", "warning unknown-type"},
		{"no target", text(t, resource, "WARC-Target-URI", "X-URI"), "error missing-field", "error missing-field"},
		{"a bare ID", text(t, resource, "<urn", "urn", ">\r\n", "\r\n"), "warning record-id", "error record-id"},
		{"no address", text(t, response, "192.0.2.1", "192.0.2.256"), "warning ip-address", "error ip-address"},
		{"a space in the URI", text(t, resource, "dns:example.com", "dns:example .com"), "warning target-uri", "error target-uri"},
		{"brackets in 1.0", text(t, resource, "dns:example.com", "<dns:example.com>", "WARC/1.1", "WARC/1.0", ".123456Z", "Z"), "", ""},
		{"a fraction in 1.0", text(t, resource, "WARC/1.1", "WARC/1.0"), "warning date-form", "error date-form"},
		{"lower case", text(t, resource, "Content-Type", "content-type"), "", "warning field-case"},
		{"a revisit without profile", text(t, revisit, "WARC-Profile", "X"), "warning revisit-profile", "error revisit-profile"},
		{"a revisit of nothing", text(t, revisit, "WARC-Refers-To:", "X:", "WARC-Refers-To-Target-URI", "X"), "warning revisit-of-nothing", "warning revisit-of-nothing"},
		{"a folded field", text(t, resource, "text/dns", "text/dns;\r\n\tx=y"), "", ""},
		{"LF", strings.ReplaceAll(text(t, makeRecord("resource", "a:b", "c/d", "e")), "\r\n", "\n"), "warning line-end, warning blank-lines", "error line-end, error blank-lines"},
	} {
		got, sum := found(t, false, c.record)
		if got != c.lenient {
			t.Errorf("%s: %q, want %q", c.name, got, c.lenient)
		}
		if sum.Records != 1 || (sum.Sound == 1) != !strings.Contains(c.lenient, "error") {
			t.Errorf("%s: %+v", c.name, sum)
		}
		if got, _ := found(t, true, c.record); got != c.strict {
			t.Errorf("%s, strict: %q, want %q", c.name, got, c.strict)
		}
	}
}

func TestRevisitsOfRecordsElsewhere(t *testing.T) {
	all := sample()
	if _, sum := found(t, false, text(t, all[4])); sum.Elsewhere != 1 {
		t.Errorf("the original is not there: %+v", sum)
	}
	if _, sum := found(t, false, text(t, all[4]), text(t, all[1])); sum.Elsewhere != 0 {
		t.Errorf("the original comes after: %+v", sum)
	}
	if _, sum := found(t, false, text(t, all[1]), text(t, all[4], "WARC-Refers-To: <", "WARC-Refers-To: <x")); sum.Elsewhere != 0 {
		t.Errorf("the original is named by URI and date: %+v", sum)
	}
}

func TestSummary(t *testing.T) {
	file, _ := write(t, Compression{Format: Gzip}, sample())
	var each []string
	sum, err := Check(context.Background(), "x", bytes.NewReader(file), CheckOptions{Each: func(r *Record, right bool) {
		each = append(each, fmt.Sprint(r.Type(), " ", r.Length > 0, right))
	}}, func(f Finding) { t.Error(f) })
	if err != nil || sum.Records != 8 || sum.Sound != 8 || sum.Digests != 9 || sum.Types["resource"] != 3 || sum.Kind != "WARC/1.1, gzip" {
		t.Errorf("%+v, %v", sum, err)
	}
	if len(each) != 8 || each[1] != "response true true" {
		t.Errorf("Each was told %v", each)
	}
}

func TestCheckAndRepairEndWithTheirContext(t *testing.T) {
	file, _ := write(t, Compression{}, sample())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, "x", bytes.NewReader(file), CheckOptions{}, func(Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check: %v", err)
	}
	if _, err := Repair(ctx, bytes.NewReader(file), io.Discard, RepairOptions{}, func(Repaired) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Repair: %v", err)
	}
}

func TestFailuresAreNotFindings(t *testing.T) {
	gone := errors.New("gone")
	file, _ := write(t, Compression{}, sample())
	if _, err := Check(context.Background(), "x", io.MultiReader(bytes.NewReader(file), iotest.ErrReader(gone)), CheckOptions{}, func(f Finding) { t.Error(f) }); !errors.Is(err, gone) {
		t.Errorf("Check: %v", err)
	}
	if _, err := Repair(context.Background(), bytes.NewReader(file), full{gone}, RepairOptions{}, func(Repaired) {}); !errors.Is(err, gone) {
		t.Errorf("Repair: %v", err)
	}
}

// What was an ARC file is afterwards a WARC file that lacks nothing.
func TestRepairConvertsARC(t *testing.T) {
	var out bytes.Buffer
	sum, err := Repair(context.Background(), strings.NewReader(arcFile(2)), &out, RepairOptions{Compression: Compression{Format: Gzip}}, func(Repaired) {})
	if err != nil || sum.Converted != 3 || sum.Written != 3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	records, notes := readAll(t, &out)
	if len(records) != 3 || len(notes) > 0 {
		t.Fatalf("%d records, %v", len(records), notes)
	}
	r := records[1]
	if r.Version != "WARC/1.1" || r.Type() != "response" || r.TargetURI() != "http://example.com/a%20b" || !strings.HasPrefix(r.block, "HTTP/1.0 200 OK") ||
		!strings.HasPrefix(r.Header.Get("Kavosh-ARC-Header"), "http://example.com/a b 192.0.2.1 20010203040507 text/html 200 - - 0 a.arc ") {
		t.Errorf("%s %v", r.Version, r.Header)
	}
}

// A sound file comes out with the same records and not a word said.
func TestRepairOfASoundFile(t *testing.T) {
	for name, c := range formats() {
		file, _ := write(t, c, sample())
		var out bytes.Buffer
		sum, err := Repair(context.Background(), bytes.NewReader(file), &out, RepairOptions{Compression: c}, func(r Repaired) { t.Errorf("%s: %v", name, r) })
		if err != nil || sum.Written != 8 || sum.Fixed+sum.Dropped != 0 {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
		if !bytes.Equal(out.Bytes(), file) {
			t.Errorf("%s: the file is another", name)
		}
	}
}

func FuzzRepair(f *testing.F) {
	for _, d := range damages()[5:] {
		if file := d.file(&testing.T{}); len(file) < 10000 {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var out bytes.Buffer
		sum, err := Repair(context.Background(), bytes.NewReader(file), &out, RepairOptions{}, func(Repaired) {})
		if err != nil {
			t.Fatal(err)
		}
		after, err := Check(context.Background(), "x", &out, CheckOptions{}, func(f Finding) {
			if f.Severity == Fault && sum.Written > 0 {
				t.Errorf("after repair: %v", f)
			}
		})
		if err != nil || after.Records != sum.Written {
			t.Errorf("%+v, after it %+v, %v", sum, after, err)
		}
	})
}
