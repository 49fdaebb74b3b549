package shown

// This file says where the parts of a page stand, and how much of it is text.

import (
	"context"
	"encoding/json"
	"fmt"

	"kavosh"
)

// Bounds on what is looked at of a page to find its parts.
const (
	maxLooked = 20_000 // elements and runs of text
	maxPlaces = 5_000  // places that parts fill
)

// partsScript gives a kavosh.Shown. Which text no style is made for is told by the names of its element and of those around it
// (classes and identifiers) that no rule has, and by a typeface that nobody chose.
const partsScript = `(() => {
  const places = [], bands = [], names = new Set(), root = document.documentElement;
  let left = %d, text = 0, bare = 0;
  const rulesOf = (list, depth) => {
    for (const r of list) {
      for (const m of (r.selectorText || '').matchAll(/[.#]((?:[\w-]|[^\x00-\x7f])+)/g)) names.add(m[1]);
      try { const inner = r.styleSheet ? r.styleSheet.cssRules : r.cssRules; if (inner && depth < 5) rulesOf(inner, depth + 1) } catch {}
    }
  };
  const like = e => {
    let path = '';
    for (let i = 0; e && i < 3; i++, e = e.parentElement) path = e.localName + (i ? '.' + [...e.classList].join('.') : '') + '>' + path;
    return path.slice(0, 300);
  };
  const place = (e, box, url, tag, loaded, dx, dy) => {
    if (!url || url.length > 2048 || !/^https?:/.test(url) || places.length >= %d) return;
    const sized = !!(e.getAttribute('height') && e.getAttribute('width') || e.style && e.style.height && e.style.width) || tag === 'background' || box.height >= 48;
    places.push({url, tag, x: box.x + dx, y: box.y + dy, width: box.width, height: box.height, loaded, sized, like: like(e)});
  };
  const look = (doc, dx, dy, depth) => {
    const win = doc.defaultView, known = new Map();
    if (!win || !doc.documentElement) return;
    for (const s of doc.styleSheets) try { rulesOf(s.cssRules, 0) } catch {}
    const met = e => {
      if (!e || e === doc.documentElement || e === doc.body) return [0, 0];
      let n = known.get(e);
      if (!n) {
        n = [...met(e.parentElement)];
        for (const name of [...e.classList, ...(e.id ? [e.id] : [])]) { n[1]++; if (names.has(name)) n[0]++ }
        known.set(e, n);
      }
      return n;
    };
    for (const e of doc.querySelectorAll('*')) {
      if (left-- < 0) return;
      const style = win.getComputedStyle(e);
      if (style.display === 'none' || style.visibility === 'hidden') continue;
      const box = e.getBoundingClientRect();
      for (const m of style.backgroundImage.matchAll(/url\("([^"]+)"\)/g)) place(e, box, m[1], 'background', true, dx, dy);
      switch (e.localName) {
      case 'img': place(e, box, e.currentSrc || e.src, 'img', e.complete && e.naturalWidth > 0, dx, dy); break;
      case 'input': if (e.type === 'image') place(e, box, e.src, 'img', true, dx, dy); break;
      case 'image': try { place(e, box, new URL(e.href.baseVal, e.baseURI).href, 'img', true, dx, dy) } catch {} break;
      case 'video': case 'audio':
        for (const s of [e, ...e.querySelectorAll('source')]) place(e, box, s.src, e.localName, !e.error && e.readyState > 0, dx, dy);
        if (e.poster) place(e, box, e.poster, 'img', true, dx, dy);
        break;
      case 'embed': place(e, box, e.src, 'embed', true, dx, dy); break;
      case 'object': place(e, box, e.data, 'embed', true, dx, dy); break;
      case 'iframe': case 'frame':
        place(e, box, e.src, 'iframe', true, dx, dy);
        try { if (depth < 3 && e.contentDocument) look(e.contentDocument, dx + box.x, dy + box.y, depth + 1) } catch {}
      }
    }
    const walk = doc.createTreeWalker(doc.body || doc.documentElement, NodeFilter.SHOW_TEXT), range = doc.createRange();
    for (let n; left-- > 0 && (n = walk.nextNode());) {
      if (!n.data.trim() || !n.parentElement) continue;
      range.selectNodeContents(n);
      const box = range.getBoundingClientRect(), area = box.width * box.height, at = Math.floor((box.y + dy) / %d);
      const style = win.getComputedStyle(n.parentElement);
      if (!(area > 0) || style.visibility === 'hidden' || at < 0 || at > 1000) continue;
      const [has, of] = met(n.parentElement);
      text += area;
      bare += area * Math.max(/^"?Times New Roman"?$/.test(style.fontFamily) ? 1 : 0, of ? 1 - has / of : 0);
      while (bands.length <= at) bands.push(0);
      bands[at] += area;
    }
  };
  look(document, scrollX, scrollY, 0);
  return JSON.stringify({width: root.scrollWidth, height: root.scrollHeight, bands, unstyled: text ? bare / text : 0, parts: places});
})()`

// Parts says where the parts of the page stand, of its frames too.
func Parts(tab context.Context) (*kavosh.Shown, error) {
	text, whole, err := read(tab, fmt.Sprintf(partsScript, maxLooked, maxPlaces, kavosh.BandHeight), MaxDOM)
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, tooLarge("what tells of its parts", len(text), MaxDOM)
	}
	s := &kavosh.Shown{}
	return s, json.Unmarshal([]byte(text), s)
}
