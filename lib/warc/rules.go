package warc

// This file lists everything that can be wrong with a WARC file.

// Severity says how much a finding matters.
type Severity string

const (
	Fault   Severity = "error"   // data is lost, damaged or unreachable
	Warning Severity = "warning" // odd, but the data is there
)

// Rule is a kind of finding.
type Rule struct {
	Name     string
	Severity Severity // "" if only a strict check reports it
	Strict   Severity // in a strict check
	About    string   // its meaning, in one line
}

// Rules returns all rules of Check and all kinds of a Reader's notes, in the order of a file's layers: packing, record,
// header, digests, meaning.
func Rules() []Rule {
	return []Rule{
		{"no-record", Fault, Fault, "the file holds no WARC or ARC record"},
		{"truncated-member", Fault, Fault, "the file ends within a gzip member or zstd frame"},
		{"corrupt-member", Fault, Fault, "a member or frame cannot be decompressed; reading goes on at the next one"},
		{"checksum", Fault, Fault, "a member or frame decompresses, but its checksum is another"},
		{"not-seekable", Fault, Fault, "a member or frame holds several records, so that indexes and replay cannot reach them"},
		{"spans-members", Fault, Fault, "a record goes on in the next gzip member, where other programs lose it"},
		{"empty-member", Warning, Fault, "a gzip member without a record"},
		{"garbage", Fault, Fault, "bytes that belong to no record"},
		{"truncated-record", Fault, Fault, "the file ends within an uncompressed record"},
		{"length-mismatch", Fault, Fault, "the record does not end where Content-Length says"},
		{"no-length", Fault, Fault, "Content-Length is missing or no number: the record is passed over"},
		{"header-too-long", Fault, Fault, "a header of more than 1 MiB or 4096 fields"},
		{"missing-field", Fault, Fault, "WARC-Type, WARC-Record-ID or WARC-Date is missing, or WARC-Target-URI where the type needs it"},
		{"date", Fault, Fault, "WARC-Date cannot be read"},
		{"digest-block", Fault, Fault, "the block is not what WARC-Block-Digest says"},
		{"digest-payload", Fault, Fault, "the payload is not what WARC-Payload-Digest says"},
		{"digest-payload-undecoded", Warning, Warning, "WARC-Payload-Digest was computed over the body before transfer decoding, as warcio does"},
		{"digest-truncated", Warning, Warning, "WARC-Payload-Digest is not of what is there of a body that was cut when it was captured"},
		{"digest-form", Warning, Warning, "a digest of an unknown algorithm, not checked"},
		{"blank-lines", Warning, Fault, "a record does not end with two CRLF exactly"},
		{"line-end", Warning, Fault, "header lines do not end with CRLF"},
		{"header-line", Warning, Fault, "a header line that is no field"},
		{"field-name", Warning, Fault, "white space about a field's name, or characters that names cannot have"},
		{"duplicate-field", Warning, Fault, "a field that may come once comes more than once; the first counts"},
		{"header-encoding", Warning, Fault, "the header is not UTF-8"},
		{"version", Warning, Fault, "not WARC/1.1, 1.0, 0.18 or 0.17"},
		{"unknown-type", Warning, Warning, "a WARC-Type that the standard does not know"},
		{"date-form", Warning, Fault, "a date that can be read but is not of the standard's form"},
		{"record-id", Warning, Fault, "WARC-Record-ID is no URI in angle brackets"},
		{"duplicate-id", Warning, Fault, "two records of the file have the same WARC-Record-ID"},
		{"target-uri", Warning, Fault, "WARC-Target-URI has no scheme, has spaces or control characters in it, or angle brackets in WARC/1.1"},
		{"uri-field", Warning, Fault, "a field that names a record or a URI holds none, or a record's ID without angle brackets"},
		{"field-of-type", Warning, Fault, "a field that records of this type do not have, such as WARC-Target-URI in a warcinfo"},
		{"segment", Warning, Fault, "a segment's number, origin or total length is missing, no number, or where it cannot be"},
		{"arc-version", Warning, Fault, "an ARC file without a version block"},
		{"ip-address", Warning, Fault, "WARC-IP-Address is no address"},
		{"revisit-profile", Warning, Fault, "a revisit without WARC-Profile"},
		{"revisit-of-nothing", Warning, Warning, "a revisit that does not say of what: neither WARC-Refers-To nor WARC-Refers-To-Target-URI"},
		{"http-head", Warning, Warning, "a response of type application/http without a status line"},
		{"field-case", "", Warning, "a field's name in unusual letters, such as content-length"},
		{"content-type", "", Warning, "a block without Content-Type"},
		{"media-type", "", Fault, "Content-Type or WARC-Identified-Payload-Type is no media type such as text/html"},
	}
}

// severities maps the names of Rules to their severity.
func severities(strict bool) map[string]Severity {
	m := map[string]Severity{}
	for _, r := range Rules() {
		if m[r.Name] = r.Severity; strict {
			m[r.Name] = r.Strict
		}
	}
	return m
}
