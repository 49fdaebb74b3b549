// Runs first in every replayed page. It keeps what the page's scripts ask for inside the archive and in its time, as far
// as the Content-Security-Policy cannot, and leaves no trace in the page's own tree.
// source is all of this as text, for windows that it makes: there it runs with objects that no page has changed. A window that is
// made so is given where its maker is.
function begin(source, given) {
  if (given) return install(window, given, source)
  var self = document.currentScript, maker, cookies = self && self.dataset.cookies, at = self && self.dataset.at
  if (self) {
    if (self.dataset.home) Object.defineProperty(window, 'kavosh$home', { value: self.dataset.home + '/' })
    self.remove()
  }
  try { // a frame or window without an address of its own is where its maker is
    maker = (window.parent !== window ? window.parent : window.opener || window).kavosh$place
  } catch (e) {}
  if (!maker && at) maker = { root: new URL(self.src).origin, url: at }
  // A frame's first page may come into the very window that was empty before, and was given this script then.
  if (window.kavosh$renew) window.kavosh$renew()
  else install(window, maker, Function.prototype.toString.call(source))
  if (cookies && window.kavosh$keep) JSON.parse(cookies).forEach(window.kavosh$keep)
}

// What a window may do that no policy forbids, before anything else and by nothing that a page can have changed.
function lock(win) {
  delete win.RTCPeerConnection
  delete win.webkitRTCPeerConnection
  delete win.WebTransport
  delete win.WebSocketStream
  delete win.cookieStore
  define(win.Document.prototype, 'cookie', { __proto__: null, configurable: true, enumerable: true, get: function () { return '' }, set: function () {} })
}

// admit gives the page script to a window that has none.
function admit(win, maker, source) {
  try {
    if (!win || win.kavosh$self) return
    void win.location.href
  } catch (e) { return }
  lock(win)
  try { new win.Function('maker', 'return (' + source + ')(maker)')(maker) } catch (e) { install(win, maker, source) } // where no script may run
}

function install(win, parent, source) {
  var real
  try {
    if (win.kavosh$self) return
    real = win.location
  } catch (e) { return }
  var framed = win !== win.top, links = framed ? 'if_' : ''
  var baseURI = Object.getOwnPropertyDescriptor(win.Node.prototype, 'baseURI').get
  function inherited() { return parent && !/^https?:/.test(real.protocol) } // about:blank, srcdoc, blob: they are where their maker is
  var me = {
    root: parent ? parent.root : real.origin === 'null' ? real.protocol + '//' + real.host : real.origin,
    get url() { return inherited() ? parent.url : real.href },
    get base() { var u = baseURI.call(win.document); return /^http/.test(u) ? u : me.url }
  }
  var here = core(win, me)
  if (!here) return
  var lead = here.lead, unlead = here.unlead, hide = here.hide, change = here.change, getter = here.getter, code = here.code
  hide(win, 'kavosh$place', { value: me })

  // Where the page is.
  function href() { return /^blob:/.test(real.href) ? unlead(me.url) : unlead(real.href) }
  function url() { return new win.URL(href()) }
  function archived() { return new win.URL(unlead(me.url)) }
  function origin() { return archived().origin }
  // Code in an address may begin in a window just made, and what it answers may become a page: there, too, the page script comes first.
  var begins = 'javascript:self.kavosh$self||(self!==parent?parent:opener).kavosh$install(self);kavosh$answer('
  hide(win, 'kavosh$answer', { configurable: false, value: function (text) {
    var answer = win.eval(code(text))
    return typeof answer === 'string' ? here.document() + markup(answer) : undefined
  } })
  function to(ref) {
    var text = String(ref), js = /^\s*javascript:([^]*)/i.exec(text)
    if (/^\s*about:blank\s*([?#]|$)/i.test(text)) return emptied
    if (!js) return lead(text, links)
    if (text.slice(0, begins.length) === begins || /^\s*(void\b[\s(]*0?\s*\)?)?\s*;?\s*$/.test(js[1])) return text
    try { js = decodeURIComponent(js[1]) } catch (e) { js = unescape(js[1]) }
    return begins + encodeURIComponent(JSON.stringify(js)) + ')'
  }
  // A window that a browser empties is another, without the page script, at a time of which none hears: its page is emptied instead.
  var emptied = begins + encodeURIComponent(JSON.stringify('void (document.open(), document.close())')) + ')'
  function asGiven(text) { // an address as the page knows it
    return text === emptied ? 'about:blank' : typeof text === 'string' && text.slice(0, begins.length) === begins ? 'javascript:' + JSON.parse(decodeURIComponent(text.slice(begins.length, -1))) : unlead(text)
  }
  var place = Object.create(win.Location.prototype)
  function part(name) {
    hide(place, name, { enumerable: true, get: function () { return name === 'origin' ? origin() : url()[name] }, set: name === 'origin' ? undefined : function (v) {
      if (name === 'href') return void (real.href = to(v))
      if (name === 'hash') return void (real.hash = v)
      var u = url()
      u[name] = v
      real.href = to(u.href)
    } })
  }
  ;['href', 'origin', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'].forEach(part)
  ;['assign', 'replace'].forEach(function (how) { hide(place, how, { value: function (ref) { real[how](to(ref)) } }) })
  hide(place, 'reload', { value: function () { real.reload() } })
  hide(place, 'toString', { value: href })
  hide(place, 'valueOf', { value: function () { return place } })
  hide(place, 'ancestorOrigins', { get: function () { return [] } })
  function located(object, fixed) {
    hide(object, 'kavosh$location', { get: function () { return place }, set: function (v) { place.href = v }, configurable: !fixed })
  }
  located(win, true)
  located(win.Document.prototype)
  var outer = Object.getOwnPropertyDescriptor(win, 'parent').get
  function above() { // the window around this one, when it is a replayed page too
    var p = outer.call(win)
    try { return p.kavosh$self ? p : win } catch (e) { return opaque ? reach(p) : win }
  }
  // A window that may not be looked into, of a sandboxed frame or around one: what scripts may do with it, through one that stands for it.
  var opaque = win.origin === 'null', standIns = new WeakMap()
  function reach(w) {
    try { if (w) void w.kavosh$self; return w } catch (e) {}
    if (!standIns.has(w)) {
      var s = { parent: null, postMessage: function (message, origin, transfer) { w.postMessage(message, '*', origin && origin.transfer || transfer) }, get closed() { return w.closed }, focus: function () { w.focus() }, close: function () { w.close() } }
      s.parent = s.window = s.self = s
      hide(s, 'kavosh$location', { get: function () { return { set href(v) { w.location.href = to(v) }, replace: function (v) { w.location.replace(to(v)) } } }, set: function (v) { w.location = to(v) } })
      standIns.set(w, s)
    }
    return standIns.get(w)
  }
  hide(win, 'parent', { get: above, set: function (v) { hide(win, 'parent', { value: v, writable: true }) }, enumerable: true })
  hide(win, 'kavosh$top', { configurable: false, get: function () { for (var w = win; w.parent !== w;) w = w.parent; return w }, set: function () {} })
  hide(win, 'kavosh$install', { value: function (other) { admit(other, me, source) } })

  hide(win, 'origin', { enumerable: true, get: origin, set: function (v) { hide(win, 'origin', { value: v, writable: true, enumerable: true }) } })

  // Messages. The sender is known by the window that really sends.
  var post = win.postMessage // called by a function of that window, for this one may be of the window that made it
  var sending = new win.Function('post', 'target', 'message', 'transfer', 'post.call(target, message, "*", transfer)')
  hide(win, 'kavosh$send', { value: function (target, args) {
    var message = args[0], origin = args[1], transfer = args[2]
    if (origin && typeof origin === 'object') { transfer = origin.transfer; origin = origin.targetOrigin }
    var wanted = origin === undefined || origin === '/' || origin === '*' ? '*' : origin
    try { if (wanted !== '*' && new win.URL(wanted).origin !== target.kavosh$location.origin) return } catch (e) { return }
    sending(post, target, message, transfer || [])
  } })
  hide(win, 'kavosh$from', { configurable: false, value: function (sender) {
    return { postMessage: function () { sender.kavosh$send ? sender.kavosh$send(win, arguments) : post.call(win, arguments[0], '*') } }
  } })
  change(win, 'postMessage', function () { return function () { win.kavosh$send(win, arguments) } })
  getter(win.MessageEvent.prototype, 'source', reach)
  getter(win.MessageEvent.prototype, 'origin', function (value, event) {
    try { var there = event.source && event.source.kavosh$location; if (there && there.origin) return there.origin } catch (e) {}
    return value === here.root ? origin() : value
  })

  // What the document says of itself.
  getter(win.Document.prototype, 'URL', function (v) { return unlead(v) })
  getter(win.Document.prototype, 'documentURI', function (v) { return unlead(v) })
  getter(win.Node.prototype, 'baseURI', function (v) { return unlead(v) })
  getter(win.Document.prototype, 'lastModified', function (v) { // without a header it is the time of loading
    return new Date(v) < here.now() ? v : new Date(here.now()).toLocaleString('en-US', { hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' }).replace(',', '')
  })
  getter(win.Document.prototype, 'referrer', function (v) { return here.split(v) ? unlead(v) : '' })
  var domain
  hide(win.Document.prototype, 'domain', { enumerable: true, get: function () { return domain || archived().hostname }, set: function (v) { domain = String(v) } })
  cookies()

  // Addresses and history.
  ;['pushState', 'replaceState'].forEach(function (name) {
    change(win.History.prototype, name, function (original) {
      return function (state, title, ref) {
        if (ref !== undefined && ref !== null && ref !== '') {
          var next = new win.URL(String(ref), unlead(me.base))
          if (next.origin !== origin()) throw new win.DOMException('a history entry of another origin', 'SecurityError')
          ref = lead(next.href, links)
        }
        return original.call(this, state, title, ref)
      }
    })
  })
  change(win, 'open', function (open) {
    return function (ref) {
      var args = [].slice.call(arguments)
      if (ref !== undefined) args[0] = ref = String(ref) // what it is read as once, it stays
      if (ref) args[0] = /^\s*javascript:/i.test(ref) ? to(ref) : lead(ref, '')
      var w = open.apply(win, args)
      admit(w, me, source)
      return w
    }
  })
  if (win.navigation && win.navigation.addEventListener) {
    win.navigation.addEventListener('navigate', function (e) { // what began in another way
      var there = e.destination.url
      if (!e.cancelable || !/^(https?:|about:blank\b)/.test(there) || e.formData) return
      var led = to(there)
      if (led === there) return
      e.preventDefault()
      real.href = led
    })
  }
  change(win.Navigation && win.Navigation.prototype, 'navigate', function (navigate) { return function (ref, how) { return navigate.call(this, to(ref), how) } })
  function follow(e) {
    (e.composedPath ? e.composedPath() : []).forEach(function (a) { if (a.localName === 'a' || a.localName === 'area') settle(a) })
  }
  function listen() { // again after document.open, which takes all listeners away
    win.addEventListener('click', follow, true)
    win.addEventListener('auxclick', follow, true)
    win.addEventListener('storage', others, true)
    ;['load', 'error', 'focus', 'blur', 'message', 'pageshow', 'pagehide'].forEach(function (name) {
      win.addEventListener(name, sweep, true)
      win.document.addEventListener(name, sweep, true)
    })
  }
  listen()

  // Attributes and what they are used for.
  var uses = {
    a: { href: 'link', 'xlink:href': 'link', ping: 'drop' }, q: { cite: 'link' }, blockquote: { cite: 'link' }, ins: { cite: 'link' }, del: { cite: 'link' }, area: { href: 'link', ping: 'drop' }, base: { href: 'link' }, form: { action: 'link' }, button: { formaction: 'link' },
    link: { href: 'rel', imagesrcset: 'srcset' }, img: { src: 'im_', srcset: 'srcset', lowsrc: 'im_' }, input: { src: 'im_', formaction: 'link' },
    script: { src: 'js_', href: 'js_', 'xlink:href': 'js_' }, iframe: { src: 'if_', srcdoc: 'document', csp: 'drop' }, frame: { src: 'if_' },
    video: { src: 'oe_', poster: 'im_' }, audio: { src: 'oe_' }, source: { src: 'oe_', srcset: 'srcset' }, track: { src: 'oe_' }, embed: { src: 'oe_' },
    object: { data: 'oe_' }, image: { href: 'im_', 'xlink:href': 'im_' }, use: { href: 'im_', 'xlink:href': 'im_' }, feImage: { href: 'im_', 'xlink:href': 'im_' },
    body: { background: 'im_' }, table: { background: 'im_' }, td: { background: 'im_' }, th: { background: 'im_' }, meta: { content: 'refresh' }
  }
  var everywhere = { style: 'style', integrity: 'drop', referrerpolicy: 'drop', attributionsrc: 'drop', fill: 'style', filter: 'style', mask: 'style', 'clip-path': 'style' }
  var own = Object.prototype.hasOwnProperty
  function useOf(el, name) {
    var tag = el.localName
    if (own.call(uses, tag) && own.call(uses[tag], name)) return uses[tag][name]
    if (own.call(everywhere, name)) return everywhere[name]
    return name.length > 4 && name[0] === 'o' && name[1] === 'n' ? 'code' : ''
  }
  var get = win.Element.prototype.getAttribute, set = win.Element.prototype.setAttribute, remove = win.Element.prototype.removeAttribute, has = win.Element.prototype.hasAttribute
  // What an attribute must say for that value; null to go without.
  function led(el, name, value) {
    var use = useOf(el, name)
    if (!use) return value
    var text = String(value)
    switch (use) {
      case 'drop': return null
      case 'link': return to(text)
      case 'srcset': return srcset(text)
      case 'style': return css(text)
      case 'code': return code(text)
      case 'document': return here.document() + markup(text)
      case 'refresh': return refresh(el, text)
      case 'rel': return lead(text, relation(el))
    }
    if (use === 'if_' && (/^\s*javascript:/i.test(text) || /^\s*about:blank/i.test(text) && filled(el))) return to(text)
    if (/^(object|embed)$/.test(el.localName) && /^\s*(about|javascript):/i.test(text)) return null
    // What opens a page of data opens one of a blob: the policy lets no page in that has no page script.
    var data = (use === 'if_' || /^(object|embed)$/.test(el.localName)) && here.blobOf(text)
    return data ? win.URL.createObjectURL(data) : lead(text, use)
  }
  var frameWindow = Object.getOwnPropertyDescriptor(win.HTMLIFrameElement.prototype, 'contentWindow').get
  function windowOf(frame) { return frame.localName === 'iframe' ? frameWindow.call(frame) : frame.contentWindow }
  function filled(frame) { // shows something, or will
    var w = frame.isConnected && windowOf(frame)
    try { return w && (w.location.href !== 'about:blank' || has.call(frame, 'src') && !/^about:/i.test(get.call(frame, 'src'))) } catch (e) { return true }
  }
  function relation(el) {
    var rel = (get.call(el, 'rel') || '').toLowerCase()
    if (/stylesheet/.test(rel)) return 'cs_'
    if (/icon/.test(rel)) return 'im_'
    if (/modulepreload/.test(rel)) return 'js_'
    if (/preload|prefetch/.test(rel)) return { style: 'cs_', script: 'js_', worker: 'js_', image: 'im_', document: links }[(get.call(el, 'as') || '').toLowerCase()] || 'oe_'
    return /manifest/.test(rel) ? 'oe_' : links
  }
  function refresh(el, text) {
    if (!/^refresh$/i.test(get.call(el, 'http-equiv') || '')) return text
    return text.replace(/^(\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?["']?)([^"']+)/i, function (all, head, ref) { return ref.trim() && !/^[\d.;,\s]*$/.test(ref) ? head + lead(ref, links) : all })
  }
  function srcset(text) {
    return text.replace(/([\s,]*)(\S*[^\s,])((?:\s+[^\s,(]*(?:\([^)]*\))?[^\s,]*)*\s*,?)/g, function (all, before, ref, after) { return before + lead(ref, 'im_') + after })
  }
  function css(text) {
    if (!/url|@import|image-set/i.test(text)) return text
    return text.replace(/\bimage-set\((?:[^()"']|"[^"\n]*"|'[^'\n]*'|\([^()]*\))*/gi, function (set) {
      return set.replace(/(\(\s*|,\s*)(["'])([^"'\n]*)\2/g, function (all, head, q, ref) { return head + q + lead(ref, 'im_') + q })
    }).replace(/(@import\s+)(["'])([^"'\n]*)\2/gi, function (all, head, q, ref) { return head + q + lead(ref, 'cs_') + q })
      .replace(/(@import\s+)?(url\(\s*)(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'()]*))(\s*\))/gi, function (all, at, head, a, b, c, tail) {
        var ref = a !== undefined ? a : b !== undefined ? b : c
        if (ref.indexOf('\\') >= 0) ref = ref.replace(/\\([0-9a-f]{1,6})\s?|\\([^])/gi, function (e, hex, plain) { return hex ? String.fromCodePoint(parseInt(hex, 16) % 0x110000) : plain })
        var there = lead(ref, at ? 'cs_' : 'im_')
        return there === ref ? all : (at || '') + head + '"' + String(there).replace(/["\\\n]/g, encodeURIComponent) + '"' + tail
      })
  }
  here.markup = markup
  var speculation = /^speculationrules$/i // of pages that a browser may ask for before anybody does: no policy forbids it

  // Markup that a script puts into the page or writes.
  var entity = win.document.createElementNS('http://www.w3.org/1999/xhtml', 'textarea'), inner = Object.getOwnPropertyDescriptor(win.Element.prototype, 'innerHTML')
  function decode(text) {
    if (text.indexOf('&') < 0) return text
    inner.set.call(entity, text.replace(/</g, '&lt;'))
    return entity.value
  }
  function markup(text) {
    text = String(text)
    if (text.indexOf('<') < 0) return text
    return text.replace(/<!--[^]*?(?:-->|$)|<(script|style)\b((?:[^>"']|"[^"]*"|'[^']*')*)>([^]*?)(<\/\1\s*>|$)|<([a-z][^\s\/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi,
      function (all, raw, rawAttributes, content, end, name, attributes) {
        if (raw) {
          raw = raw.toLowerCase()
          var type = /\btype\s*=\s*["']?([^\s"'>]*)/i.exec(rawAttributes)
          if (type && speculation.test(type[1])) return ''
          var isCode = raw === 'script' && (!type || /^$|module|javascript|ecmascript/i.test(type[1]))
          return '<' + raw + tag(raw, rawAttributes) + '>' + (raw === 'style' ? css(content) : isCode ? code(content) : content) + end
        }
        return name ? '<' + name + tag(name.toLowerCase(), attributes) + '>' : all
      })
  }
  function tag(name, attributes) {
    var el = null
    return attributes.replace(/([^\s=\/"'>]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g, function (all, key, is, value) {
      var low = key.toLowerCase()
      if (!useOf({ localName: name }, low)) return all
      if (!el) el = pretend(name, attributes)
      var plain = decode(value.replace(/^(["'])([^]*)\1$/, '$2')), there = led(el, low, plain)
      return there === null ? '' : there === plain ? all : key + is + '"' + here.encode(String(there)) + '"'
    })
  }
  function pretend(name, attributes) { // enough of an element for the rules that look at other attributes
    var el = win.document.createElement(/^(link|meta)$/.test(name) ? name : 'span')
    attributes.replace(/\b(rel|as|http-equiv)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi, function (all, key, a, b, c) { set.call(el, key, a || b || c || '') })
    return el.localName === name ? el : { localName: name }
  }
  // The markup of a page as its scripts know it.
  var way = new RegExp('(?:' + escape(here.root) + ')?' + escape(here.path) + '(?:[a-z]{2}_)?/(?=[a-z]+://)', 'g')
  function plain(text) { return typeof text === 'string' && text.indexOf(here.path) >= 0 ? text.replace(way, '') : text }
  function escape(text) { return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') }
  var attrValue = Object.getOwnPropertyDescriptor(win.Attr.prototype, 'value')
  var content = Object.getOwnPropertyDescriptor(win.Node.prototype, 'textContent')
  // put, where there is one, does what the browser does.
  function setter(object, name, edit, read, put) {
    var d = object && Object.getOwnPropertyDescriptor(object, name)
    if (!d || !d.set) return
    hide(object, name, { enumerable: d.enumerable, get: read ? function () { return read(d.get.call(this), this) } : d.get, set: function (v) {
      var led = edit(v, this)
      if (!put || !put(this, led, d.set)) d.set.call(this, led)
      if (this.isConnected) frames(this)
    } })
  }
  // Elements of the page's own kinds that stand beside frames are made before these have windows.
  function made(el, text, put) {
    if (!el.isConnected || !/<(iframe|frame|object|embed)\b/i.test(text) || !/<[a-z][^\s>\/]*-|\sis\b/i.test(text)) return false
    var holder = win.document.createElement(el.nodeType === 1 && el.localName.indexOf('-') < 0 ? el.localName : 'div')
    put.call(holder, text)
    win.customElements.upgrade(holder)
    el.replaceChildren.apply(el, [].slice.call(holder.childNodes))
    return true
  }
  function textOf(el, text) { return el.localName === 'script' ? code(String(text)) : el.localName === 'style' ? css(String(text)) : markup(text) }
  ;[win.Element.prototype, win.ShadowRoot && win.ShadowRoot.prototype].forEach(function (object) {
    setter(object, 'innerHTML', function (v, el) { return v === null ? v : textOf(el, v) }, plain, made)
    setter(object, 'outerHTML', function (v) { return v === null ? v : markup(v) }, plain)
  })
  change(win.Element.prototype, 'setHTMLUnsafe', function (put) { return function (text, how) { put.call(this, textOf(this, text), how); if (this.isConnected) frames(this) } })
  change(win.Element.prototype, 'getHTML', function (tell) { return function (how) { return plain(tell.call(this, how)) } })
  change(win.XMLSerializer.prototype, 'serializeToString', function (tell) { return function (node) { return plain(tell.call(this, node)) } })
  ;['textContent', 'nodeValue'].forEach(function (name) {
    setter(win.Node.prototype, name, function (v, node) {
      if (v === null || node.nodeType === 9) return v
      if (node.nodeType === 2) return valueOf(node, v)
      return inText(node.nodeType === 3 ? node.parentNode : node, v)
    }, function (v, node) { return node.nodeType === 2 ? read(v, node.ownerElement, node.name) : node.localName === 'style' ? plain(v) : v })
  })
  setter(win.CharacterData.prototype, 'data', function (v, node) { return inText(node.parentNode, v) })
  ;['appendData', 'insertData', 'replaceData'].forEach(function (name) {
    change(win.CharacterData.prototype, name, function (original) { return function () {
      original.apply(this, arguments)
      if (this.parentNode && this.parentNode.localName === 'style') rewrite(this.parentNode, css)
    } })
  })
  function inText(el, v) { return el && (el.localName === 'script' || el.localName === 'style') ? textOf(el, v) : v }
  setter(win.Attr.prototype, 'value', function (v, attr) { return valueOf(attr, v) }, function (v, attr) { return read(v, attr.ownerElement, attr.name) })
  function valueOf(attr, v) { var there = attr.ownerElement ? led(attr.ownerElement, attr.name.toLowerCase(), v) : v; return there === null ? '' : there }
  ;['setAttributeNode', 'setAttributeNodeNS'].forEach(function (name) { attaching(win.Element.prototype, name, function (el) { return el }) })
  ;['setNamedItem', 'setNamedItemNS'].forEach(function (name) { attaching(win.NamedNodeMap.prototype, name, function (map) { return owners.get(map) }) })
  var owners = new WeakMap()
  getter(win.Element.prototype, 'attributes', function (map, el) { owners.set(map, el); return map })
  function attaching(object, name, ownerOf) {
    change(object, name, function (attach) {
      return function (attr) {
        var el = ownerOf(this), there = el && attr && !attr.ownerElement ? led(el, attr.name.toLowerCase(), attr.value) : undefined
        if (typeof there === 'string') attrValue.set.call(attr, there)
        return attach.call(this, attr)
      }
    })
  }
  setter(win.HTMLScriptElement.prototype, 'text', function (v) { return code(String(v)) })
  setter(win.HTMLElement.prototype, 'innerText', function (v, el) { return inText(el, v) }, function (v, el) { return el.localName === 'style' ? plain(v) : v })
  change(win.Element.prototype, 'insertAdjacentHTML', function (insert) {
    return function (where, text) {
      insert.call(this, where, markup(text))
      frames(this.parentNode || this)
    }
  })
  change(win.Range.prototype, 'createContextualFragment', function (create) { return function (text) { return create.call(this, markup(text)) } })
  ;['write', 'writeln'].forEach(function (name) {
    change(win.Document.prototype, name, function (write) {
      return function () {
        var doc = this
        // After each frame its window is given the script, before anything behind it runs.
        markup([].join.call(arguments, '') + (name === 'writeln' ? '\n' : '')).split(/(<i?frame\b(?:[^>"']|"[^"]*"|'[^']*')*>)/i).forEach(function (piece) {
          if (piece === '') return
          write.call(doc, piece)
          if (doc === win.document) sweep()
          else admit(doc.defaultView, me, source)
        })
        if (doc === win.document) listen()
      }
    })
  })
  change(win.Document.prototype, 'open', function (open) {
    return function () {
      if (arguments.length > 2) return win.open.apply(win, arguments)
      var result = open.apply(this, arguments)
      if (this === win.document) listen()
      return result
    }
  })

  // Properties and attributes of elements.
  ;['a:HTMLAnchorElement:href', 'area:HTMLAreaElement:href', 'base:HTMLBaseElement:href', 'form:HTMLFormElement:action', 'button:HTMLButtonElement:formAction', 'input:HTMLInputElement:formAction',
    'input:HTMLInputElement:src', 'link:HTMLLinkElement:href', 'link:HTMLLinkElement:imageSrcset', 'img:HTMLImageElement:src', 'img:HTMLImageElement:srcset', 'img:HTMLImageElement:lowsrc', 'script:HTMLScriptElement:src',
    'script:HTMLScriptElement:integrity', 'link:HTMLLinkElement:integrity', 'a:HTMLAnchorElement:ping', 'iframe:HTMLIFrameElement:src', 'iframe:HTMLIFrameElement:srcdoc', 'frame:HTMLFrameElement:src',
    'q:HTMLQuoteElement:cite', 'ins:HTMLModElement:cite', 'video:HTMLMediaElement:src', 'video:HTMLVideoElement:poster', 'source:HTMLSourceElement:src', 'source:HTMLSourceElement:srcset', 'track:HTMLTrackElement:src', 'embed:HTMLEmbedElement:src', 'object:HTMLObjectElement:data', 'meta:HTMLMetaElement:content'
  ].forEach(function (line) {
    var at = line.split(':'), type = win[at[1]], name = at[2].toLowerCase()
    setter(type && type.prototype, at[2], function (v, el) { var there = led(el, name, v); return there === null ? '' : there }, function (v) { return at[2] === 'content' || at[2] === 'srcdoc' ? v : at[2].slice(-6) === 'srcset' || at[2] === 'imageSrcset' ? plain(v) : asGiven(v) })
  })
  setter(win.SVGAnimatedString.prototype, 'baseVal', function (v) { return /^(https?:)?\/\//i.test(v) ? lead(v, 'im_') : v }, unlead)
  getter(win.SVGAnimatedString.prototype, 'animVal', unlead)
  getter(win.HTMLImageElement.prototype, 'currentSrc', unlead)
  getter(win.HTMLMediaElement.prototype, 'currentSrc', unlead)
  getter(win.StyleSheet.prototype, 'href', unlead)
  ;[win.HTMLAnchorElement, win.HTMLAreaElement].forEach(function (type) {
    ;['protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'].forEach(function (name) {
      var d = Object.getOwnPropertyDescriptor(type.prototype, name)
      hide(type.prototype, name, { enumerable: true, get: function () {
        try { return new win.URL(this.href)[name] } catch (e) { return d.get.call(this) }
      }, set: d.set && function (v) {
        try { var u = new win.URL(this.href); u[name] = v; this.href = u.href } catch (e) {}
      } })
    })
    hide(type.prototype, 'toString', { writable: true, value: function () { return this.href } })
  })
  change(win.Element.prototype, 'setAttribute', function () {
    return function (name, value) {
      name = String(name)
      var there = led(this, name.toLowerCase(), value)
      if (there !== null) set.call(this, name, there)
    }
  })
  change(win.Element.prototype, 'setAttributeNS', function (original) {
    return function (space, name, value) {
      name = String(name)
      var there = led(this, name.toLowerCase(), value)
      if (there !== null) original.call(this, space, name, there)
    }
  })
  function read(value, el, name) {
    if (typeof value !== 'string' || !el || value.indexOf(here.path) < 0 && value.indexOf(begins) !== 0) return value
    var use = useOf(el, name)
    return !use || use === 'code' ? value : /^(srcset|style|document|refresh)$/.test(use) ? plain(value) : asGiven(value)
  }
  change(win.Element.prototype, 'getAttribute', function () { return function (name) { return read(get.call(this, name), this, String(name).toLowerCase()) } })
  change(win.Element.prototype, 'getAttributeNS', function (original) { return function (space, name) { return read(original.call(this, space, name), this, String(name).toLowerCase()) } })
  here.construct('Audio', function (args) { if (args.length) args[0] = lead(args[0], 'oe_') })

  // Style sheets as objects.
  change(win.CSSStyleSheet.prototype, 'insertRule', function (insert) { return function (rule, at) { return insert.call(this, css(String(rule)), at) } })
  change(win.CSSStyleSheet.prototype, 'addRule', function (add) { return function (selector, style, at) { return at === undefined ? add.call(this, selector, css(String(style))) : add.call(this, selector, css(String(style)), at) } })
  ;['replace', 'replaceSync'].forEach(function (name) { change(win.CSSStyleSheet.prototype, name, function (original) { return function (text) { return original.call(this, css(String(text))) } }) })
  change(win.CSSStyleDeclaration.prototype, 'setProperty', function (original) { return function (name, value, priority) { return original.call(this, name, typeof value === 'string' ? css(value) : value, priority === undefined ? '' : priority) } })
  change(win.CSSStyleDeclaration.prototype, 'getPropertyValue', function (original) { return function (name) { return plain(original.call(this, name)) } })
  getter(win.CSSRule.prototype, 'cssText', plain)
  getter(win.CSSImportRule && win.CSSImportRule.prototype, 'href', unlead)
  ;['cssText', 'background', 'backgroundImage', 'borderImage', 'borderImageSource', 'content', 'cursor', 'filter', 'backdropFilter', 'listStyle', 'listStyleImage', 'mask', 'maskImage', 'webkitMaskImage', 'webkitBoxReflect', 'clipPath', 'shapeOutside', 'offsetPath', 'fill', 'stroke', 'src'].forEach(function (name) {
    [name, name.replace(/^webkit|[A-Z]/g, function (c) { return '-' + c.toLowerCase() })].forEach(function (name) { // background-image, too
      setter(win.CSSStyleDeclaration.prototype, name, function (v) { return typeof v === 'string' ? css(v) : v }, plain)
    })
  })
  here.construct('MessageChannel', function () {}, function (c) { c.port1.addEventListener('message', sweep); c.port2.addEventListener('message', sweep) })
  ;['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback'].forEach(function (name) {
    change(win, name, function (original) {
      return function (what) {
        var args = [].slice.call(arguments)
        if (typeof what === 'function') args[0] = function () { sweep(); return what.apply(this, arguments) }
        return original.apply(win, args)
      }
    })
  })
  // What a custom element does when it comes into a page, it may do while something else still puts a frame beside it there.
  change(win.CustomElementRegistry && win.CustomElementRegistry.prototype, 'define', function (original) {
    return function (name, type, how) {
      var p = type && type.prototype, undo = []
      if (p) ['connectedCallback', 'disconnectedCallback', 'adoptedCallback', 'connectedMoveCallback', 'attributeChangedCallback', 'formAssociatedCallback', 'formDisabledCallback', 'formResetCallback', 'formStateRestoreCallback'].forEach(function (callback) {
        var f = p[callback], was = Object.getOwnPropertyDescriptor(p, callback)
        if (typeof f !== 'function') return
        hide(p, callback, { writable: true, value: function () { sweep(); return f.apply(this, arguments) } })
        undo.push(function () { delete p[callback]; if (was) hide(p, callback, was) })
      })
      try { return original.call(this, name, type, how) } finally { undo.forEach(function (back) { back() }) }
    }
  })
  here.construct('FontFace', function (args) { if (typeof args[1] === 'string') args[1] = css(args[1]) })

  // What is put into the page: once more before it begins to load, and once when something else put it there.
  var listed = '[href],[src],[srcset],[style],[action],[formaction],[data],[poster],[background],[ping],[integrity],meta[http-equiv],iframe,script,style'
  function settle(el) {
    var names = el.getAttributeNames()
    for (var i = 0; i < names.length; i++) {
      var low = names[i].toLowerCase()
      if (!useOf(el, low) || low === 'srcdoc') continue
      var value = get.call(el, names[i]), there = led(el, low, value)
      if (there === null) remove.call(el, names[i])
      else if (there !== value) set.call(el, names[i], there)
    }
  }
  // fresh tells that scripts in the tree have not run.
  function enter(node, fresh) {
    if (node.nodeType === 3) return
    if (node.nodeType !== 1 && node.nodeType !== 11) return
    var tag = node.localName
    var framed = fresh && (tag === 'iframe' || tag === 'frame' || node.firstElementChild && node.querySelector('iframe,frame'))
    if (framed && win.customElements) win.customElements.upgrade(node) // what they do when they are made, they do before there is a frame
    if (node.nodeType === 1) each(node)
    if (node.firstElementChild) node.querySelectorAll(listed).forEach(each)
    function each(el) {
      settle(el)
      if (el.localName === 'script' && speculation.test((get.call(el, 'type') || '').trim())) content.set.call(el, '')
      else if (el.localName === 'script' && fresh && !has.call(el, 'src') && /^$|module|javascript|ecmascript/i.test(get.call(el, 'type') || '')) rewrite(el, framed ? beside : code)
      else if (el.localName === 'style') rewrite(el, css)
    }
  }
  function beside(text) { return code(text).replace(/^(\s*(?:"use strict"|'use strict')\s*;?)?/, '$1;kavosh$sweep();') } // a script that runs as soon as a frame is there
  function rewrite(el, how) {
    var text = el.firstChild && content.get.call(el), there = text && how(text)
    if (there && there !== text) content.set.call(el, there)
  }
  // sweep gives the page script to all frames that a script of this window could find.
  function sweep() { for (var i = 0, w; (w = win[i]); i++) admit(w, me, source) }
  hide(win, 'kavosh$sweep', { value: sweep, configurable: false })
  function frames(node) {
    sweep()
    if (!node || !node.querySelectorAll) return
    each(node)
    if (node.firstElementChild) node.querySelectorAll('iframe,frame,object,embed').forEach(each)
    function each(el) {
      if (/^i?frame$/.test(el.localName)) guard(el)
      else if (/^(object|embed)$/.test(el.localName)) show(el)
    }
  }
  // What objects and embedded things show stands in frames like all others: the policy lets them load nothing themselves, for the windows
  // that they would have come when the page is laid out, which no script hears of.
  var shown = new WeakMap()
  function show(el) {
    var object = el.localName === 'object', f = shown.get(el), ref = get.call(el, object ? 'data' : 'src'), type = (get.call(el, 'type') || '').toLowerCase()
    if (!ref || ref[0] === '#' || !el.isConnected || /flash|java|silverlight|^(audio|video)\//.test(type)) {
      if (f && f.parentNode) f.parentNode.removeChild(f)
      shown.delete(el)
      return
    }
    var picture = /^image\/(?!svg)/.test(type) || /\.(png|jpe?g|gif|webp|avif|ico|bmp)$/i.test(ref.replace(/[?#][^]*/, ''))
    if (!f) {
      f = win.document.createElement(picture ? 'img' : 'iframe')
      shown.set(el, f)
      f.style.cssText = object ? 'border:0;width:100%;height:100%;position:absolute;inset:0' : 'border:0'
      if (object) {
        var seen = win.getComputedStyle(el)
        if (seen.display === 'inline') el.style.display = 'inline-block'
        if (seen.position === 'static') el.style.position = 'relative'
        if (!el.offsetWidth) el.style.width = '300px'
        if (!el.offsetHeight) el.style.height = '150px'
      } else {
        ;['width', 'height', 'class'].forEach(function (name) { if (has.call(el, name)) set.call(f, name, get.call(el, name)) })
        f.style.cssText += get.call(el, 'style') || ''
        el.style.display = 'none'
      }
    }
    if (!f.parentNode) insertBefore.call(object ? el : el.parentNode, f, object ? el.firstChild : el.nextSibling)
    var there = picture ? ref : lead(unlead(ref), 'if_')
    if (get.call(f, 'src') !== there) set.call(f, 'src', there)
    if (!picture) guard(f)
  }
  var insertBefore = win.Node.prototype.insertBefore
  ;[win.HTMLObjectElement, win.HTMLEmbedElement].forEach(function (type) {
    function inside(el) { var f = shown.get(el); return f && f.localName === 'iframe' ? f : null }
    getter(type.prototype, 'contentWindow', function (v, el) { var f = inside(el); return f && f.contentWindow })
    getter(type.prototype, 'contentDocument', function (v, el) { var f = inside(el); return f && f.contentDocument })
    change(type.prototype, 'getSVGDocument', function () { return function () { var f = inside(this); return f && f.contentDocument } })
  })
  function guard(frame) {
    var w = windowOf(frame)
    admit(w, me, source)
  }
  ;['contentWindow', 'contentDocument'].forEach(function (name) {
    getter(win.HTMLIFrameElement.prototype, name, function (v, frame) { guard(frame); return reach(v) })
  })
  function inserting(object, name, many) {
    change(object, name, function (original) {
      return function (node, other) {
        var fragments = false, i, n
        for (i = 0; i < (many ? arguments.length : 1); i++) {
          n = arguments[i]
          if (!n || !n.nodeType) continue // it may be of another window
          fragments = fragments || n.nodeType === 11
          enter(n, true)
          if (n.nodeType === 3 && this && this.localName === 'style' && /url|@import/i.test(n.data)) n.data = css(n.data)
          if (n.nodeType === 3 && this && this.localName === 'script') n.data = code(n.data)
        }
        var result = original.apply(this, arguments)
        if (this.isConnected && fragments) frames(this)
        else if (this.isConnected) for (i = 0; i < (many ? arguments.length : 1); i++) frames(arguments[i])
        return result
      }
    })
  }
  ;['appendChild', 'insertBefore', 'replaceChild'].forEach(function (name) { inserting(win.Node.prototype, name, false) })
  ;[win.Element.prototype, win.Document.prototype, win.DocumentFragment.prototype].forEach(function (object) {
    ;['append', 'prepend', 'replaceChildren'].forEach(function (name) { inserting(object, name, true) })
  })
  ;[win.Element.prototype, win.CharacterData.prototype].forEach(function (object) {
    ;['before', 'after', 'replaceWith'].forEach(function (name) { inserting(object, name, true) })
  })
  change(win.Element.prototype, 'insertAdjacentElement', function (insert) {
    return function (where, el) {
      enter(el, true)
      var result = insert.call(this, where, el)
      frames(el)
      return result
    }
  })
  ;['insertNode', 'surroundContents'].forEach(function (name) {
    change(win.Range.prototype, name, function (original) { return function (node) {
      enter(node, true)
      original.call(this, node)
      frames(this.commonAncestorContainer)
    } })
  })
  ;[win.Element.prototype, win.Document.prototype, win.DocumentFragment.prototype].forEach(function (object) { inserting(object, 'moveBefore', false) })
  function taken(node) { if (node) enter(node, true); return node }
  setter(win.Document.prototype, 'body', taken)
  ;['caption', 'tHead', 'tFoot'].forEach(function (name) { setter(win.HTMLTableElement.prototype, name, taken) })
  change(win.Document.prototype, 'execCommand', function (execute) { return function (name, shown, value) {
    var done = execute.call(this, name, shown, /^insertHTML$/i.test(name) ? markup(value) : value)
    frames(this.documentElement)
    return done
  } })
  var observer = new win.MutationObserver(function (records) {
    records.forEach(function (r) {
      if (r.type === 'attributes') {
        settle(r.target)
        return /^(object|embed)$/.test(r.target.localName) ? show(r.target) : undefined
      }
      r.addedNodes.forEach(function (n) {
        enter(n, false)
        if (n.nodeType === 3 && r.target.localName === 'style') rewrite(r.target, css)
        frames(n)
      })
    })
  })
  function observe() { observer.observe(win.document, { subtree: true, childList: true, attributes: true, attributeFilter: ['href', 'src', 'srcset', 'style', 'action', 'formaction', 'data', 'poster', 'background', 'content'] }) }
  observe()
  hide(win, 'kavosh$renew', { value: function () { here.reseed(); observe() } })

  // What is kept is apart for each collection and archived origin, and so is what is told of it.
  var areas = {}
  ;['localStorage', 'sessionStorage'].forEach(function (name) {
    var d = Object.getOwnPropertyDescriptor(win, name), kept
    if (!d || !d.get) return
    areas[name] = d.get
    hide(win, name, { enumerable: true, get: function () { return kept || (kept = storage(d.get.call(win))) } })
  })
  var changed = win.StorageEvent.prototype, key = Object.getOwnPropertyDescriptor(changed, 'key').get
  function others(e) { var k = key.call(e); if (k !== null && here.strip(k) === k) e.stopImmediatePropagation() }
  getter(changed, 'key', here.strip)
  getter(changed, 'url', unlead)
  getter(changed, 'storageArea', function (area) { return area && win[area === areas.localStorage.call(win) ? 'localStorage' : 'sessionStorage'] })
  function storage(real) {
    var S = win.Storage.prototype
    function keys() {
      var list = []
      var mark = here.apart()
      for (var i = 0; i < real.length; i++) { var k = real.key(i); if (k.slice(0, mark.length) === mark) list.push(k.slice(mark.length)) }
      return list
    }
    var calls = {
      getItem: function (k) { return real.getItem(here.apart() + k) }, setItem: function (k, v) { real.setItem(here.apart() + k, String(v)) }, removeItem: function (k) { real.removeItem(here.apart() + k) },
      key: function (i) { var k = keys()[i]; return k === undefined ? null : k }, clear: function () { keys().forEach(function (k) { real.removeItem(here.apart() + k) }) }
    }
    return new Proxy(Object.create(S), {
      get: function (t, k) {
        if (k === 'length') return keys().length
        if (own.call(calls, k)) return calls[k]
        if (typeof k !== 'string' || k in S) return t[k]
        var v = calls.getItem(k)
        return v === null ? undefined : v
      },
      set: function (t, k, v) { calls.setItem(k, v); return true },
      has: function (t, k) { return k in S || typeof k === 'string' && calls.getItem(k) !== null },
      deleteProperty: function (t, k) { calls.removeItem(k); return true },
      ownKeys: keys,
      getOwnPropertyDescriptor: function (t, k) {
        var v = typeof k === 'string' ? calls.getItem(k) : null
        return v === null ? undefined : { value: v, writable: true, enumerable: true, configurable: true }
      }
    })
  }
  // Cookies, of scripts and of pages' answers, are kept as a list in the storage of the replay's origin; no request has any.
  function cookies() {
    var where = 'kavosh cookies ' + here.collection, store
    try { store = win.localStorage } catch (e) {}
    var memory = []
    function all() { try { return store ? JSON.parse(store.getItem(where) || '[]') : memory } catch (e) { return memory } }
    function under(host, domain) { return host === domain || host.slice(-domain.length - 1) === '.' + domain }
    hide(win.Document.prototype, 'cookie', { enumerable: true, get: function () {
      var u = archived(), time = here.now()
      return all().filter(function (c) {
        return (c.only ? c.host === u.hostname : under(u.hostname, c.host)) && (u.pathname === c.path || u.pathname.indexOf(c.path.replace(/\/?$/, '/')) === 0 || c.path === '/') && (!c.until || c.until > time) && (!c.secure || u.protocol === 'https:')
      }).map(function (c) { return c.name ? c.name + '=' + c.value : c.value }).join('; ')
    }, set: keep })
    hide(win, 'kavosh$keep', { value: keep })
    function keep(text) {
      var u = archived(), parts = String(text).slice(0, 4096).split(';'), i = parts[0].indexOf('=')
      var c = { name: parts[0].slice(0, Math.max(0, i)).trim(), value: parts[0].slice(i + 1).trim(), host: u.hostname, only: true, path: u.pathname.replace(/\/[^\/]*$/, '') || '/' }
      parts.slice(1).forEach(function (p) {
        var k = p.split('=')[0].trim().toLowerCase(), v = p.slice(p.indexOf('=') + 1).trim()
        if (k === 'domain' && v) { v = v.replace(/^\./, '').toLowerCase(); if (under(u.hostname, v) && v.indexOf('.') > 0) { c.host = v; c.only = false } else c.refused = true }
        if (k === 'path' && v[0] === '/') c.path = v
        if (k === 'expires' && !c.age) c.until = Date.parse(v) || 0
        if (k === 'max-age' && /^-?\d+$/.test(v)) { c.age = true; c.until = here.now() + v * 1000 || 1 }
        if (k === 'secure') c.secure = true
        if (k === 'httponly') c.refused = true
      })
      if (c.refused) return
      delete c.age
      memory = all().filter(function (o) { return o.name !== c.name || o.host !== c.host || o.path !== c.path }).slice(-299)
      if (!c.until || c.until > here.now()) memory.push(c)
      try { if (store) store.setItem(where, JSON.stringify(memory)) } catch (e) {}
    }
    try { delete win.cookieStore } catch (e) {}
    try { delete win.CookieStore } catch (e) {}
  }

  // Service workers of the page are not run; the replay's own leads back what goes to the root of its origin.
  if (!inherited()) {
    try {
      if (win.isSecureContext && !framed && navigator.serviceWorker) navigator.serviceWorker.register('/-/client/sw.js', { scope: '/' }).catch(function () {})
    } catch (e) {}
  }
  try { delete win.Navigator.prototype.serviceWorker } catch (e) {}
  change(win.Navigator.prototype, 'sendBeacon', function (send) { return function (ref, data) { return send.call(this, lead(ref, 'oe_'), data) } })

  // The parts of the page that came so far: each archived URL with its status and, where the answer said so, the time of its capture.
  if (win.performance && win.performance.getEntriesByType) {
    try { win.performance.setResourceTimingBufferSize(2000) } catch (e) {}
    var named = here.entryName
    hide(win, 'kavosh$parts', { value: function () {
      return win.performance.getEntriesByType('resource').filter(function (e) { return here.split(named.call(e)) }).map(function (e) {
        var time = ''
        ;(e.serverTiming || []).forEach(function (t) { if (t.name === 'memento') time = t.description })
        return { url: unlead(e.name), time: time, status: e.responseStatus || 0, missing: e.responseStatus === 404 || e.responseStatus === 410 }
      })
    } })
  }
}
