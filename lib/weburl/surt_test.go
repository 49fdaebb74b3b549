package weburl

import "testing"

// The keys were made by pywb's canonicaliser; TestSURTAgreesWithPywb compares many more.
func TestSURT(t *testing.T) {
	tests := []struct{ url, want string }{
		{"http://example.com", "com,example)/"},
		{"https://www.Example.com:443/A//b/../C/?y=2&x=1#top", "com,example)/a/c?x=1&y=2"},
		{"http://www2.www.example.com/", "com,example,www)/"},
		{"http://www.com/", "com)/"},
		{"http://example.com:8080/", "com,example:8080)/"},
		{"http://example.com:443/", "com,example:443)/"},
		{"https://example.com:80/", "com,example:80)/"},
		{"ftp://example.com:21/a", "com,example:21)/a"},
		{"http://user:pw@example.com/", "com,example)/"},
		{"example.com/a", "com,example)/a"},
		{"  http://example.com/a\tb\nc ", "com,example)/abc"},
		{"http://https://example.com/", "com,example)/"},
		{"http:///example.com/a", "com,example)/a"},
		{"http:/example.com", "com,example)/"},

		{"http://127.0.0.1/", "1,0,0,127)/"},
		{"http://2130706433/", "1,0,0,127)/"},
		{"http://127.1/", "1,0,0,127)/"},
		{"http://0177.0.0.01/", "1,0,0,127)/"},
		{"http://1.2.3.999/", "999,3,2,1)/"},
		{"http://[::1]:8080/x", "::1:8080)/x"},
		{"http://example..com./", "com,example)/"},

		{"http://خبر.example/خبر?خبر", "example,xn--ngblk)/%d8%ae%d8%a8%d8%b1?%d8%ae%d8%a8%d8%b1"},
		{"http://می‌خواهم.example/", "example,xn--mgbn2ecje63g)/"}, // IDNA 2003: without the joiner
		{"http://faß.example/", "example,fass)/"},
		{"http://خبر1.example/", "example,%d8%ae%d8%a8%d8%b11)/"}, // IDNA 2003 forbids the digit at the end
		{"http://xn--ngblk.example/", "example,xn--ngblk)/"},

		{"http://example.com/%41%2541%252541", "com,example)/aaa"},
		{"http://example.com/%zz%", "com,example)/%25zz%25"},
		{"http://example.com/a b", "com,example)/a%20b"},
		{"http://example.com/%23%3f%00", "com,example)/%23?%00"},
		{"http://example.com/..", "com,example)/.."},
		{"http://example.com/../b/../../c", "com,example)/c"},
		{"http://example.com/a/", "com,example)/a"},
		{"http://example.com/a\\b", "com,example)/a\\b"},

		{"http://example.com/?", "com,example)/"},
		{"http://example.com?a", "com,example)/?a"},
		{"http://example.com/?b&a=2&a=1&a", "com,example)/?a&a=1&a=2&b"},
		{"http://example.com/?a=%26b", "com,example)/?a=&b"},
		{"http://example.com/?a=1&PHPSESSID=0123456789ABCDEF0123456789abcdef&b=2", "com,example)/?a=1&b=2"},
		{"http://example.com/?a=1&jsessionid=0123456789abcdef0123456789abcdef", "com,example)/?&a=1"},
		{"http://example.com/?xsid=0123456789abcdef0123456789abcdef", "com,example)/?x"},
		{"http://example.com/?sid=0123", "com,example)/?sid=0123"},
		{"http://example.com/?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", "com,example)/"},
		{"http://example.com/?cfid=1&cftoken=2&a=1", "com,example)/?a=1"},
		{"http://example.com/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "com,example)/mileg.aspx"},
		{"http://example.com/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "com,example)/mileg.aspx"},
		{"http://example.com/x;jsessionid=0123456789abcdef0123456789abcdef", "com,example)/x;jsessionid=0123456789abcdef0123456789abcdef"},

		{"", "-"},
		{"filedesc:a b.arc", "filedesc:a b.arc"},
		{"dns:www.example.com", "dns:www.example.com"},
		{"dns://192.0.2.1/www.example.com", "1,2,0,192)/www.example.com"},
		{"urn:uuid:AB", "urn:uuid:ab"},
		{"metadata://gnu.org/software/wget/warc/MANIFEST.txt", "org,gnu)/software/wget/warc/manifest.txt"},
		{"warcinfo:A.warc.gz", "warcinfo:a.warc.gz"},
		{"screenshot:http://www.example.com/", "screenshot:http://www.example.com"},
		{"example.com:80/x", "example.com:80/x"}, // which has the form of a scheme

		// What pywb refuses.
		{"http://example.com:x/A b", "http://example.com:x/a%20b"},
		{"http://example.com:99999/", "http://example.com:99999/"},
		{" ", "%20"},
	}
	for _, test := range tests {
		if got := SURT(test.url); got != test.want {
			t.Errorf("%q: %q, want %q", test.url, got, test.want)
		}
	}
}
