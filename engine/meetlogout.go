package engine

// This file notices that a site has logged the crawl out, and holds its host.

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/lib/weburl"
)

// An answer that looks as if the crawl were logged out is not recorded before the login's check page was asked for, which
// tells. If the crawl is out, its host is held, as for a bot wall: its URLs wait, this one too, and the crawl goes on
// elsewhere. With the profile made anew, --resume releases the host. If nothing else is left, the crawl ends.

// logoutWhy begins why a host is held.
const logoutWhy = "logged out: "

// IsLogout reports whether a host is held since it logged the crawl out. why is frontier.Held.Why.
func IsLogout(why string) bool { return strings.HasPrefix(why, logoutWhy) }

// profileIn matches the profile that why names at its end, and its page.
var profileIn = regexp.MustCompile(`\(profile (\S+), (\S+)\)$`)

// LogoutOf returns which profile to make anew, and its page, for a host that is held since it logged the crawl out; "" where
// why, which is frontier.Held.Why, does not say it.
func LogoutOf(why string) (profile, page string) {
	if m := profileIn.FindStringSubmatch(why); m != nil && IsLogout(why) {
		profile, page = m[1], m[2]
	}
	return profile, page
}

// loginsOver lists the hosts that are held since they logged the crawl out, by name, at most 100.
func (k *controls) loginsOver() (all []archive.LoginOver) {
	k.Lock()
	defer k.Unlock()
	for _, host := range slices.Sorted(maps.Keys(k.set.holds)) {
		if why := k.set.holds[host].Why; IsLogout(why) && len(all) < 100 {
			profile, page := LogoutOf(why)
			all = append(all, archive.LoginOver{Host: host, Profile: profile, Page: page})
		}
	}
	return all
}

// standing is how a login stands at one host.
type standing struct {
	sure       time.Time // the login held for sure when this was asked for
	had, lacks int       // pages with the login's sign, and without it although the login held
	vain       map[string]int
}

// Of a doubt that was in vain so often, only some are looked into.
const (
	mostVain    = 5
	vainSome    = 10
	maxStanding = 10_000 // hosts of a login that are told apart
)

// at returns how l stands at a host. l.mu is locked.
func (l *member) at(host string) *standing {
	if l.mu.hosts[host] == nil {
		if len(l.mu.hosts) >= maxStanding {
			clear(l.mu.hosts)
		}
		l.mu.hosts[host] = &standing{vain: map[string]int{}}
	}
	return l.mu.hosts[host]
}

// meetLogout tells whether an answer shows that the crawl is logged out. Then its host is held, or it cannot be told now.
func (c *crawl) meetLogout(ctx context.Context, lease *frontier.Lease, o *reading) (met, error) {
	task := &lease.Task
	host := weburl.Host(task.URL)
	l := c.opt.Logins.of(host)
	if l == nil || task.Kind == kavosh.Prerequisite || !o.x.Answered() {
		return met{}, nil
	}
	c.countEcho(o)
	doubt, sure := c.doubt(l, host, o)
	if doubt == "" {
		return met{}, nil
	}
	l.checking.Lock()
	defer l.checking.Unlock()
	if c.control.isOut(host) {
		return met{sign: doubt, held: true, out: true}, nil
	}
	l.mu.Lock()
	at := l.at(host)
	holds := !o.x.Began.After(at.sure)
	at.vain[doubt]++
	holds = holds || !sure && at.vain[doubt] > mostVain && at.vain[doubt]%vainSome != 0
	l.mu.Unlock()
	if holds {
		return met{}, nil
	}
	asked := c.clock.Now()
	state, err := c.checkLogin(ctx, l, task)
	switch {
	case err != nil:
		return met{}, err
	case state == loginUnknown && ctx.Err() != nil:
		return met{sign: doubt, out: true, held: true}, nil // stopped: it is asked for again
	case state == loginHolds || state == loginUnseen && !sure:
		l.mu.Lock()
		at.sure = asked
		if doubt == lacksSign {
			at.lacks++
		}
		l.mu.Unlock()
		return met{}, nil
	case state == loginUnknown:
		return met{sign: doubt, out: true}, nil
	}
	return met{sign: doubt, held: true, out: true}, c.control.logOut(c.opt.Logins, l, o.x, host, doubt)
}

// showsOut is meetLogout after a browser has loaded the page, by what it shows then.
func (c *crawl) showsOut(ctx context.Context, lease *frontier.Lease, o *reading) (met, error) {
	host := weburl.Host(lease.Task.URL)
	switch l := c.opt.Logins.of(host); {
	case l == nil:
		return met{}, nil
	case c.control.isOut(host): // parts of it may not have come
		return met{sign: "its host did so while the browser loaded it", held: true, out: true}, nil
	case o.standIn().Kind == kavosh.Login:
		return c.meetLogout(ctx, lease, o)
	}
	return met{}, nil
}

// Doubts that a login holds.
const (
	lacksSign = "the page lacks the sign of a login that other pages have"
	asksLogin = "a page to log in came"
)

// loginPath matches a URL that leads to where one logs in.
var loginPath = regexp.MustCompile(`(?i)(^|[^a-z])(log[-_]?in|log[-_]?on|sign[-_]?in|signin|login|logon|auth|authenticate|oauth2?|sso|saml2?|cas|shibboleth|openid|session/new|sessions/new|ورود)([^a-z]|$)|wp-login|userlogin`)

// passwordField matches a field for a password in HTML.
var passwordField = regexp.MustCompile(`(?i)<input\b[^>]*\btype\s*=\s*["']?password\b`)

// doubt returns what in an answer speaks against a login, in words; "" for nothing. sure says that it is seldom anything
// else.
func (c *crawl) doubt(l *member, host string, o *reading) (why string, sure bool) {
	x := o.x
	switch location := x.Header.Get("Location"); {
	case x.Status == http.StatusUnauthorized:
		return "status 401 came", true
	case x.Status >= 300 && x.Status < 400 && location != "" && loginPath.MatchString(location) && !loginPath.MatchString(x.Task.URL):
		return "it redirects to where one logs in", true
	case o.standIn().Kind == kavosh.Login:
		return asksLogin, true
	case x.Status == http.StatusForbidden:
		return "status 403 came", false
	}
	for _, field := range x.Header {
		if strings.EqualFold(field.Name, "Set-Cookie") && c.fetcher.Ends(field.Value) {
			return "a cookie was taken away", false
		}
	}
	if x.Status != http.StatusOK || x.Task.Kind == kavosh.Embed || !strings.Contains(strings.ToLower(x.Header.Get("Content-Type")), "html") {
		return "", false
	}
	payload, _, _ := o.decoded()
	if passwordField.Match(payload) {
		return "a field for a password came", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.at(host)
	if ShowsLogin(&l.Profile, payload) {
		at.had++
		return "", false
	}
	if at.had > at.lacks {
		return lacksSign, false
	}
	return "", false
}

// ShowsLogin reports whether HTML has what tells that one is logged in.
func ShowsLogin(p *kavosh.Profile, html []byte) bool {
	if p.Sign != "" {
		return bytes.Contains(html, []byte(p.Sign))
	}
	return ends.Match(html) || bytes.Contains(html, []byte(farewells[0]))
}

// loginState is what the check page tells of a login.
type loginState int

const (
	loginUnknown loginState = iota // it did not come
	loginHolds
	loginOver
	loginUnseen // it may not be asked for: robots.txt forbids it
)

// checkLogin asks for the login's check page. Its answer is not recorded, but stands in the log. The error is the crawl's
// own.
func (c *crawl) checkLogin(ctx context.Context, l *member, of *kavosh.Task) (state loginState, err error) {
	if c.control.isOut(weburl.Host(l.Check)) {
		return loginOver, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &visit{c: c, page: *of, turn: c.frontier.NewVisit(), ctx: ctx}
	v.mu.refused = map[string]int{}
	err = v.beyondQueue(ctx, v.followed(l.Check), func(lease *frontier.Lease) (again bool, err error) {
		defer lease.Drop()
		if lease.Refused != nil {
			state = loginUnseen
			return false, nil
		}
		x, err := c.fetch(lease, &part{ctx: ctx})
		if err != nil || x == nil {
			return err == nil && ctx.Err() == nil, err
		}
		defer x.Close()
		state = c.stateBy(l, x)
		line := lineOf(&lease.Task, x)
		line.Outcome, line.Reason = archive.Retry, "asked whether the crawl is still logged in ("+map[loginState]string{loginUnknown: "it cannot be told", loginHolds: "it is", loginOver: "it is not"}[state]+"), and not recorded"
		c.pend.hand(item{line: &line, size: 512})
		return false, nil
	})
	if ctx.Err() != nil {
		return loginUnknown, nil
	}
	return state, err
}

// stateBy returns what the answer for the check page says.
func (c *crawl) stateBy(l *member, x *kavosh.Exchange) loginState {
	o := c.reading(x, nil)
	defer o.close()
	switch {
	case !x.Answered() || x.Status >= 500 || x.Status == http.StatusTooManyRequests || o.standIn().Kind == kavosh.Wall:
		return loginUnknown
	case x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden || o.standIn().Kind == kavosh.Login:
		return loginOver
	case x.Status >= 300 && x.Status < 400:
		if loginPath.MatchString(x.Header.Get("Location")) {
			return loginOver
		}
		return loginHolds
	case x.Status != http.StatusOK:
		return loginUnknown
	}
	payload, _, _ := o.decoded()
	l.mu.Lock()
	had := l.at(weburl.Host(l.Check)).had > 0
	l.mu.Unlock()
	switch {
	case ShowsLogin(&l.Profile, payload):
		return loginHolds
	case l.Sign != "" || had || passwordField.Match(payload):
		return loginOver
	}
	return loginHolds // there never was a sign
}

// isOut reports whether a host is held since it logged the crawl out.
func (k *controls) isOut(host string) bool {
	k.Lock()
	defer k.Unlock()
	h, held := k.set.holds[host]
	return held && IsLogout(h.Why)
}

// logOut holds a host that has logged the crawl out, and tells the person.
func (k *controls) logOut(all *Logins, l *member, x *kavosh.Exchange, host, why string) error {
	l.mu.Lock()
	l.mu.out = true
	l.mu.Unlock()
	all.out.Add(1)
	k.Lock()
	defer k.Unlock()
	cmd := k.own(Command{Name: "hold", Host: host, Why: fmt.Sprintf("%s%s, for %s (profile %s, %s)", logoutWhy, why, x.Task.URL, l.Name, l.Check)})
	var err error
	if cmd.Before, cmd.After, err = k.set.take(&cmd); err != nil {
		return err
	}
	if err := k.keep(&cmd); err != nil {
		return err
	}
	k.trouble(fmt.Sprintf("%s is held (%s): its URLs wait. Log in again by `kavosh profile new %s %s`, stop the crawl, then go on by `kavosh crawl --archive %s --resume`", host, cmd.Why, l.Name, l.Check, k.archive))
	return k.hold(host)
}

// logIn releases the hosts that had logged an earlier run of the crawl out: if the login does not hold now, they will be
// held again.
func (k *controls) logIn() error {
	k.Lock()
	defer k.Unlock()
	for host, h := range k.set.holds {
		if !IsLogout(h.Why) {
			continue
		}
		cmd := k.own(Command{Name: "release", Host: host, Why: "the crawl goes on with its profile"})
		var err error
		if cmd.Before, cmd.After, err = k.set.take(&cmd); err == nil {
			err = k.keep(&cmd)
		}
		if err == nil {
			err = k.hold(host)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endLoggedOut ends the crawl when nothing is left but what waits for a login, until ctx ends.
func (c *crawl) endLoggedOut(ctx context.Context) {
	for c.opt.Logins != nil && c.clock.Sleep(ctx, time.Second) == nil {
		if c.opt.Logins.out.Load() == 0 || c.quota.waits() || !c.frontier.OnlyHeld() {
			continue
		}
		c.pend.settle()
		others := false // wait until a person releases them
		for _, h := range c.frontier.Held() {
			others = others || !IsLogout(h.Why)
		}
		if !others && c.inFlight.Load() == 0 && c.frontier.OnlyHeld() {
			c.halt(endLogin)
			return
		}
	}
}

// endLogin is the report's End of a crawl that was logged out.
const endLogin = "login"

// countEcho counts an answer whose URL or body has a secret of the login in it: the record has it, since it says what came.
func (c *crawl) countEcho(o *reading) {
	secrets := c.fetcher.Secrets(weburl.Host(o.x.Task.URL))
	if len(secrets) == 0 {
		return
	}
	var payload []byte
	if readable.MatchString(o.x.Header.Get("Content-Type")) {
		payload, _, _ = o.decoded()
	}
	for _, s := range secrets {
		if strings.Contains(o.x.Task.URL, s) || bytes.Contains(payload, []byte(s)) {
			if c.opt.Logins.echoed.Add(1) == 1 {
				c.trouble("the site shows a secret of the login in a page or a URL, and the archive records what came: think before you share it. The report counts such answers")
			}
			return
		}
	}
}

// readable matches the media types of bodies in which secrets are looked for.
var readable = regexp.MustCompile(`(?i)text|json|xml|script`)
