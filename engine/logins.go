package engine

// This file has the logins of a crawl: whose profile is for which host, what a browser needs of it, and what is kept of
// it in the end. meetlogout.go notices when one does not hold any more.

import (
	"fmt"
	neturl "net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kavosh"
	"kavosh/fetch"
	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// Logins are the profiles with which a crawl has logged in. nil is none. They are safe for concurrent use.
type Logins struct {
	all     []*member
	save    func(*kavosh.Profile) error
	fetcher *fetch.HTTP // has their cookies; set before the crawl begins
	saved   time.Time   // when they were saved last
	echoed  atomic.Int64
	out     atomic.Int64 // hosts that are held since they logged the crawl out
}

// member is one profile, as it is now.
type member struct {
	kavosh.Profile // but for its cookies and storage: the fetcher has the cookies
	checking       sync.Mutex

	mu struct {
		sync.Mutex
		storage []kavosh.Stored
		hosts   map[string]*standing
		out     bool // a host of it has logged the crawl out
	}
}

// NewLogins returns the logins of profiles. save is given one back, with what servers and pages changed, while the crawl
// runs and at its end. An error means that two are for the same domain.
func NewLogins(profiles []*kavosh.Profile, save func(*kavosh.Profile) error) (*Logins, error) {
	if len(profiles) == 0 {
		return nil, nil
	}
	l := &Logins{save: save}
	for _, p := range profiles {
		for _, domain := range p.Domains {
			if other := l.of(domain); other != nil {
				return nil, fmt.Errorf("the profiles %s and %s are both for %s: give one of them by --profile", other.Name, p.Name, domain)
			}
		}
		one := &member{Profile: *p}
		one.mu.storage, one.mu.hosts = p.Storage, map[string]*standing{}
		l.all = append(l.all, one)
	}
	return l, nil
}

// of returns the login for a host; nil where nobody is logged in.
func (l *Logins) of(host string) *member {
	if l == nil {
		return nil
	}
	domain := weburl.Domain(strings.Trim(host, "[]"))
	for _, one := range l.all {
		if slices.Contains(one.Domains, domain) {
			return one
		}
	}
	return nil
}

// give adds the logins to what the fetcher sends.
func (l *Logins) give(o *fetch.Options) {
	if l == nil {
		return
	}
	for _, one := range l.all {
		o.Cookies.Add(one.Cookies, one.Domains)
	}
	o.Tokens = l.tokens
}

// use gives the logins the fetcher that has their cookies.
func (l *Logins) use(f *fetch.HTTP) {
	if l != nil {
		l.fetcher = f
	}
}

// Login returns the cookies and the storage with which a browser loads a page at url; none where nobody is logged in.
func (l *Logins) Login(url string) (cookies []kavosh.Cookie, storage []kavosh.Stored) {
	one := l.of(weburl.Host(url))
	if one == nil {
		return nil, nil
	}
	one.mu.Lock()
	storage = one.mu.storage
	one.mu.Unlock()
	return l.fetcher.Given(weburl.Host(url)), storage
}

// maxStorage is how many bytes of storage a login may have.
const maxStorage = 4 << 20

// Store takes what an origin has in its storage after a page of it was loaded.
func (l *Logins) Store(origin string, storage []kavosh.Stored) {
	one := l.of(weburl.Host(origin))
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(one.mu.storage), func(s kavosh.Stored) bool { return s.Origin == origin })
	size := 0
	for _, s := range append(all, storage...) {
		size += len(s.Key) + len(s.Value)
	}
	if size <= maxStorage {
		one.mu.storage = append(all, storage...)
	}
}

// token matches what may be a token that gives access, in a value of storage.
var token = regexp.MustCompile(`[A-Za-z0-9._~+/=-]{16,}`)

// maxTokens bounds the tokens of a login that are looked for.
const maxTokens = 100

// tokens returns the texts in the storage for a host that may give access.
func (l *Logins) tokens(host string) (all []string) {
	one := l.of(host)
	if one == nil {
		return nil
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	for _, s := range one.mu.storage {
		for _, text := range token.FindAllString(s.Value, maxTokens) {
			if len(all) < maxTokens && strings.ContainsAny(text, "0123456789") {
				all = append(all, text)
			}
		}
	}
	return all
}

// saveEvery is how often the profiles are saved while a crawl runs. Sealing one takes half a second of a processor.
const saveEvery = time.Minute

// keep saves the profiles, as they are now, but for those that are logged out.
func (l *Logins) keep(now time.Time) error {
	if l == nil || l.save == nil || l.fetcher == nil {
		return nil
	}
	l.saved = now
	for _, one := range l.all {
		p := one.Profile
		p.Cookies = nil
		for _, domain := range p.Domains {
			p.Cookies = append(p.Cookies, l.fetcher.Given(domain)...)
		}
		one.mu.Lock()
		p.Storage = one.mu.storage
		out := one.mu.out
		one.mu.Unlock()
		if out {
			continue
		}
		if err := l.save(&p); err != nil {
			return fmt.Errorf("the profile %s could not be saved, so that it may have to be made anew: %w", p.Name, err)
		}
	}
	return nil
}

// keepSometimes is keep, at most every saveEvery.
func (l *Logins) keepSometimes(now time.Time) error {
	if l == nil || now.Sub(l.saved) < saveEvery {
		return nil
	}
	return l.keep(now)
}

// loggedOut returns how many hosts have logged the crawl out in this run.
func (l *Logins) loggedOut() int64 {
	if l == nil {
		return 0
	}
	return l.out.Load()
}

// echoes returns how many answers had a secret of a login in their URL or body.
func (l *Logins) echoes() int64 {
	if l == nil {
		return 0
	}
	return l.echoed.Load()
}

// logsOut is the class of refusing links that would end a login.
const logsOut scope.Reason = "logout"

// belongs is what scope says of a link; but no link is followed that logs out where somebody is logged in. parent may be
// nil.
func (c *crawl) belongs(link *kavosh.Link, parent *kavosh.Task) scope.Decision {
	if one := c.opt.Logins.of(weburl.Host(link.URL)); one != nil && (endsLogin(link.URL) || link.Kind != kavosh.Embed && endsLoginInWords(link.Anchor)) {
		return scope.Decision{Reason: logsOut, Rule: "it logs out, and the crawl is logged in there by the profile " + one.Name}
	}
	d := c.scope.Judge(link, parent)
	if part := scope.Follow(parent, link); d.In && c.revisits.second() && !part.Part() {
		return scope.Decision{Reason: secondRound, Rule: "found in the second round, which visits the pages of the first and their parts"}
	}
	return d
}

// ends matches, in a URL or in words, what ends a login.
var ends = regexp.MustCompile(`(?i)logout|signout|logoff|signoff|(^|[^a-z])(log|sign)[-_ +]+(me[-_ +]+)?(out|off)([^a-z]|$)`)

// endsLogin reports whether a URL looks like one that logs out.
func endsLogin(url string) bool {
	_, path, _ := strings.Cut(url, "://")
	_, path, _ = strings.Cut(path, "/")
	if plain, err := neturl.QueryUnescape(path); err == nil {
		path = plain
	}
	return ends.MatchString(path)
}

// farewells are words of links that log out, in lower case, where they are all of the words.
var farewells = []string{
	"خروج", "خروج از حساب", "خروج از حساب کاربری", "خروج از سیستم", "خروج از سامانه", "خروج از سایت", "تسجيل الخروج", "خروج کاربر",
	"abmelden", "ausloggen", "se déconnecter", "déconnexion", "cerrar sesión", "salir", "sair", "esci", "disconnetti", "uitloggen", "afmelden",
	"logga ut", "log ud", "logg ut", "kirjaudu ulos", "wyloguj", "wyloguj się", "odhlásit", "odhlásit se", "выйти", "выход", "вийти", "çıkış", "çıkış yap",
	"退出", "退出登录", "登出", "ログアウト", "로그아웃", "התנתק", "đăng xuất", "keluar",
}

// endsLoginInWords reports whether the words of a link say that it logs out.
func endsLoginInWords(words string) bool {
	words = strings.ToLower(strings.Join(strings.Fields(words), " "))
	return len(words) < 60 && ends.MatchString(words) || slices.Contains(farewells, words)
}
