// The part that windows and workers share: what a place is, and whatever asks the network by itself.
// at tells where the global object is: the replay's origin and, each time it is asked, its URL and base there.
function core(win, at) {
  // A replay path in front of an archived URL: "/web/20240102030405~30dif_/http://a.test/".
  var shape = /^(\/[^\/]+\/(\d{4,14})(?:~\d+[a-z])?)([a-z]{2}_)?\/([a-z][a-z0-9+.-]*:\/\/[^]*)$/i
  var URL = win.URL, NativeDate = win.Date, root = at.root

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
    if (win.kavosh$home && u.slice(0, win.kavosh$home.length) === win.kavosh$home) return true
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

  // change puts a function in the place of another: make is given the original. construct does so with a class; edit changes the arguments.
  function change(object, name, make) {
    var original = object && object[name]
    if (typeof original !== 'function') return
    here.native[name] = here.native[name] || original
    var f = make(original)
    hide(f, 'name', { value: name })
    hide(object, name, { value: f, writable: true, enumerable: Object.prototype.propertyIsEnumerable.call(object, name) })
  }
  function construct(name, edit) {
    var original = win[name]
    if (typeof original !== 'function') return
    var proxy = new Proxy(original, { construct: function (target, args, newTarget) {
      return Reflect.construct(target, edit(args) || args, newTarget)
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

  // Requests.
  construct('Request', function (args) { if (!(args[0] instanceof win.Request)) args[0] = lead(args[0], 'oe_') })
  change(win, 'fetch', function (fetch) {
    return function (what, how) {
      return fetch.call(win, what instanceof win.Request ? what : lead(what, 'oe_'), how)
    }
  })
  getter(win.Request && win.Request.prototype, 'url', unlead)
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
  construct('WebSocket', first('oe_'))
  construct('EventSource', first('oe_'))
  getter(win.WebSocket && win.WebSocket.prototype, 'url', unlead)
  getter(win.EventSource && win.EventSource.prototype, 'url', unlead)
  ;['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocketStream'].forEach(function (name) { try { delete win[name] } catch (e) {} }) // no policy of browsers forbids what these send

  // Workers. One made of a blob is given this script by the blob.
  var blobs = new Map()
  if (win.URL.createObjectURL) {
    change(win.URL, 'createObjectURL', function (create) {
      return function (blob) {
        if (here.document && blob instanceof win.Blob && /^text\/html|^application\/xhtml/.test(blob.type)) blob = new win.Blob([here.document(), blob], { type: blob.type })
        var u = create.call(win.URL, blob)
        if (blob instanceof win.Blob && blobs.size < 1000) blobs.set(u, blob)
        return u
      }
    })
  }
  function worker(args) {
    var blob = blobs.get(String(args[0]))
    if (blob && !(args[1] && args[1].type === 'module')) {
      var begin = 'importScripts(' + JSON.stringify(root + kavoshWorker) + ');kavosh$start(' + JSON.stringify({ root: root, url: here.split(at.base) ? at.base : at.url }) + ');'
      args[0] = here.native.createObjectURL.call(win.URL, new win.Blob([begin, blob], { type: 'text/javascript' }))
    } else args[0] = lead(args[0], 'js_')
  }
  construct('Worker', worker)
  construct('SharedWorker', function (args) {
    worker(args)
    if (typeof args[1] === 'string') args[1] = apart() + args[1]
  })
  change(win.Worklet && win.Worklet.prototype, 'addModule', function (add) {
    return function (u, o) { return add.call(this, lead(u, 'js_'), o) }
  })

  // Names of what is kept are apart for each archived origin.
  function apart() { return new URL(unlead(at.url)).origin + '|' }
  here.apart = apart
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
  var began = NativeDate.now()
  function now() { return start + NativeDate.now() - began }
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
  hide(win, 'kavosh$code', { value: function (text) { return typeof text === 'string' ? code(text) : text } })
  here.code = code

  // Code that a script makes of text: the same names as in the scripts that came rewritten. Only the page's own scripts
  // make such code, so a reader that knows less than a parser does.
  function code(text) {
    if (!/location|top|postMessage|import\s*\(|eval/.test(text)) return text
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
