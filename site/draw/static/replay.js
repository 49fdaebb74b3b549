// Shows the banner of a replayed page.
(function () {
  'use strict'
  var self = document.currentScript
  var data = self && self.getAttribute('data-kavosh')
  var told = window.kavosh$parts, utc = Date.UTC // before the page's own scripts can change them
  if (self) self.remove()
  if (data && window === window.top) {
    data = JSON.parse(data)
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', banner)
    else banner()
  }

  function banner() {
    var host = document.createElement('kavosh-banner')
    host.style.cssText = 'all:initial!important;position:fixed!important;bottom:0!important;left:0!important;z-index:2147483647!important;display:block!important'
    var root = host.attachShadow({ mode: 'closed' })
    var lang = data.lang, open = false
    try {
      var kept = localStorage.getItem('kavosh-lang')
      if (data.text[kept]) lang = kept
    } catch (e) {}

    function el(name, attrs, children) {
      var e = document.createElement(name)
      for (var k in attrs || {}) if (attrs[k] !== undefined) e.setAttribute(k, attrs[k])
      ;(children || []).forEach(function (c) { if (c) e.append(c) })
      return e
    }
    // A URL as people read it, each of its parts in its place, as address and iri of the package pages write it.
    function address(url) {
      var plain = url.replace(/(%[89a-f][0-9a-f])+/gi, function (s) {
        try { return decodeURIComponent(s).replace(/[^\p{L}\p{M}\p{Nd}]/gu, encodeURIComponent) } catch (e) { return s }
      })
      return el('bdi', { dir: 'ltr' }, plain.split(/([/?&=#;])/).map(function (part, i) { return i % 2 ? part : el('bdi', {}, [part]) }))
    }
    // The parts of the page that came: how many seconds each lies from the page's time, or that it is missing.
    function seconds(s) { return utc(+s.slice(0, 4), s.slice(4, 6) - 1, +s.slice(6, 8), +s.slice(8, 10), +s.slice(10, 12), +s.slice(12, 14)) / 1000 }
    function parts() {
      var list = []
      try {
        told().forEach(function (p) {
          if (p.missing) list.push({ url: p.url, missing: true })
          else if (/^\d{14}$/.test(p.time)) list.push({ url: p.url, away: seconds(p.time) - seconds(data.time) })
        })
      } catch (e) {}
      return list
    }
    function digits(n) { return lang === 'fa' ? String(n).replace(/\d/g, function (d) { return '\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'[d] }) : String(n) }
    function away(t, n) {
      var size = Math.abs(n), unit = size < 60 ? 0 : size < 3600 ? 1 : size < 172800 ? 2 : size < 63072000 ? 3 : 4 // from two years on in years
      return (n < 0 ? t.before : t.after).replace('%s', digits(Math.round(size / [1, 60, 3600, 86400, 31556952][unit])) + '\u00a0' + t.units[unit])
    }
    // One line that sums them up, and below it those that are missing and those furthest away.
    function sum(t) {
      var all = parts(), missing = all.filter(function (p) { return p.missing })
      if (!all.length) return null
      var far = all.filter(function (p) { return Math.abs(p.away) >= 60 }).sort(function (a, b) { return a.away - b.away })
      var line = [t.parts.replace('%s', digits(all.length))]
      if (far.length && far[0].away < 0) line.push(away(t, far[0].away))
      if (far.length && far[far.length - 1].away > 0) line.push(away(t, far[far.length - 1].away))
      if (!far.length && missing.length < all.length) line.push(t.near)
      if (missing.length) line.push(t.missing.replace('%s', digits(missing.length)))
      far.sort(function (a, b) { return Math.abs(b.away) - Math.abs(a.away) })
      return el('details', {}, [el('summary', {}, [line.join(' \u00b7 ')]), el('ul', {}, missing.slice(0, 10).concat(far.slice(0, 10)).map(function (p) {
        return el('li', {}, [el('a', { href: data.calendar + lang + '/' + p.url }, [address(p.url)]), ' ' + (p.missing ? t.missing.replace(/[:\s]*%s/, '') : away(t, p.away))])
      }))])
    }
    function draw() {
      var t = data.text[lang], lacks = parts().filter(function (p) { return p.missing }).length
      var pill = el('button', { type: 'button', 'class': 'pill', 'aria-expanded': String(open), 'aria-controls': 'panel' }, [
        el('span', { 'class': 'mark', 'aria-hidden': 'true' }), el('span', {}, [t.archive + ' \u00b7 ' + t.date]),
        t.notes || lacks ? el('span', { 'class': 'dot', title: (t.notes || []).concat(lacks ? t.missing.replace('%s', digits(lacks)) : []).join(' ') }) : null])
      pill.onclick = function () { open = !open; draw(); focus('.pill') }
      var shown = [pill]
      if (open) {
        var hide = el('button', { type: 'button', 'class': 'hide', 'aria-label': t.hide, title: t.hide }, ['\u00d7'])
        hide.onclick = function () { host.remove() }
        var other = el('button', { type: 'button', 'class': 'plain', lang: lang === 'fa' ? 'en' : 'fa' }, [t['switch']])
        other.onclick = function () {
          lang = lang === 'fa' ? 'en' : 'fa'
          try { localStorage.setItem('kavosh-lang', lang) } catch (e) {}
          draw(); focus('.plain')
        }
        shown.unshift(el('div', { id: 'panel', 'class': 'panel' }, [
          hide,
          el('p', { 'class': 'what' }, [t.archived + ' \u00b7 ', el('b', {}, [t.coll])]),
          el('p', { 'class': 'when' }, [el('b', {}, [t.date]), ' ' + t.clock]),
          el('p', { 'class': 'quiet' }, [t.other]),
          el('p', { 'class': 'url' }, [address(data.url)])
        ].concat((t.notes || []).map(function (n) { return el('p', { 'class': 'note' }, [n]) })).concat([
          sum(t),
          el('p', { 'class': 'links' }, [
            data.prev ? el('a', { href: data.prev, rel: 'prev', title: t.earlier }, [(t.dir === 'rtl' ? '\u2192 ' : '\u2190 ') + t.prev]) : el('span', { 'class': 'off' }, [t.prev]),
            el('a', { href: data.calendar + lang + '/' + data.url }, [t.count]),
            data.next ? el('a', { href: data.next, rel: 'next', title: t.later }, [t.next + (t.dir === 'rtl' ? ' \u2190' : ' \u2192')]) : el('span', { 'class': 'off' }, [t.next])
          ]),
          data.changes && t.changes ? el('p', {}, [el('a', { href: data.changes + lang + '/' + data.url, rel: 'noopener', target: '_blank' }, [t.changes])]) : null,
          data.framed ? el('p', {}, [el('a', { href: data.framed + lang + '/' + data.url, rel: 'noopener', target: '_blank' }, [t.framed])]) : null,
          el('p', { 'class': 'links foot' }, [data.home !== undefined ? el('a', { href: data.home + '/?lang=' + lang }, [t.home]) : null, other])
        ])))
      }
      root.replaceChildren(el('style', {}, [css]), el('div', { 'class': 'kavosh', role: 'region', 'aria-label': t.region, lang: lang, dir: t.dir }, shown))
    }
    function focus(what) { var e = root.querySelector(what); if (e) e.focus() }
    host.addEventListener('keydown', function (e) {
      if (e.key === 'Escape' && open) { open = false; draw(); focus('.pill'); e.stopPropagation() }
    })
    draw()
    document.documentElement.appendChild(host)
    addEventListener('load', function () { if (!open) draw() })
  }

  var css = ':host{all:initial}@media print{.kavosh{display:none}}' +
    '.kavosh{font:13px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:#1c2126;margin:0 0 8px 8px;width:max-content;max-width:calc(100vw - 16px)}' +
    '.kavosh:lang(fa){font-family:Vazirmatn,"Noto Sans Arabic","Noto Sans",Tahoma,sans-serif}' +
    'button{font:inherit;color:inherit;cursor:pointer;border:0;background:none;padding:0}' +
    '.pill{display:flex;margin-right:auto;align-items:center;gap:6px;background:#fff;border:1px solid #cfcac1;border-radius:99px;padding:2px 10px;min-height:24px;line-height:18px;box-shadow:0 1px 3px rgb(0 0 0/12%)}' +
    '.mark{width:8px;height:8px;border-radius:50%;background:#0f766e}.dot{width:7px;height:7px;border-radius:50%;background:#c2570c}' +
    '.panel{position:relative;background:#fff;border:1px solid #cfcac1;border-radius:14px;padding:14px 16px;margin-bottom:6px;width:300px;max-width:calc(100vw - 16px);box-sizing:border-box;box-shadow:0 8px 30px rgb(0 0 0/18%)}' +
    'p{margin:0 0 4px}.what{padding-inline-end:24px}.what,.quiet{color:#5c656e}.when{font-size:15px}.when b{font-weight:650}b{font-weight:600}' +
    '.url{color:#5c656e;font-size:12px;overflow-wrap:anywhere;max-height:3em;overflow:auto;text-align:start}' +
    '.note{background:#fdf3e7;border-radius:6px;padding:5px 8px;margin-top:6px}' +
    'details{font-size:12px;margin-top:6px}summary{cursor:pointer}ul{margin:4px 0 0;padding:0;list-style:none;max-height:12em;overflow:auto}li{overflow-wrap:anywhere;margin-bottom:3px}' +
    '.links{display:flex;justify-content:space-between;gap:10px;margin-top:10px}.foot{border-top:1px solid #e6e2db;padding-top:8px;margin-bottom:0}' +
    'a,.plain{color:#0f766e;text-decoration:underline;text-underline-offset:3px}.off{color:#8a9198}' +
    '.hide{position:absolute;top:8px;inset-inline-end:10px;font-size:20px;line-height:24px;width:24px;height:24px;color:#5c656e}' +
    ':focus-visible{outline:3px solid #0f766e;outline-offset:2px;border-radius:6px}.pill:focus-visible{border-radius:99px}' +
    '@media (prefers-color-scheme:dark){.kavosh{color:#e8e6e1}.pill,.panel{background:#1b2024;border-color:#3a4249}.what,.quiet,.url,.hide{color:#a0a8ae}' +
    'a,.plain{color:#5fc4b4}.note{background:#33291c}.foot{border-color:#2d343a}.off{color:#79828a}.mark{background:#5fc4b4}}'
})()
