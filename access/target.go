package access

// This file parses what an access rule applies to: a URL, a host, a digest and so on.

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Kind says what a rule applies to. The list goes from the least to the most specific.
type Kind string

const (
	Collection Kind = "collection" // all of the archive
	Domain     Kind = "domain"     // a host and all hosts under it, at any port
	Host       Kind = "host"       // a host, at any port
	Prefix     Kind = "prefix"     // all URLs with the given beginning
	URL        Kind = "url"        // all URLs with the same search key
	Digest     Kind = "digest"     // all captures with this payload, whatever their URL
)

// kindOrder returns how specific a kind is.
func kindOrder(k Kind) int {
	return slices.Index([]Kind{Collection, Domain, Host, Prefix, URL, Digest}, k)
}

// Target is what a rule applies to.
type Target struct {
	Kind  Kind   `json:"kind"`
	Value string `json:"value,omitempty"` // as a person wrote it, without wildcard; a digest as captures have it; "" for the collection
}

// ParseTarget reads what a person wrote: "*" is the collection, "*.example.org" a domain, "example.org" a host,
// "http://example.org/a/*" a prefix, "http://example.org/a" a URL, "sha256:…" a digest in base32, hex or base64.
// The error says how to write it.
func ParseTarget(text string) (Target, error) {
	text = strings.TrimSpace(text)
	if algorithm, sum, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(sum, "//") && warc.IsAlgorithm(algorithm) {
		d, err := warc.ParseDigest(text)
		if err != nil {
			return Target{}, fmt.Errorf("%q is no %s digest: copy it from `kavosh why` or the capture's page", text, strings.ToLower(algorithm))
		}
		return Target{Digest, warc.FormatDigest(d.Algorithm, d.Sum)}, nil
	}
	t := Target{URL, text}
	switch {
	case text == "":
		return t, fmt.Errorf("there is nothing to name a URL by: write one such as http://example.org/a, or * for the whole collection")
	case text == "*":
		return Target{Collection, ""}, nil
	case strings.HasPrefix(text, "*."):
		t = Target{Domain, text[2:]}
	case strings.HasSuffix(text, "*"):
		t = Target{Prefix, strings.TrimSuffix(text, "*")}
	case !strings.ContainsAny(text, "/?#") && !strings.Contains(text, "://"):
		t = Target{Host, text}
	}
	if strings.ContainsAny(t.Value, "* \t\r\n") {
		return t, fmt.Errorf("%q: a * stands alone, before a dot at the beginning, or at the end", text)
	}
	return t, t.check()
}

// check says what is wrong with a target.
func (t Target) check() error {
	switch {
	case t.Kind == Collection:
		return nil
	case t.Kind == Digest && digestKey(t.Value) == "":
		return fmt.Errorf("%q is no digest", t.Value)
	case t.Kind == Digest:
		return nil
	case kindOrder(t.Kind) < 0:
		return fmt.Errorf("there are no rules about a %q", t.Kind)
	}
	url := t.Value
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("%q: %w", t.Value, err)
	}
	host := u.Hostname()
	switch {
	case host == "":
		return fmt.Errorf("%q names no host", t.Value)
	case (t.Kind == Host || t.Kind == Domain) && strings.TrimSuffix(u.PathQuery(), "/") != "":
		return fmt.Errorf("%q: a host or domain has no path; write http://%s/… for a URL", t.Value, host)
	case (t.Kind == Host || t.Kind == Domain) && u.Port() != "":
		return fmt.Errorf("%q: a host or domain is meant at all its ports; write http://%s/* for one of them", t.Value, u.Host())
	case t.Kind == Domain && strings.Count(weburl.SURT(url), ",") < strings.Count(strings.Trim(host, "."), "."):
		return fmt.Errorf("%q: www. is folded away, so that this would be all of the domain; name its hosts one by one", t.Value)
	case t.Kind == Domain && isAddress(host):
		return fmt.Errorf("%q: nothing lies under an address; name the host %s", t.Value, host)
	case t.Kind == Prefix && strings.Contains(t.Value, "?"):
		return fmt.Errorf("%q: a prefix ends before the query, whose parts have no order; name the URLs one by one, or their path", t.Value)
	case t.Kind == Prefix && !strings.Contains(strings.TrimPrefix(url[strings.Index(url, "://"):], "://"), "/"):
		return fmt.Errorf("%q: a prefix has its whole host and at least the slash after it; *.%s is a domain", t.Value, host)
	}
	return nil
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// String describes the target in words.
func (t Target) String() string {
	switch t.Kind {
	case Collection:
		return "the whole collection"
	case Domain:
		return "the domain " + t.Value
	case Host:
		return "the host " + t.Value
	case Prefix:
		return "all that begins with " + t.Value
	case Digest:
		return "all with the content " + t.Value
	}
	return t.Value
}

// keys returns the search keys of a target: exact ones, and beginnings of keys. A key has no scheme, no "www.", no
// capitals and no slash at the end, and its query is sorted, so that a rule applies to all spellings of a URL.
func (t Target) keys() (exact, prefixes []string) {
	key := weburl.SURT(t.Value)
	host, _, _ := strings.Cut(key, ")")
	if t.Kind == Host || t.Kind == Domain {
		if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.Contains(host[:i], ":") {
			host = host[:i]
		}
		prefixes = []string{host + ")", host + ":"}
		if t.Kind == Domain {
			prefixes = append(prefixes, host+",")
		}
		return nil, prefixes
	}
	if t.Kind == URL {
		return []string{key}, nil
	}
	if strings.HasSuffix(t.Value, "/") && !strings.HasSuffix(key, "/") {
		// The key of the folder's own page has no slash at the end, also before a query.
		return []string{key}, []string{key + "/", key + "?"}
	}
	return nil, []string{key}
}

// digestKey returns a digest of an index or a record in one spelling; "" if it is none.
func digestKey(digest string) string {
	if d, err := warc.ParseDigest(digest); err != nil || d.Sum == nil {
		return ""
	}
	return warc.DigestKey(digest)
}
