var define = Object.defineProperty
// The part that windows and workers share: what a place is, and whatever asks the network by itself.
// at tells where the global object is: the replay's origin and, each time it is asked, its URL and base there.
function core(win, at) {
  // A replay path in front of an archived URL: "/web/20240102030405~30dif_/http://a.test/".
  var shape = /^(\/[^\/]+\/(\d{4,14})(?:~\d+[a-z])?)([a-z]{2}_)?\/([a-z][a-z0-9+.-]*:\/\/[^]*)$/i
  var URL = win.URL, NativeDate = win.Date, root = at.root, home = win.kavosh$home
  // What addresses are read with stays the browser's own, whatever a page puts in its place.
  function keep(type, names) {
    var object = type && type.prototype
    if (object) names.forEach(function (name) {
      var d = Object.getOwnPropertyDescriptor(object, name)
      if (!d || !d.configurable) return
      d.configurable = false
      if ('value' in d) {
        var value = d.value
        d = { get: function () { return value }, configurable: false, enumerable: d.enumerable, set: function (v) {
          if (this !== object) define(this, name, { __proto__: null, value: v, writable: true, enumerable: true, configurable: true })
        } }
      }
      define(object, name, d)
    })
  }
  keep(win.RegExp, ['exec', 'test', 'flags', 'global', 'ignoreCase', 'multiline', 'dotAll', 'hasIndices', 'sticky', 'unicode', 'unicodeSets', Symbol.replace, Symbol.match, Symbol.split])
  keep(win.String, ['replace', 'slice', 'trim', 'indexOf', 'toLowerCase', 'split', 'charCodeAt'])
  keep(win.Function, ['call', 'apply', 'bind'])
  keep(win.URL, ['href', 'origin', 'protocol'])
  keep(win.Node, ['nodeType', 'isConnected', 'firstChild', 'parentNode'])
  ;[win.Element, win.DocumentFragment].forEach(function (type) { keep(type, ['localName', 'firstElementChild', 'getAttributeNames', 'querySelectorAll']) })
  keep(win.NodeList, ['forEach'])
  keep(win.Event, ['preventDefault', 'cancelable'])
  keep(win.NavigateEvent, ['destination', 'formData'])
  keep(win.NavigationDestination, ['url'])

  // The parts of a replay URL or path; null for any other.
  function split(u) {
    u = String(u)
    if (u[0] === 'w') u = u.replace(/^ws/, 'http')
    if (u.slice(0, root.length) === root) u = u.slice(root.length)
    return u[0] === '/' ? shape.exec(u) : null
  }
  var place = split(at.url)
  if (!place) return null
  var here = { root: root, path: place[1], time: place[2], split: split, lead: lead, unlead: unlead, hide: hide, change: change, construct: construct, now: now, native: {} }

  // What scripts must not stumble over when they list properties.
  function hide(object, name, descriptor) {
    descriptor.configurable = descriptor.configurable !== false
    try { Object.defineProperty(object, name, descriptor) } catch (e) {}
  }
  function base() { return unlead(at.base) }
  function unlead(u) {
    var m = split(u)
    return m ? m[4] : u
  }
  // Pages of the archive itself, to which its banner leads.
  var collection = place[1].slice(0, place[1].indexOf('/', 1) + 1)
  function ourPage(u) {
    if (home && u.slice(0, home.length) === home) return true
    if (u.slice(0, root.length) === root) u = u.slice(root.length)
    return u.slice(0, 3) === '/-/' || u.slice(0, collection.length) === collection && /^(\*|\d{4,14}-\d{4,14}|timegate\/|timemap\/)/.test(u.slice(collection.length))
  }

  // Where a URL lies in the archive, as seen from the page; the reference itself when it leads there already or nowhere.
  function lead(ref, modifier, from) {
    if (ref === null || ref === undefined) return ref
    var text = String(ref).trim()
    if (!text || text[0] === '#' || /^(data|blob|about|javascript|mailto|tel):/i.test(text)) return ref
    if (split(text) || ourPage(text)) return ref
    var to, browsers
    try { to = new URL(text, from || base()) } catch (e) { return ref }
    if (!/^(https?|wss?|ftp):$/.test(to.protocol)) return ref
    if (to.origin === root) { // put together from what the browser says
      try { to = new URL(to.pathname + to.search + to.hash, base()) } catch (e) { return ref }
    }
    if (!from) {
      try { browsers = split(new URL(text, at.base).href) } catch (e) {}
      if (browsers && browsers[1] === here.path && browsers[4] === to.href) return ref
    }
    return (/^ws/.test(to.protocol) ? root.replace(/^http/, 'ws') : root) + here.path + (modifier || '') + '/' + to.href
  }

  // change puts a function in the place of another: make is given the original. construct does so with a class: edit changes the
  // arguments, made is shown what came of them.
  function change(object, name, make) {
    var original = object && object[name]
    if (typeof original !== 'function') return
    here.native[name] = here.native[name] || original
    var f = make(original)
    hide(f, 'name', { value: name })
    hide(object, name, { value: f, writable: true, enumerable: Object.prototype.propertyIsEnumerable.call(object, name) })
  }
  function construct(name, edit, made) {
    var original = win[name]
    if (typeof original !== 'function') return
    var proxy = new Proxy(original, { construct: function (target, args, newTarget) {
      edit(args)
      var result = Reflect.construct(target, args, newTarget)
      if (made) made(result, args)
      return result
    } })
    hide(win, name, { value: proxy, writable: true })
    hide(original.prototype, 'constructor', { value: proxy, writable: true })
  }
  function first(modifier) { // leads the first argument
    return function (args) { if (args.length) args[0] = lead(args[0], modifier) }
  }
  function getter(object, name, make) {
    var d = object && Object.getOwnPropertyDescriptor(object, name)
    if (!d || !d.get || !d.configurable) return
    hide(object, name, { get: function () { return make(d.get.call(this), this) }, set: d.set, enumerable: d.enumerable })
  }
  here.getter = getter

  // Requests. Digests of what was captured do not hold for what was rewritten.
  function request(args) {
    if (!(args[0] instanceof win.Request)) args[0] = lead(args[0], 'oe_')
    var how = args[1]
    if (!how || how instanceof win.Request || !how.integrity && !how.referrer) return
    args[1] = Object.create(how, { integrity: { value: '' } })
    if (how.referrer) Object.defineProperty(args[1], 'referrer', { value: lead(how.referrer, '') })
  }
  construct('Request', request)
  ;['fetch', 'fetchLater'].forEach(function (name) {
    change(win, name, function (fetch) {
      return function () {
        var args = [].slice.call(arguments)
        request(args)
        return fetch.apply(win, args)
      }
    })
  })
  getter(win.Request && win.Request.prototype, 'url', unlead)
  getter(win.Request && win.Request.prototype, 'referrer', unlead)
  getter(win.Response && win.Response.prototype, 'url', unlead)
  var xhr = win.XMLHttpRequest && win.XMLHttpRequest.prototype
  change(xhr, 'open', function (open) {
    return function () {
      var args = [].slice.call(arguments)
      args[1] = lead(args[1], 'oe_')
      return open.apply(this, args)
    }
  })
  getter(xhr, 'responseURL', unlead)
  headers()
  construct('WebSocket', first('oe_'))
  construct('EventSource', first('oe_'))
  getter(win.WebSocket && win.WebSocket.prototype, 'url', unlead)
  getter(win.EventSource && win.EventSource.prototype, 'url', unlead)
  ;['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocketStream'].forEach(function (name) { try { delete win[name] } catch (e) {} }) // no policy of browsers forbids what these send

  // What is made of bytes and gets an address. What may be opened as a page begins with the page script, a worker with this one.
  var blobs = new Map(), texts = new WeakMap(), mostText = 1 << 24
  construct('Blob', function () {}, function (blob, args) {
    var parts = Array.isArray(args[0]) ? args[0] : []
    if (blob.size < mostText && parts.every(function (p) { return typeof p === 'string' })) texts.set(blob, parts)
  })
  function textOf(blob) { // null when there is too much
    if (texts.has(blob)) return texts.get(blob).join('')
    if (blob.size > mostText) return null
    var u = here.native.createObjectURL.call(win.URL, blob), x = new win.XMLHttpRequest()
    try {
      x.open('GET', u, false)
      x.send()
      return x.responseText
    } catch (e) { return null } finally { win.URL.revokeObjectURL(u) }
  }
  here.document = function () { return '<script xmlns="http://www.w3.org/1999/xhtml" src="' + root + kavoshPage + '" data-at="' + here.encode(at.url) + '"></' + 'script>' }
  here.encode = function (text) { return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/'/g, '&#39;').replace(/</g, '&lt;') }
  function openable(blob) {
    var type = blob.type
    if (/javascript|ecmascript/.test(type)) return texts.has(blob) ? new win.Blob([code(textOf(blob))], { type: type }) : blob
    if (/^text\/html/.test(type) || type === '' && /^\s*</.test(textOf(blob.slice(0, 512)))) return new win.Blob([here.document(), here.markup && texts.has(blob) ? here.markup(textOf(blob)) : blob], { type: type || 'text/html' })
    if (!/xml|xsl/.test(type)) return blob
    var done, text = textOf(blob)
    if (text === null) return new win.Blob([blob], { type: 'text/plain' })
    return new win.Blob([text.replace(/<!--[^]*?-->|<\?[^]*?\?>|<[^\s>\/!?](?:[^>"']|"[^"]*"|'[^']*')*>/g, function (all) { // first in the root
      if (done || /^<[!?]|\/>$/.test(all)) return all
      done = true
      return all + here.document()
    })], { type: type })
  }
  if (win.URL.createObjectURL) {
    change(win.URL, 'createObjectURL', function (create) {
      return function (blob) {
        if (blob instanceof win.Blob) blob = openable(blob)
        var u = create.call(win.URL, blob)
        if (blob instanceof win.Blob && blobs.size < 1000) blobs.set(u, blob)
        return u
      }
    })
  }
  here.blobOf = function (u) { // of a data: URL, null of any other
    var m = /^\s*data:([^,]*?)(;\s*base64\s*)?,([^]*)$/i.exec(u), data = m && m[3]
    if (!m) return null
    try { data = decodeURIComponent(data) } catch (e) { data = unescape(data) }
    try { if (m[2]) data = win.Uint8Array.from(win.atob(data), function (c) { return c.charCodeAt(0) }) } catch (e) { data = '' }
    return new win.Blob([data], { type: m[1] || 'text/plain' })
  }
  function worker(args) {
    var u = String(args[0]), blob = blobs.get(u) || here.blobOf(u)
    if (!blob) return void (args[0] = lead(u, 'js_'))
    var script = JSON.stringify(root + kavoshWorker), start = 'kavosh$start(' + JSON.stringify({ root: root, url: here.split(at.base) ? at.base : at.url }) + ');'
    var begin = args[1] && args[1].type === 'module' ? 'import ' + script + ';import ' + JSON.stringify('data:text/javascript,' + encodeURIComponent(start)) + ';' : 'importScripts(' + script + ');' + start
    args[0] = here.native.createObjectURL.call(win.URL, new win.Blob([begin, texts.has(blob) && !(blobs.has(u) && /script/.test(blob.type)) ? code(textOf(blob)) : blob], { type: 'text/javascript' }))
  }
  construct('Worker', worker)
  construct('SharedWorker', worker)
  change(win.Worklet && win.Worklet.prototype, 'addModule', function (add) {
    return function (u, o) { return add.call(this, lead(u, 'js_'), o) }
  })

  // An archived answer's own headers, which the replay sends under other names, beside its own.
  function headers() {
    var mark = 'x-archive-orig-', ours = /^(link|date|etag|vary|server|via|cache-control|content-location|content-security-policy|permissions-policy|referrer-policy|server-timing|memento-datetime|x-dns-prefetch-control)$/
    function field(get, name) {
      var low = String(name).toLowerCase(), there = low.slice(0, 10) === 'set-cookie' ? null : get(mark + low)
      return there !== null ? there : ours.test(low) && get('memento-datetime') !== null ? null : get(name)
    }
    function fields(list, archived) { // of pairs
      var all = {}
      list.forEach(function (f) { if (f[0].slice(0, mark.length) !== mark && !(archived && ours.test(f[0]))) all[f[0]] = f[1] })
      list.forEach(function (f) { if (f[0].slice(0, mark.length) === mark && f[0].slice(mark.length, mark.length + 10) !== 'set-cookie') all[f[0].slice(mark.length)] = f[1] })
      return Object.keys(all).sort().map(function (name) { return [name, all[name]] })
    }
    change(xhr, 'getResponseHeader', function (get) { return function (name) { return field(get.bind(this), name) } })
    change(xhr, 'getAllResponseHeaders', function (get) {
      return function () {
        var list = (get.call(this) || '').split('\r\n').filter(Boolean).map(function (l) { var i = l.indexOf(': '); return [l.slice(0, i).toLowerCase(), l.slice(i + 2)] })
        return fields(list, list.some(function (f) { return f[0] === 'memento-datetime' })).map(function (f) { return f[0] + ': ' + f[1] + '\r\n' }).join('')
      }
    })
    var H = win.Headers && win.Headers.prototype
    if (!H) return
    var get = H.get, entries = H.entries
    function listed(h) { var list = Array.from(entries.call(h)), archived = get.call(h, 'memento-datetime') !== null; return archived ? fields(list, true) : list }
    change(H, 'get', function () { return function (name) { return field(get.bind(this), name) } })
    change(H, 'has', function () { return function (name) { return field(get.bind(this), name) !== null } })
    change(H, 'forEach', function () { return function (f, self) { var h = this; listed(h).forEach(function (e) { f.call(self, e[1], e[0], h) }) } })
    change(H, 'entries', function () { return function () { return listed(this).values() } })
    change(H, 'keys', function () { return function () { return listed(this).map(function (e) { return e[0] }).values() } })
    change(H, 'values', function () { return function () { return listed(this).map(function (e) { return e[1] }).values() } })
    hide(H, Symbol.iterator, { value: H.entries, writable: true })
  }

  // Names of what is kept are apart for each collection and archived origin.
  function apart() { return collection + new URL(unlead(at.url)).origin + '|' }
  here.apart = apart
  here.collection = collection
  here.strip = strip
  function strip(name) { return typeof name === 'string' && name.indexOf(apart()) === 0 ? name.slice(apart().length) : name }
  function named(object, names) {
    names.forEach(function (name) {
      change(object, name, function (original) {
        return function () {
          var args = [].slice.call(arguments)
          if (args.length) args[0] = apart() + args[0]
          return original.apply(this, args)
        }
      })
    })
  }
  function own(list, of) { return list.filter(function (x) { return String(of(x)).indexOf(apart()) === 0 }) }
  var idb = win.IDBFactory && win.IDBFactory.prototype
  named(idb, ['open', 'deleteDatabase'])
  change(idb, 'databases', function (databases) {
    return function () {
      return databases.call(this).then(function (list) {
        return own(list, function (d) { return d.name }).map(function (d) { return { name: strip(d.name), version: d.version } })
      })
    }
  })
  getter(win.IDBDatabase && win.IDBDatabase.prototype, 'name', strip)
  var cs = win.CacheStorage && win.CacheStorage.prototype
  named(cs, ['open', 'has', 'delete'])
  change(cs, 'keys', function (keys) { return function () { return keys.call(this).then(function (list) { return own(list, String).map(strip) }) } })
  construct('BroadcastChannel', function (args) { args[0] = apart() + args[0] })
  getter(win.BroadcastChannel && win.BroadcastChannel.prototype, 'name', strip)
  change(win.LockManager && win.LockManager.prototype, 'request', function (request) {
    return function (name) { return request.apply(this, [apart() + name].concat([].slice.call(arguments, 1))) }
  })

  // The clock shows the time of the page, and runs. Chance is the same at every visit.
  var digits = here.time + '99991231235959'.slice(here.time.length)
  function field(from, to, most) { return Math.min(most, +digits.slice(from, to)) }
  var month = Math.max(1, field(4, 6, 12)), days = new NativeDate(NativeDate.UTC(field(0, 4, 9999), month, 0)).getUTCDate()
  var start = NativeDate.UTC(field(0, 4, 9999), month - 1, Math.max(1, field(6, 8, days)), field(8, 10, 23), field(10, 12, 59), field(12, 14, 59))
  var began = NativeDate.now(), shift = start - began
  function now() { return NativeDate.now() + shift }
  function Clock() {
    if (!new.target) return new NativeDate(now()).toString()
    return Reflect.construct(NativeDate, arguments.length ? arguments : [now()], new.target)
  }
  Object.getOwnPropertyNames(NativeDate).forEach(function (name) {
    if (name !== 'prototype') hide(Clock, name, name === 'now' ? { value: now, writable: true } : Object.getOwnPropertyDescriptor(NativeDate, name))
  })
  Clock.prototype = NativeDate.prototype
  hide(Clock, 'name', { value: 'Date' })
  hide(Clock, 'length', { value: 7 })
  hide(NativeDate.prototype, 'constructor', { value: Clock, writable: true })
  hide(win, 'Date', { value: Clock, writable: true })
  getter(win.Performance && win.Performance.prototype, 'timeOrigin', function (v) { return v + shift })
  if (win.PerformanceTiming) Object.getOwnPropertyNames(win.PerformanceTiming.prototype).forEach(function (name) { getter(win.PerformanceTiming.prototype, name, function (v) { return v && v + shift }) })
  var format = win.Intl && win.Intl.DateTimeFormat.prototype
  getter(format, 'format', function (tell) { return function (date) { return tell(date === undefined ? now() : date) } })
  change(format, 'formatToParts', function (tell) { return function (date) { return tell.call(this, date === undefined ? now() : date) } })
  if (win.Temporal) {
    var T = win.Temporal, zone = T.Now.timeZoneId
    change(T.Now, 'instant', function () { return function () { return T.Instant.fromEpochMilliseconds(now()) } })
    change(T.Now, 'zonedDateTimeISO', function () { return function (z) { return T.Now.instant().toZonedDateTimeISO(z === undefined ? zone() : z) } })
    ;['plainDateISO', 'plainTimeISO', 'plainDateTimeISO'].forEach(function (name) {
      change(T.Now, name, function () { return function (z) { return T.Now.zonedDateTimeISO(z)['to' + name[0].toUpperCase() + name.slice(1, -3)]() } })
    })
  }

  // What the browser tells of requests.
  var entry = win.PerformanceEntry && win.PerformanceEntry.prototype
  here.entryName = entry && Object.getOwnPropertyDescriptor(entry, 'name').get
  getter(entry, 'name', function (v) { return here.split(v) ? unlead(v) : v })
  ;[entry, win.PerformanceResourceTiming && win.PerformanceResourceTiming.prototype].forEach(function (object) {
    change(object, 'toJSON', function (tell) { return function () { var told = tell.call(this); told.name = this.name; return told } })
  })
  change(win.Performance && win.Performance.prototype, 'getEntriesByName', function (original) {
    return function (name, type) {
      return this.getEntries().filter(function (e) { return e.name === String(name) && (type === undefined || e.entryType === type) })
    }
  })

  var seed
  here.reseed = function () {
    seed = 0
    for (var i = 0, text = here.time + unlead(at.url); i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193)
  }
  here.reseed()
  hide(win.Math, 'random', { writable: true, value: function random() { // mulberry32
    seed = seed + 0x6D2B79F5 | 0
    var t = Math.imul(seed ^ seed >>> 15, 1 | seed)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  } })

  // The names that rewritten scripts use. Of what is no window they are the properties that the script meant.
  var any = win.Object.prototype
  function property(name, own) {
    hide(any, own, { get: function () { return this[name] }, set: function (v) { this[name] = v } })
  }
  property('location', 'kavosh$location')
  property('top', 'kavosh$top')
  hide(any, 'kavosh$from', { value: function () { return this }, writable: true })
  ;[any, win.Element && win.Element.prototype].forEach(function (object) { // handlers look names up in their elements
    if (!object) return
    if (!Object.prototype.hasOwnProperty.call(object, Symbol.unscopables)) hide(object, Symbol.unscopables, { value: Object.create(null), writable: true })
    object[Symbol.unscopables].kavosh$location = object[Symbol.unscopables].kavosh$top = true
  })
  hide(win, 'kavosh$self', { value: win, configurable: false })
  hide(win, 'kavosh$lead', { value: function (ref, from) {
    var text = String(ref)
    return /^(\/|[a-z][a-z0-9+.-]*:)/i.test(text) ? lead(text, 'js_', from) : ref
  } })
  hide(win, 'kavosh$import', { value: function (ref, how) { // of code made of text
    var text = String(ref)
    return import(/^(\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(text) ? lead(new URL(text, /^(blob|data):/i.test(text) ? undefined : base()).href, 'js_') : text, how)
  } })
  hide(win, 'kavosh$code', { value: function (text) { return typeof text === 'string' ? code(text) : text } })
  here.code = code

  // Code that a script makes of text: the same names as in the scripts that came rewritten. Only the page's own scripts
  // make such code, so a reader that knows less than a parser does.
  function code(text) {
    if (!/location|top|postMessage|import|export/.test(text)) return text
    var token = /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|[\w$\u0080-\uffff]+|\?\.(?!\d)|\.\.\.|=>|\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])*\/[a-z]*|[^]/gy
    var out = [], last = '', before = '', braces = [], m, end = 0
    while ((m = token.exec(text))) {
      var t = m[0], put = t
      end = token.lastIndex
      if (/^(\s|\/\/|\/\*)/.test(t)) { out.push(t); continue }
      if (t.length > 1 && t[0] === '/' && /^[\w$"'`)\]}\u0080-\uffff]/.test(last.slice(-1)) && !/^(return|typeof|case|in|of|delete|void|throw|new|else|do)$/.test(last)) {
        t = put = '/'
        token.lastIndex = end = m.index + 1
      }
      if (t[0] === '`') put = t.replace(/\$\{([^{}]*)\}/g, function (all, inner) { return '${' + code(inner) + '}' })
      else if (/^["'](\/|[a-z][a-z0-9+.-]*:)/i.test(t) && (last === 'import' || last === 'from')) put = t[0] + lead(t.slice(1, -1), 'js_') + t[0]
      else if (t === 'import' && last !== '.' && /^\s*\(/.test(text.slice(end, end + 20))) put = 'kavosh$import'
      else if (t === '{') braces.push(/^([(,=:\[?]|return|const|let|var|\.\.\.)$/.test(last))
      else if (t === '}') braces.pop()
      else if (t === 'location' || t === 'top') {
        var next = /^\s*(=>|==|[^])?/.exec(text.slice(end, end + 20))[1]
        var key = braces[braces.length - 1] && (last === '{' || last === ',')
        var member = last === '.' || last === '?.'
        if (key && (next === ':' || next === '(') || member && t === 'top' && !/^(window|self|parent|top|globalThis)$/.test(before)) ;
        else if (key && (next === ',' || next === '}' || next === '=')) put = t + ':kavosh$' + t
        else put = 'kavosh$' + t
      } else if (t === 'postMessage' && (last === '.' || last === '?.') && /^\s*\(/.test(text.slice(end, end + 20))) put = 'kavosh$from(kavosh$self).' + t
      out.push(put)
      before = last
      last = t
    }
    return out.join('')
  }
  change(win, 'setTimeout', timer)
  change(win, 'setInterval', timer)
  function timer(original) {
    return function (what) {
      var args = [].slice.call(arguments)
      if (typeof what === 'string') args[0] = code(what)
      return original.apply(win, args)
    }
  }
  ;[win.Function, (function* () {}).constructor, (async function () {}).constructor].forEach(function (F) {
    if (F !== win.Function) return
    var proxy = new Proxy(F, { construct: make, apply: function (target, self, args) { return make(target, args) } })
    function make(target, args) {
      return Reflect.construct(target, [].map.call(args, function (a) { return code(String(a)) }))
    }
    hide(F.prototype, 'constructor', { value: proxy, writable: true })
    hide(win, 'Function', { value: proxy, writable: true })
  })
  return here
}
