// Keeps the two frames of a comparison in step, and draws what changed over both; or parts of a page, or frames around its links. No script
// runs within the frames.
(function () {
  'use strict'
  var drawn = Array.prototype.slice.call(document.querySelectorAll('.drawn'))
  var rows = Array.prototype.slice.call(document.querySelectorAll('.changes:not(.noise) li'))
  var frames = drawn.map(function (d) { return d.querySelector('iframe') })
  var led = null, until = 0
  function share(w) {
    var e = w.document.scrollingElement
    return e ? e.scrollTop / Math.max(1, e.scrollHeight - w.innerHeight) : 0
  }
  function follow(from) {
    if (led !== from && Date.now() < until) return
    led = from
    until = Date.now() + 150
    frames.forEach(function (f) {
      if (f === from) return
      try {
        var e = f.contentDocument.scrollingElement
        e.scrollTop = share(from.contentWindow) * (e.scrollHeight - f.contentWindow.innerHeight)
      } catch (e) {}
    })
  }

  var most = 20000 // nodes of a page that are looked at
  function plain(text) { return (text || '').replace(/\s+/g, ' ').trim() }
  // The archived URL to which a URL of the replay leads.
  function archived(url) {
    var m = /^[a-z]+:\/\/[^/]*\/[^/]*\/[0-9]+[a-z_~0-9]*\/(https?:.*)$/.exec(url)
    return m ? m[1] : url
  }
  function bare(url) { return archived(url).replace(/^https?:\/\/(www\.)?/, '') }
  // Where links, pictures and texts of a page are: elements by address, and nodes of text with their words.
  function read(doc) {
    var of = { link: {}, image: {}, target: {}, texts: [] }
    function keep(map, key, e) { if (!Object.prototype.hasOwnProperty.call(map, key)) map[key] = []; map[key].push(e) }
    Array.prototype.slice.call(doc.links, 0, most).forEach(function (a) {
      keep(of.link, bare(a.href), a)
      keep(of.target, bare(a.href.split('#')[0]), a)
    })
    Array.prototype.slice.call(doc.images, 0, most).forEach(function (i) { keep(of.image, bare(i.src), i) })
    var walk = doc.createTreeWalker(doc.body || doc.documentElement, NodeFilter.SHOW_TEXT)
    for (var n = 0; n < most && walk.nextNode(); n++) {
      var words = plain(walk.currentNode.data)
      if (words) of.texts.push({ words: words, node: walk.currentNode })
    }
    return of
  }
  // The node of text that tells the words, or else most of them.
  function find(of, words) {
    var best = null
    of.texts.forEach(function (t) {
      if (best && best.words === words) return
      if (t.words === words) best = t
      if ((words.indexOf(t.words) === 0 || t.words.indexOf(words) >= 0) && (!best || t.words.length > best.words.length)) best = t
    })
    return best && best.node.parentElement
  }
  function block(e) {
    while (e && e.parentElement && /^inline/.test(e.ownerDocument.defaultView.getComputedStyle(e).display)) e = e.parentElement
    return e
  }
  function place(of, row, side) {
    var words = plain(row.getAttribute('data-' + side)), address = row.getAttribute('data-' + side + '-address'), kind = row.getAttribute('data-kind')
    if (address) {
      var list = of[kind] && of[kind][bare(address)]
      if (!list) return null
      return list.filter(function (e) { return plain(e.textContent) === words })[0] || list[0]
    }
    return words ? block(find(of, words)) : null
  }
  // The elements of a row: of a target, all links that lead there.
  function places(of, row, side) {
    if (row.getAttribute('data-kind') === 'target') return of.target[bare(row.getAttribute('data-' + side + '-address'))] || []
    var e = place(of, row, side)
    return e ? [e] : []
  }
  // Where a part ends of which the last words are told, too.
  function ends(of, row) {
    var words = row.getAttribute('data-last')
    return words ? block(find(of, plain(words))) : null
  }
  // What is around one or two elements.
  function around(a, b) {
    a = a.getBoundingClientRect()
    b = b ? b.getBoundingClientRect() : a
    if (b.bottom < a.top || b.height > 3000) b = a // the words stand elsewhere, too
    var left = Math.min(a.left, b.left), top = Math.min(a.top, b.top)
    return { left: left, top: top, width: Math.max(a.right, b.right) - left, height: Math.max(a.bottom, b.bottom) - top }
  }
  // On a page of parts, a click on the page chooses the smallest part that lies there.
  function pick(d, w, event) {
    event.preventDefault()
    var x = event.clientX + w.scrollX, y = event.clientY + w.scrollY, best = null, least = Infinity
    d.querySelectorAll('.marks i').forEach(function (m) {
      var s = m.style, left = parseFloat(s.left), top = parseFloat(s.top), size = parseFloat(s.width) * parseFloat(s.height)
      if (x < left || y < top || x > left + parseFloat(s.width) || y > top + parseFloat(s.height) || size >= least) return
      best = m
      least = size
    })
    if (!best) return
    d.querySelectorAll('.here').forEach(function (m) { m.classList.remove('here') })
    best.classList.add('here')
    var row = rows[best.getAttribute('data-row')]
    rows.forEach(function (r) {
      var more = r.querySelector('details')
      if (more) more.open = r === row
    })
    row.scrollIntoView({ block: 'nearest' })
    ;(row.querySelector('summary') || row).focus({ preventScroll: true })
  }
  function draw(d) {
    var frame = d.querySelector('iframe'), marks = d.querySelector('.marks'), side = d.getAttribute('data-side'), doc
    try { doc = frame.contentDocument } catch (e) {}
    if (!doc || !doc.body) return
    var of = read(doc), w = frame.contentWindow
    marks.replaceChildren()
    var layer = document.createElement('div')
    marks.append(layer)
    rows.forEach(function (row, n) {
      places(of, row, side).forEach(function (e) {
        var at = around(e, ends(of, row))
        if (!at.width || !at.height) return
        var mark = document.createElement('i')
        mark.className = row.className + (row.getAttribute('data-kind') === 'block' ? ' block' : '')
        mark.style.left = at.left + w.scrollX + 'px'
        mark.style.top = at.top + w.scrollY + 'px'
        mark.style.width = at.width + 'px'
        mark.style.height = at.height + 'px'
        mark.setAttribute('data-row', n)
        layer.append(mark)
        row.tabIndex = 0
      })
    })
    function scrolled() { layer.style.transform = 'translate(' + -w.scrollX + 'px,' + -w.scrollY + 'px)' }
    scrolled()
    if (d.closest('.picking')) doc.onclick = function (event) { pick(d, w, event) }
    w.onscroll = function () { scrolled(); follow(frame) }
  }
  // A change that is chosen in the list is scrolled to in both pages.
  function show(n) {
    drawn.forEach(function (d) {
      d.querySelectorAll('.here').forEach(function (m) { m.classList.remove('here') })
      var mark = d.querySelector('.marks [data-row="' + n + '"]')
      if (!mark) return
      mark.classList.add('here')
      until = Date.now() + 1000
      d.querySelector('iframe').contentWindow.scrollTo(0, parseFloat(mark.style.top) - 80)
    })
  }
  rows.forEach(function (row, n) {
    row.addEventListener('click', function () { show(n) })
    row.addEventListener('keydown', function (e) { if (e.key === 'Enter') show(n) })
  })
  drawn.forEach(function (d) {
    function again() { draw(d); setTimeout(function () { draw(d) }, 1000) } // pictures and fonts come late
    var f = d.querySelector('iframe')
    f.addEventListener('load', again)
    if (f.contentDocument && f.contentDocument.readyState === 'complete') again()
    addEventListener('resize', function () { draw(d) })
  })
})()
