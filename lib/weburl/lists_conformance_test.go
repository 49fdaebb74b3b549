//go:build conformance

package weburl

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/ascii"
)

// TestUrlcanonIPv4 reads the oddities of IPv4 addresses that urlcanon collected. What it lists as no address is refused
// or stays a domain.
func TestUrlcanonIPv4(t *testing.T) {
	for host, want := range readJSON[map[string]*string](t, "url/urlcanon/funky_ipv4.json") {
		got, err := specialHost(host)
		switch {
		case want == nil && err == nil && got != host:
			t.Errorf("%s: %s, want no address", host, got)
		case want != nil && (err != nil || got != *want):
			t.Errorf("%s: %s, %v, want %s", host, got, err, *want)
		}
	}
}

// TestUrlcanonSURT holds index keys to urlcanon's lists, which come from the Internet Archive's canonicaliser. All but
// one of the lists give canonical URLs, not keys: a URL and its canonical form must have the same key.
func TestUrlcanonSURT(t *testing.T) {
	lists := readJSON[map[string]map[string]string](t, "url/urlcanon/surt.json")
	for url, want := range lists["defaultIASurt"] {
		if got := SURT(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
	// The two lists of Google's rules have hosts in Latin-1, which their own test reads as bytes.
	notUTF8 := map[string]bool{"http://\x01\u0080.com/": true, "\u00e2\u0098\u0083.com": true}
	for _, name := range []string{"Canonicalizer.DefaultIA", "Canonicalizer.IA", "google", "googleSupplementalFromSurt"} {
		if len(lists[name]) == 0 {
			t.Errorf("no list %s", name)
		}
		for url, canonical := range lists[name] {
			if got, want := SURT(url), SURT(canonical); got != want && !notUTF8[url] {
				t.Errorf("%s: %q: %q, want %q", name, url, got, want)
			}
		}
	}
}

// TestUrlcanonPathDots resolves every list of dots and slashes of up to four segments. Only backslashes differ: urlcanon
// keeps them, the standard makes slashes of them.
func TestUrlcanonPathDots(t *testing.T) {
	paths := readJSON[map[string]map[string]string](t, "url/urlcanon/path_dots.json")
	for path, want := range paths["special"] {
		if strings.Contains(path, `\`) {
			continue
		}
		if u, err := Parse("http://example.com" + path); err != nil || u.Path() != want {
			t.Errorf("%q: %v, %v, want %q", path, u, err, want)
		}
	}
}

// normalizerClass says in what crawler-commons' normaliser goes beyond the standard. docs/formats/urls.md argues why the
// seen-key does not.
type normalizerClass string

const (
	same         normalizerClass = "same"
	escapes      normalizerClass = "percent-encoding rewritten"
	moreEscapes  normalizerClass = "more characters encoded"
	slashes      normalizerClass = "slashes merged"
	sortedQuery  normalizerClass = "query sorted or trimmed"
	trailingDot  normalizerClass = "ending dot of the host dropped"
	noHost       normalizerClass = "no http URL without host or scheme"
	wholeFileURL normalizerClass = "file URLs, never fetched"
)

// TestCrawlerCommonsNormalizer puts every line of crawler-commons' normaliser list into its class and counts them.
func TestCrawlerCommonsNormalizer(t *testing.T) {
	got := map[normalizerClass]int{}
	for _, line := range readCSV(t, "robots-sitemaps/crawler-commons/normalizer/weirdToNormalizedUrls.csv") {
		url, want := line[0], line[1]
		key, err := Key(url)
		class := classify(url, key, err, want)
		got[class]++
		if class == "" {
			t.Errorf("%q: %q, %v, crawler-commons has %q", url, key, err, want)
		}
	}
	want := map[normalizerClass]int{
		same: 62, escapes: 13, moreEscapes: 9, slashes: 6, sortedQuery: 14, trailingDot: 1, noHost: 4, wholeFileURL: 3,
	}
	for class, n := range want {
		if got[class] != n {
			t.Errorf("%s: %d lines, want %d", class, got[class], n)
		}
	}
	t.Logf("%v", got)
	for _, line := range readCSV(t, "robots-sitemaps/crawler-commons/normalizer/invalidUrls.csv") {
		if key, err := Key(line[0]); err == nil {
			t.Errorf("%q: %q, want an error", line[0], key)
		}
	}
}

// classify is the class of a line; each is recognised by undoing the one thing that it names.
func classify(url, key string, err error, want string) normalizerClass {
	path, _, hasQuery := strings.Cut(key, "?")
	switch {
	case key == want:
		return same
	case strings.HasPrefix(url, "file:"):
		return wholeFileURL
	case err != nil && !strings.Contains(url, "://") || err != nil && !strings.Contains(url, "."):
		return noHost
	case strings.Replace(key, "./", "/", 1) == want:
		return trailingDot
	case strings.Count(path, "//") > 1 && !strings.Contains(want[len("http://"):], "//"):
		return slashes
	case normalEscapes(key) == want:
		return escapes
	case normalEscapes(moreEscaped(key)) == want:
		return moreEscapes
	case hasQuery && strings.HasPrefix(want, path):
		return sortedQuery
	}
	return ""
}

// normalEscapes decodes what is percent-encoded without need and puts the rest into upper case.
func normalEscapes(url string) string {
	var out strings.Builder
	for i := 0; i < len(url); i++ {
		if url[i] != '%' || i+2 >= len(url) || ascii.Hex(url[i+1]) < 0 || ascii.Hex(url[i+2]) < 0 {
			out.WriteByte(url[i])
			continue
		}
		if c := byte(ascii.Hex(url[i+1])<<4 | ascii.Hex(url[i+2])); 'a' <= c|0x20 && c|0x20 <= 'z' {
			out.WriteByte(c)
		} else {
			out.WriteString(strings.ToUpper(url[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

// moreEscaped encodes the characters that crawler-commons encodes and the standard does not, such as a lone '%'.
func moreEscaped(url string) string {
	var out strings.Builder
	for i := 0; i < len(url); i++ {
		switch c := url[i]; {
		case c == '%' && (i+2 >= len(url) || ascii.Hex(url[i+1]) < 0 || ascii.Hex(url[i+2]) < 0):
			out.WriteString("%25")
		case c == '[':
			out.WriteString("%5B")
		case c == ']':
			out.WriteString("%5D")
		case c == '^':
			out.WriteString("%5E")
		case c == '`':
			out.WriteString("%60")
		case c == '|':
			out.WriteString("%7C")
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// TestCrawlerCommonsResolve resolves every line of crawler-commons' list of references.
func TestCrawlerCommonsResolve(t *testing.T) {
	for _, line := range readCSV(t, "robots-sitemaps/crawler-commons/url-utils/url-resolve.csv") {
		ref, against, want := line[0], line[1], line[2]
		var base *URL
		if against != "" {
			var err error
			if base, err = Parse(against); err != nil {
				t.Fatal(err)
			}
		}
		if u, err := parse(base, ref); err != nil || u.String() != want {
			t.Errorf("%q against %q: %v, %v, want %q", ref, against, u, err, want)
		}
	}
}

// TestCrawlerCommonsWPT runs crawler-commons' copy of urltestdata.json, of another date than the one of
// TestWebPlatformTests. The later of the two wins where they disagree: "xn--" that leads to nothing is now a failure.
func TestCrawlerCommonsWPT(t *testing.T) {
	emptyLabels := 0
	for _, c := range readWPT(t, "robots-sitemaps/crawler-commons/url-utils/wpt-urltestdata.json") {
		u, err := parseWPT(c)
		switch {
		case c.Failure && err != nil, !c.Failure && err == nil && u.String() == c.Href:
		case err != nil && (strings.Contains(c.Href, "xn--/") || strings.Contains(c.Href, "xn--pokxncvks")):
			emptyLabels++
		default:
			t.Errorf("%q against %s: %v, %v, want %q", c.Input, c.base(), u, err, c.Href)
		}
	}
	if emptyLabels != 8 {
		t.Errorf("%d hosts with an A-label that leads to nothing, want 8", emptyLabels)
	}
}

func readJSON[T any](t *testing.T, name string) (v T) {
	data, err := os.ReadFile(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	// Lists of another form in the same file stay empty.
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &v); err != nil && !errors.As(err, &mismatch) {
		t.Fatal(err)
	}
	return v
}

// readCSV reads fields that are parted by a comma, with or without white space after it.
func readCSV(t *testing.T, name string) (lines [][]string) {
	file, err := os.Open(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment, r.TrimLeadingSpace, r.FieldsPerRecord, r.LazyQuotes = '#', true, -1, true
	for {
		line, err := r.Read()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}
