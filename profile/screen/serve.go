package screen

// This file serves the page that shows a screen, and takes what the person does there.

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"kavosh/lib/vazirmatn"
	"kavosh/pages"
)

//go:embed page.html
var pageHTML string

//go:embed page.js
var pageJS []byte

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// maxInput is how many bytes one message of the page may have.
const maxInput = 64 << 10

// Page serves the page that shows a screen. Only who knows its token gets anything.
type Page struct {
	screen *Screen
	token  string
	done   chan struct{} // closed when the person says that it is done
	mux    *http.ServeMux
}

// NewPage returns a page for s, which is to end when it is done.
func NewPage(s *Screen) *Page {
	p := &Page{screen: s, token: rand.Text(), done: make(chan struct{}, 1), mux: http.NewServeMux()}
	p.mux.HandleFunc("GET /{$}", p.show)
	p.mux.HandleFunc("GET /page.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(pageJS)
	})
	p.mux.HandleFunc("GET /page.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		io.WriteString(w, pages.Style(vazirmatn.DataURL())+pageCSS)
	})
	p.mux.HandleFunc("GET /picture", p.picture)
	p.mux.HandleFunc("GET /at", p.at)
	p.mux.HandleFunc("POST /input", p.take)
	p.mux.HandleFunc("POST /done", func(w http.ResponseWriter, r *http.Request) {
		select {
		case p.done <- struct{}{}:
		default: // it was said before
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return p
}

// Path returns the path and query of the page, with the token.
func (p *Page) Path() string { return "/?token=" + p.token }

// Done is sent to when the person has logged in.
func (p *Page) Done() <-chan struct{} { return p.done }

// ServeHTTP answers who knows the token.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src data:; img-src blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(p.token)) != 1 {
		http.Error(w, "this page needs the whole address that kavosh profile new printed, with its token", http.StatusForbidden)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// words are those of the page in one language.
type words struct {
	Lang, Dir, Token, Other, OtherName         string
	Mark                                       template.HTML
	Title, How, Address, Go, Type, Done, Ended string
}

func (p *Page) show(w http.ResponseWriter, r *http.Request) {
	lang := r.URL.Query().Get("lang")
	if lang == "" && strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "fa") {
		lang = "fa"
	}
	say := words{
		Lang: "en", Dir: "ltr", Other: "fa", OtherName: "فارسی", Title: "Log in", How: "This is a browser on the machine where kavosh runs. Log in as you always do: click into the picture and type. Then press the button.",
		Address: "Address", Go: "Go", Type: "The browser’s page: click and type here", Done: "I have logged in: keep it", Ended: "The browser has ended. Go on at the terminal.",
	}
	if lang == "fa" {
		say = words{
			Lang: "fa", Dir: "rtl", Other: "en", OtherName: "English", Title: "ورود", How: "این مرورگری است در ماشینی که کاوش در آن کار می‌کند. همان‌گونه که همیشه وارد می‌شوید وارد شوید: در تصویر کلیک کنید و بنویسید. سپس دکمه را بزنید.",
			Address: "نشانی", Go: "برو", Type: "صفحهٔ مرورگر: اینجا کلیک کنید و بنویسید", Done: "وارد شدم: نگهش دار", Ended: "مرورگر بسته شد. در پایانه ادامه دهید.",
		}
	}
	say.Token, say.Mark = p.token, pages.Mark()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	pageTemplate.Execute(w, say) // if it fails, the reader went away
}

// picture sends the newest picture of the browser, as soon as it is not the one that the reader has.
func (p *Page) picture(w http.ResponseWriter, r *http.Request) {
	for {
		p.screen.mu.Lock()
		frame, next, number := p.screen.mu.frame, p.screen.mu.next, strconv.Itoa(p.screen.mu.frames)
		p.screen.mu.Unlock()
		if frame != nil && number != r.URL.Query().Get("had") {
			w.Header().Set("Content-Type", "image/jpeg")
			w.Header().Set("Picture", number)
			w.Write(frame) // if it fails, the reader went away
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}

// at says which page the browser shows.
func (p *Page) at(w http.ResponseWriter, r *http.Request) {
	p.screen.mu.Lock()
	url := p.screen.mu.url
	p.screen.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, url)
}

// message is one thing that the person did.
type message struct {
	Do   string  // "down", "up", "move", "wheel", "key", "text" or "go"
	X, Y float64 // of the window, from 0 to 1; of a wheel, how far, in pixels
	Text string  // a key's name, a text, or a URL
}

// keys are the keys that are no text, with their codes in Windows.
var keys = map[string]int64{
	"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
	"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
}

// take does in the browser what the person did in the picture.
func (p *Page) take(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxInput)).Decode(&m); err != nil {
		http.Error(w, "no message of this page", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(p.screen.tab, patience)
	defer cancel()
	mouse := input.DispatchMouseEventParams{X: m.X * width, Y: m.Y * height}
	var err error
	switch m.Do {
	case "down", "up", "move", "wheel":
		switch m.Do {
		case "down":
			mouse.Type, mouse.Button, mouse.ClickCount = input.DispatchMouseEventTypeMousePressed, input.MouseButtonLeft, 1
		case "up":
			mouse.Type, mouse.Button, mouse.ClickCount = input.DispatchMouseEventTypeMouseReleased, input.MouseButtonLeft, 1
		case "move":
			mouse.Type = input.DispatchMouseEventTypeMouseMoved
		case "wheel":
			mouse = input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: width / 2, Y: height / 2, DeltaX: m.X, DeltaY: m.Y}
		}
		_, err = chromedp.Call(ctx, input.DispatchMouseEvent, mouse)
	case "text":
		_, err = chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: m.Text})
	case "key":
		code, known := keys[m.Text]
		if !known {
			break
		}
		key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: m.Text, Code: m.Text, WindowsVirtualKeyCode: code}
		if m.Text == "Enter" {
			key.Type, key.Text = input.DispatchKeyEventTypeKeyDown, "\r"
		}
		if _, err = chromedp.Call(ctx, input.DispatchKeyEvent, key); err == nil {
			key.Type, key.Text = input.DispatchKeyEventTypeKeyUp, ""
			_, err = chromedp.Call(ctx, input.DispatchKeyEvent, key)
		}
	case "go":
		if strings.HasPrefix(m.Text, "http://") || strings.HasPrefix(m.Text, "https://") {
			p.screen.Go(m.Text)
		}
	}
	if err != nil {
		http.Error(w, "the browser does not respond", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
