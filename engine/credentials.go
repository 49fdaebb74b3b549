package engine

// This file reads credentials: fields of requests that give access to something, such as Authorization or Cookie. Each
// is for one origin (scheme, host and port) and is sent nowhere else. It reads the file of --credentials and the
// environment, and writes nothing.

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kavosh/fetch"
	"kavosh/internal/clock"
	"kavosh/lib/weburl"
	"kavosh/plan"
	"kavosh/seeds"
)

// CredentialsVariable is the name of an environment variable. Its value, if any, is text in the form of a file of
// --credentials (TOML).
const CredentialsVariable = "KAVOSH_CREDENTIALS"

// login is what a file of --credentials has for one origin. If User or Password is given, they are sent by HTTP Basic
// authentication.
type login struct {
	User     string   `toml:"user"`
	Password string   `toml:"password"`
	Headers  []string `toml:"headers"` // further fields, "Name: value"
}

// credentials returns all credentials of a crawl, by origin: from --credentials, from the environment, from seeds with
// a user name, and from --header. It fails if they cannot be read or contradict each other, or if one is missing that
// the crawl had when it began (Plan.Secrets names these, without values). No error contains a secret value.
func credentials(p *plan.Plan, list *seeds.List) (fetch.Credentials, error) {
	given := fetch.Credentials{}
	if p.Credentials != "" {
		text, err := os.ReadFile(p.Credentials)
		if err != nil {
			return nil, fmt.Errorf("--credentials: %w", err)
		}
		if err := readCredentials(given, "--credentials "+p.Credentials, string(text)); err != nil {
			return nil, err
		}
	}
	if text := os.Getenv(CredentialsVariable); text != "" {
		if err := readCredentials(given, CredentialsVariable, text); err != nil {
			return nil, err
		}
	}
	for origin, l := range list.Logins {
		if err := give(given, origin, fetch.Basic(l.User, l.Password)); err != nil {
			return nil, err
		}
	}
	origins := slices.Collect(maps.Keys(list.Origins))
	var needed []string // origins that had credentials when the crawl began
	for _, line := range p.Secrets {
		if origin, _, _ := strings.Cut(line, " "); !strings.HasPrefix(origin, anyHost) {
			needed = append(needed, origin)
		}
	}
	if len(origins) == 0 {
		origins = needed
	}
	for _, field := range p.Header {
		if !plan.IsSecretField(field) {
			continue
		}
		name, _, _ := strings.Cut(field, ":")
		if len(origins) != 1 {
			return nil, fmt.Errorf("--header %s gives access to something, and the seeds are of several origins (scheme, host and port): say by --credentials which is to have it", name)
		}
		if err := give(given, origins[0], field); err != nil {
			return nil, err
		}
	}
	for _, origin := range needed {
		if given[origin] == nil {
			return nil, fmt.Errorf("the crawl sends credentials to %s, which are not kept: give them again, by --credentials FILE or in %s", origin, CredentialsVariable)
		}
	}
	return given, nil
}

// readCredentials reads the text of a file of --credentials, which has a table for each origin, and adds its fields to
// given. source names the file or variable in errors.
func readCredentials(given fetch.Credentials, source, text string) error {
	var tables map[string]login
	d := toml.NewDecoder(strings.NewReader(text))
	if err := d.DisallowUnknownFields().Decode(&tables); err != nil {
		var at *toml.DecodeError
		var unknown *toml.StrictMissingError
		switch {
		case errors.As(err, &unknown):
			return fmt.Errorf("%s: a table may have user, password and headers alone", source)
		case errors.As(err, &at):
			line, column := at.Position()
			return fmt.Errorf("%s: line %d, column %d is not as it should be; write a table for each origin, such as [\"https://example.org\"], with user and password, or headers = [\"Cookie: …\"]", source, line, column)
		}
		return fmt.Errorf("%s is no TOML", source)
	}
	for name, l := range tables {
		key, err := seeds.Key(name)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		u, err := weburl.Parse(key)
		if err != nil || u.PathQuery() != "/" || strings.Contains(name, "@") {
			return fmt.Errorf("%s: %s is no origin; write scheme, host and port, such as [\"https://example.org:8443\"]", source, weburl.Hide(name))
		}
		var fields []string
		if l.User != "" || l.Password != "" {
			fields = append(fields, fetch.Basic(l.User, l.Password))
		}
		if fields = append(fields, l.Headers...); len(fields) == 0 {
			return fmt.Errorf("%s: nothing is given for %s; write user and password, or headers = [\"Cookie: …\"]", source, name)
		}
		for _, field := range fields {
			if err := give(given, u.Origin(), field); err != nil {
				return err
			}
		}
	}
	return nil
}

// give adds a field, "Name: value", to those of an origin. The same field twice counts once. It fails if the origin has
// the field with another value; only Cookie may have several.
func give(given fetch.Credentials, origin, field string) error {
	name, _, _ := strings.Cut(field, ":")
	for _, had := range given[origin] {
		switch hadName, _, _ := strings.Cut(had, ":"); {
		case had == field:
			return nil
		case strings.EqualFold(name, hadName) && !strings.EqualFold(name, "Cookie"):
			return fmt.Errorf("%s is given twice for %s, with different values: give one of them", name, origin)
		}
	}
	given[origin] = append(given[origin], field)
	return nil
}

// anyHost begins a line of Plan.Secrets that is about a domain, and not about an origin: its cookies of a browser.
const anyHost = "*."

// cookies returns the cookies of the file of --cookies that are of the seeds' domains. When a crawl is resumed without
// its seeds, Plan.Secrets says which these are.
func cookies(p *plan.Plan, list *seeds.List) (given fetch.GivenCookies, err error) {
	domains := map[string]bool{}
	for _, line := range p.Secrets {
		if domain, ok := strings.CutPrefix(line, anyHost); ok {
			domain, _, _ = strings.Cut(domain, " ")
			domains[domain] = true
		}
	}
	if p.Cookies == "" {
		if len(domains) > 0 {
			return given, fmt.Errorf("the crawl sends cookies of a browser to %s, which are not kept: give them again, by --cookies FILE", strings.Join(slices.Sorted(maps.Keys(domains)), ", "))
		}
		return given, nil
	}
	for origin := range list.Origins {
		if u, err := weburl.Parse(origin); err == nil {
			domains[weburl.Domain(strings.Trim(u.Hostname(), "[]"))] = true
		}
	}
	text, err := os.ReadFile(p.Cookies)
	if err != nil {
		return given, fmt.Errorf("--cookies: %w", err)
	}
	given, err = fetch.ReadCookies(string(text), func(domain string) bool { return domains[domain] })
	switch {
	case err != nil:
		return given, fmt.Errorf("--cookies %s: %w", p.Cookies, err)
	case !given.Live(clock.Real{}.Now()):
		return given, fmt.Errorf("--cookies %s: all cookies of the seeds' domains are over: log in again with the browser, then write the file again", p.Cookies)
	}
	return given, nil
}

// secretsOf returns who is sent which fields, without values, in the form of Plan.Secrets: one line for each origin, such
// as "https://example.org authorization, cookie", and one for each domain of a browser's cookies, "*.example.org cookie".
func secretsOf(o *fetch.Options) (lines []string) {
	for _, domain := range o.Cookies.Domains() {
		lines = append(lines, anyHost+domain+" cookie")
	}
	given := o.Credentials
	for _, origin := range slices.Sorted(maps.Keys(given)) {
		var names []string
		for _, field := range given[origin] {
			name, _, _ := strings.Cut(field, ":")
			names = append(names, strings.ToLower(name))
		}
		slices.Sort(names)
		lines = append(lines, origin+" "+strings.Join(slices.Compact(names), ", "))
	}
	return lines
}
