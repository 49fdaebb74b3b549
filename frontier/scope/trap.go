package scope

// This file tells from one URL alone whether it is part of a trap, and cuts session ids out of URLs. It keeps no state.

import (
	"fmt"
	"slices"
	"strings"
)

// A trap is a part of a site that makes up ever new URLs without new content. The rules here look at one URL alone, and
// only at what no site would make on purpose. docs/formats/frontier.md lists the rules, with URLs that they must not
// touch. Two other rules count what was queued before (queries of one path, and session ids); the frontier has these.
const (
	trapLength   = 4096 // bytes of a URL
	trapSegments = 40   // segments of a path
	trapRun      = 4    // times that the same segment, or group of segments, stands in a row
	trapMixed    = 12   // from this many segments on, a path is a trap if it has each one twice on average
	trapParams   = 100  // parameters of a query
	trapPairs    = 4    // times that the same name=value is in one query
	trapYears    = 10   // years that a calendar may look ahead
	trapClicks   = 1000 // clicks from a seed, for an endless "next month" that nothing in the URL shows
)

// trap returns the rule by which a URL is a trap; "" if there is none. year returns the current year.
func trap(key string, p *Parts, year func() int) string {
	if len(key) > trapLength {
		return fmt.Sprintf("trap: a URL of more than %d bytes", trapLength)
	}
	if rule := trapPath(p.Path); rule != "" {
		return rule
	}
	if rule := trapQuery(p.Query); rule != "" {
		return rule
	}
	return trapCalendar(p, year)
}

// trapPath returns the rule against paths that grow by repeating themselves; "" if none applies. Such paths come from
// relative links in a page that a server gives for any path.
func trapPath(path string) string {
	if strings.Count(path, "/") < trapRun {
		return ""
	}
	var room [trapSegments]string
	segments := room[:0]
	for rest, more := strings.TrimSuffix(path[1:], "/"), true; more; {
		var segment string
		if segment, rest, more = strings.Cut(rest, "/"); len(segments) == trapSegments {
			return fmt.Sprintf("trap: a path of more than %d segments", trapSegments)
		}
		segments = append(segments, segment)
	}
	n := len(segments)
	for size := 1; size*trapRun <= n; size++ {
		same := 0 // segments in a row that equal the one size before them
		for i := size; i < n; i++ {
			if segments[i] != segments[i-size] {
				same = 0
				continue
			}
			if same++; same == size*(trapRun-1) {
				return fmt.Sprintf("trap: %q stands %d times in a row in the path", strings.Join(segments[i-size+1:i+1], "/"), trapRun)
			}
		}
	}
	if n >= trapMixed {
		distinct := 0
		for i, s := range segments {
			if !slices.Contains(segments[:i], s) {
				distinct++
			}
		}
		if 2*distinct <= n {
			return fmt.Sprintf("trap: a path of %d segments, only %d of them different", n, distinct)
		}
	}
	return ""
}

// trapQuery returns the rule against queries that grow by appending to themselves; "" if none applies.
func trapQuery(query string) string {
	n := strings.Count(query, "&") + 1
	if n < trapPairs {
		return ""
	}
	if n > trapParams {
		return fmt.Sprintf("trap: a query of more than %d parameters", trapParams)
	}
	var room [trapParams]string
	pairs := room[:0]
	for rest, more := query, true; more; {
		var pair string
		if pair, rest, more = strings.Cut(rest, "&"); pair == "" {
			continue
		}
		times := 1
		for _, earlier := range pairs {
			if earlier == pair {
				times++
			}
		}
		if times == trapPairs {
			return fmt.Sprintf("trap: the parameter %q stands %d times in the query", pair, trapPairs)
		}
		pairs = append(pairs, pair)
	}
	return ""
}

// calendarWords are words in the URL of a calendar. A year in a URL counts only if the URL has one of them.
var calendarWords = [...]string{"calendar", "kalender", "calendrier", "calendario", "agenda", "event", "termine", "veranstaltung", "taghvim", "%d8%aa%d9%82%d9%88%db%8c%d9%85"}

// yearParams are names of query parameters whose value is a year or begins with one. Those of four letters or more may
// also be the end of a name, as in startdate and calYear.
var yearParams = [...]string{"year", "date", "month", "jahr", "annee", "start", "from", "day", "ym", "yr", "y", "m", "d", "sal"}

// trapCalendar returns the rule against calendars whose "next month" never ends; "" if it does not apply. Years of
// other calendars in use count as what they are: 1405 (Persian), 1448 (Islamic), 2569 (Thai) and 5787 (Hebrew) are all
// 2026. There is no bound for the past, since archives of newspapers go back for centuries.
func trapCalendar(p *Parts, today func() int) string {
	if !hasYear(p.PathQuery) {
		return ""
	}
	y := farYear(p, today())
	if y == "" || !isCalendar(p.PathQuery) {
		return ""
	}
	return fmt.Sprintf("trap: a calendar at the year %s, more than %d years ahead", y, trapYears)
}

// farYear returns what reads like a year in the far future in a path or query; "" if there is none.
func farYear(p *Parts, year int) string {
	far := func(digits, months string) bool {
		if len(digits) != 4 {
			return false
		}
		y, ok := number(digits)
		if !ok || y <= year+trapYears {
			return false
		}
		for _, offset := range [...]int{543, 3761} { // Thai, Hebrew
			if y >= year+offset-200 && y <= year+offset+trapYears {
				return false
			}
		}
		m, ok := number(months)
		return months == "" || ok && m >= 1 && m <= 13
	}
	for path, more := p.Path, true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		next, _, _ := strings.Cut(path, "/")
		y, rest, dashed := strings.Cut(segment, "-")
		switch {
		case dashed && len(rest) >= 2 && far(y, rest[:2]),
			!dashed && more && len(next) >= 1 && len(next) <= 2 && far(y, next):
			return y
		}
	}
	for query, more := p.Query, p.Query != ""; more; {
		var pair string
		pair, query, more = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name = lower(name)
		for _, known := range yearParams {
			if name != known && (len(known) < 4 || !strings.HasSuffix(name, known)) {
				continue
			}
			y, rest, dashed := strings.Cut(value, "-")
			if !dashed && far(y, "") || dashed && len(rest) >= 2 && far(y, rest[:2]) {
				return y
			}
		}
	}
	return ""
}

// number returns the number that a few ASCII digits make; ok is false for anything else.
func number(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}

// hasYear reports whether four digits begin a segment of the path or the value of a parameter. It is a quick test that
// saves most URLs the closer look.
func hasYear(s string) bool {
	digits := -1 // since '/' or '='; -1 when something else stood between
	for i := range len(s) {
		switch c := s[i]; {
		case c == '/' || c == '=':
			digits = 0
		case digits < 0 || c < '0' || c > '9':
			digits = -1
		case digits == 3:
			return true
		default:
			digits++
		}
	}
	return false
}

// isCalendar reports whether one of calendarWords is in a path and query.
func isCalendar(pathQuery string) bool {
	pathQuery = lower(pathQuery)
	for _, w := range calendarWords {
		if strings.Contains(pathQuery, w) {
			return true
		}
	}
	return false
}

// Session returns a key without the session id that it carries, and whether it carries one. A session id is a path
// parameter (;jsessionid=), an ASP.NET segment ("(S(…))") or a query parameter with a known name and a value that looks
// random. Each session gives the same page another URL, so the frontier counts these URLs.
func Session(key string) (without string, found bool) {
	small := lower(key)
	if i := strings.Index(small, ";jsessionid="); i >= 0 {
		end := i + 1 + strings.IndexAny(key[i+1:]+"?", ";/?")
		return key[:i] + key[end:], true
	}
	if i := strings.Index(small, "/(s("); i >= 0 {
		if n := strings.Index(key[i:], "))"); n >= 20 {
			return key[:i] + key[i+n+2:], true
		}
	}
	before, query, ok := strings.Cut(key, "?")
	if !ok {
		return key, false
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if isSession(lower(name), value) {
			found = true
			continue
		}
		kept = append(kept, pair)
	}
	if !found {
		return key, false
	}
	return before + "?" + strings.Join(kept, "&"), true
}

// sessionParams are names of parameters that hold session ids.
var sessionParams = [...]string{"phpsessid", "jsessionid", "sessionid", "session_id", "sessid", "sid", "cfid", "cftoken", "zenid", "oscsid"}

// isSession reports whether a parameter is a session id: it has a known name, and a value of at least 16 letters and
// digits with both among them. cfid and cftoken may be shorter, and need only a digit.
func isSession(name, value string) bool {
	if !slices.Contains(sessionParams[:], name) && !strings.HasPrefix(name, "aspsessionid") || len(value) < 16 && name != "cfid" && name != "cftoken" {
		return false
	}
	digits, letters := 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			letters++
		case c != '-' && c != '_' && c != '.' && c != ',':
			return false
		}
	}
	return digits > 0 && letters > 0 || digits > 0 && name[0] == 'c'
}

// lower returns s with its ASCII letters in lower case. Unlike strings.ToLower it never changes the length.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
