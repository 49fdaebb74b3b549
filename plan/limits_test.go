package plan

import "testing"

func TestLimitsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"500": "500", "2GB, 500": "500,2GB", "1.5MB": "1500kB", "1d": "24h", "90m": "1h30m", "۵۰۰": "500", "none": "none", "0": "none", "1GiB": "1073741824B", "10m": "10m",
	} {
		var l Limit
		if err := l.UnmarshalText([]byte(text)); err != nil || New().CrawlLimit.String() != "none" {
			t.Errorf("%q: %v", text, err)
		}
		if got, _ := l.MarshalText(); string(got) != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "many", "500,", "-1", "1,2", "1h,2h", "1.5", "1e3", "5 pages", "1MB,2MB", "-1h", "-5GB", "none,5", "99999999999999999999", "9223372036854775807", "100EB", "999999999999h"} {
		if err := new(Limit).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a limit", text)
		}
	}
	for name, of := range map[string]interface{ UnmarshalText([]byte) error }{
		"https://example.org=5": new(HostLimit), "example.org:80=5": new(HostLimit), "=5": new(HostLimit), "www.example.org=5": new(DomainLimit), "http://=5": new(SeedLimit), "ftp://example.org/=5": new(SeedLimit),
		".example.org=5": new(HostLimit), "a=b=5": new(HostLimit), "me@example.org=5": new(HostLimit), "*.example.org=5": new(DomainLimit),
	} {
		if err := of.UnmarshalText([]byte(name)); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	var domain DomainLimit
	if err := domain.UnmarshalText([]byte(".Example.org=5")); err != nil || domain.String() != "example.org=5" {
		t.Errorf("%s, %v", domain, err)
	}
	var seed SeedLimit
	if err := seed.UnmarshalText([]byte("Example.org/a=b=5")); err != nil || seed.String() != "https://example.org/a=b=5" {
		t.Errorf("%s, %v", seed, err)
	}
}

// A limit that is given again takes the place of the one before; those of other names stay.
func TestLimitsReplaceEachOther(t *testing.T) {
	p := New()
	for _, text := range []string{"500", "a.example=1", "b.example=2", "600", "a.example=3"} {
		if _, _, err := p.Change("host-limit", text, false); err != nil {
			t.Fatal(err)
		}
	}
	k, _ := KeyOf("host-limit")
	if got := p.Text(&k); got != "b.example=2\n600\na.example=3" {
		t.Errorf("%q", got)
	}
	typed := New()
	if err := k.set(typed, []string{"b.example=9"}); err != nil {
		t.Fatal(err)
	}
	p.Take(typed, map[string]bool{"host-limit": true})
	if got := p.Text(&k); got != "600\na.example=3\nb.example=9" {
		t.Errorf("after --resume: %q", got)
	}
}
