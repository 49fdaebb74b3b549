// Package live serves the page of a crawl that runs, as package draw draws it, and takes commands from who holds the
// crawl's token (docs/formats/control.md).
//
// Everybody who reaches the page may look. The token is given once, in a form; the browser then keeps the name of a
// session, which is not the token. door.go has tokens and sessions. Only POST changes anything, only from the page
// itself, and only with the secret of the session, which the page's forms have.
package live

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"kavosh/site/draw"
)

// Crawl is a crawl that runs, as the page needs it.
type Crawl struct {
	ID    string
	Token string // what lets a reader command the crawl; "" if nobody can
	File  string // where people find the token
	// Crawl returns what the page shows; nil if the crawl is not there yet.
	Crawl func(ctx context.Context) (*draw.Crawl, error)
	// Settings returns what commands have set; nil if the crawl does not answer.
	Settings func() *draw.Settings
	// Tell obeys a command and says what came of it. An error says what is wrong with the command.
	Tell func(Command) (string, error)
}

// Command is what a form asks for: the words of kavosh control, and its flags. Nothing of it has been checked.
type Command struct {
	Words          []string
	For, Why, Zone string
}

// maxForm bounds a form in bytes.
const maxForm = 1 << 20

// Page serves the page of one crawl.
type Page struct {
	draw  *draw.Set
	mux   *http.ServeMux
	cross http.CrossOriginProtection

	mu struct {
		sync.Mutex
		crawl Crawl // zero until it has begun
		door  door
	}
}

// New returns a Page that shows nothing until Show. now is the time.
func New(set *draw.Set, now func() time.Time) *Page {
	p := &Page{draw: set, mux: http.NewServeMux()}
	p.mu.door.now = now
	p.mux.HandleFunc("GET /{$}", p.page)
	p.mux.HandleFunc("GET /-/static/", set.ServeStatic)
	for path, answer := range map[string]http.HandlerFunc{"/enter": p.enter, "/leave": p.leave, "/control": p.control} {
		p.mux.HandleFunc("POST "+path, answer)
		p.mux.Handle("GET "+path, http.RedirectHandler("/", http.StatusSeeOther)) // who loads the answer to a form again
	}
	return p
}

// Show lets the page show a crawl. Sessions of the one before end.
func (p *Page) Show(c Crawl) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.crawl = c
	p.mu.door.open(c.Token)
}

// ServeHTTP answers GET / with the page, and the forms of the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := p.cross.Check(r); err != nil {
		http.Error(w, "this came from another site: nothing was changed", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p.mux.ServeHTTP(w, r)
}

// now returns the crawl, and the session of a request; nil if it has none.
func (p *Page) now(r *http.Request) (Crawl, *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cookie, err := r.Cookie(cookieName(p.mu.crawl.ID))
	if err != nil {
		return p.mu.crawl, nil
	}
	return p.mu.crawl, p.mu.door.session(cookie.Value)
}

func (p *Page) page(w http.ResponseWriter, r *http.Request) {
	p.draw.Remember(w, r)
	p.write(w, r, http.StatusOK, "")
}

// write writes the page. problem says why the reader was not let in, as draw.Control has it.
func (p *Page) write(w http.ResponseWriter, r *http.Request, status int, problem string) {
	c, session := p.now(r)
	var shown *draw.Crawl
	if c.Crawl != nil {
		var err error
		if shown, err = c.Crawl(r.Context()); err != nil {
			http.Error(w, "the crawl's files cannot be read: "+err.Error(), http.StatusInternalServerError)
			return
		}
	}
	if shown == nil {
		p.draw.LiveCrawl(w, r, status, draw.Crawl{}, draw.Control{})
		return
	}
	control := draw.Control{File: c.File, Problem: problem}
	if session != nil {
		holder := draw.Holder{Secret: session.secret}
		p.mu.Lock()
		holder.Answer, holder.Failed = session.answer, session.failed
		p.mu.Unlock()
		control.Holder, control.Set = &holder, c.Settings()
	}
	p.draw.LiveCrawl(w, r, status, *shown, control)
}

// enter begins a session for who gives the token.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) {
	given := strings.TrimSpace(r.PostFormValue("token"))
	p.mu.Lock()
	id, problem := p.mu.door.enter(given)
	crawl := p.mu.crawl.ID
	p.mu.Unlock()
	switch problem {
	case "":
		setCookie(w, crawl, id, 0)
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case tooOften:
		w.Header().Set("Retry-After", "60")
		p.write(w, r, http.StatusTooManyRequests, problem)
	default:
		p.write(w, r, http.StatusForbidden, problem)
	}
}

// leave ends a session.
func (p *Page) leave(w http.ResponseWriter, r *http.Request) {
	c, session := p.now(r)
	if session == nil || !session.sent(r.PostFormValue("secret")) {
		p.write(w, r, http.StatusForbidden, notEntered)
		return
	}
	p.mu.Lock()
	p.mu.door.leave(session)
	p.mu.Unlock()
	setCookie(w, c.ID, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// control obeys a form. The page shows what came of it.
func (p *Page) control(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		http.Error(w, "this form is too large: send it in parts", http.StatusRequestEntityTooLarge)
		return
	}
	c, session := p.now(r)
	if session == nil || !session.sent(r.PostFormValue("secret")) {
		p.write(w, r, http.StatusForbidden, notEntered)
		return
	}
	cmd := Command{Words: strings.Fields(r.PostFormValue("command")), For: field(r, "for"), Why: field(r, "why"), Zone: field(r, "zone")}
	for _, value := range append(r.PostForm["value"], strings.Split(r.PostFormValue("lines"), "\n")...) {
		if value = strings.TrimSpace(value); value != "" {
			cmd.Words = append(cmd.Words, value)
		}
	}
	answer, err := c.Tell(cmd)
	if err != nil {
		answer = err.Error()
	}
	p.mu.Lock()
	session.answer, session.failed = answer, err != nil
	p.mu.Unlock()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func field(r *http.Request, name string) string { return strings.TrimSpace(r.PostFormValue(name)) }

// cookieName is the name of the cookie of a crawl's session. Browsers keep the cookies of all ports of a host together,
// so that each crawl needs a name of its own.
func cookieName(crawl string) string { return "kavosh-" + crawl }

// setCookie lets a browser keep the name of a session until it is closed, or with age -1 forget it.
func setCookie(w http.ResponseWriter, crawl, id string, age int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName(crawl), Value: id, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}
