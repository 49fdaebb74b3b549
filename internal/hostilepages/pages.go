// Package hostilepages has pages whose scripts would keep, fill or break the browser that loads them, for tests.
//
// Each is whole in itself and does one thing. Whatever it does, a crawl is to have an outcome for it, and the browser its
// bounds.
package hostilepages

// Page is a hostile page.
type Page struct {
	Name string
	HTML string
	Ends []string // parts of notes of fetch/browser, one of which tells what ended it; nil if it may come to rest before anything does
}

// Reasons why a page is ended.
const (
	late    = "not at rest after"
	memory  = "MB of memory"
	crashed = "the page crashed"
)

// All returns the pages. A page may ask for /part?… of its own host, of which any answer will do.
func All() []Page {
	script := func(name, script string, ends ...string) Page {
		return Page{name, "<!doctype html><title>" + name + "</title><script>" + script + "</script>", ends}
	}
	return []Page{
		script("alerts", `for (let i = 0; i < 100000; i++) { alert(i); confirm(i); prompt(i) } onbeforeunload = () => 'stay'; setInterval(() => alert('again'), 1)`),
		script("endless", `for (;;);`, late),
		script("endless-later", `addEventListener('load', () => setTimeout(() => { for (;;); }, 50))`),
		script("endless-promises", `const f = () => Promise.resolve().then(f); f()`, late),
		script("memory", `const all = []; setInterval(() => all.push(new Uint8Array(1 << 26).fill(1)), 5)`),
		script("memory-at-once", `const all = []; for (;;) all.push(new Uint8Array(1 << 26).fill(1))`, memory, crashed, late),
		script("heap", `let s = [0]; for (;;) s = s.concat(s.map(x => ({x, y: [x]})))`, memory, crashed, late),
		script("huge", `for (let i = 0; i < 200; i++) { const d = document.createElement('div'); d.innerHTML = '<p><a href=/part?>x</a></p>'.repeat(5000); document.documentElement.append(d) }`),
		script("deep", `let at = document.documentElement; for (let i = 0; i < 100000; i++) { const d = document.createElement('div'); at.append(d); at = d }`),
		script("workers", `const code = 'const at = self.location.href; setInterval(() => { try { new Worker(at) } catch {} }, 20)'; new Worker(URL.createObjectURL(new Blob([code])))`),
		script("worker-spins", `for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))`),
		script("states", `let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) history.pushState({n}, '', '/part?' + n++) }, 1)`),
		script("hashes", `let n = 0; setInterval(() => { location.hash = n++ }, 1)`),
		script("reloads", `setInterval(() => location.reload(), 5)`),
		script("away", `let n = 0; setInterval(() => { location = '/part?' + n++ }, 5)`),
		script("windows", `for (let i = 0; i < 1000; i++) open('/part?' + i % 300)`),
		script("downloads", `let n = 0; setInterval(() => { const a = document.createElement('a'); a.download = 'x'; a.href = '/part?' + n++ % 300; document.documentElement.append(a); a.click() }, 5)`),
		script("requests", `let n = 0; const more = () => { fetch('/part?' + n++).then(more, more); if (n < 5000) fetch('/part?' + n++) }; more()`),
		script("sockets", `for (let i = 0; i < 500; i++) new WebSocket('ws://' + location.host + '/part?' + i)`),
		script("frames", `const more = w => { for (let i = 0; i < 3; i++) { const f = w.document.createElement('iframe'); w.document.documentElement.append(f); setTimeout(more, 50, f.contentWindow) } }; more(window)`),
		script("writes", `setInterval(() => document.write('<p>x'.repeat(10000)), 1)`),
	}
}
