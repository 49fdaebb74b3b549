// Draws the tree of a crawl on a canvas, to be dragged, brought closer, and opened by clicks. The page has the tree as SVG for
// browsers without scripts; all that is drawn is read from that. Colours of a step are chosen here; links lead to the page with
// other nodes open.
(function () {
  'use strict'
  var figure = document.getElementById('tree')
  var svg = new DOMParser().parseFromString(figure.querySelector('noscript').textContent, 'text/html').querySelector('svg')
  var box = document.createElement('div'), sheet = document.createElement('canvas'), pen = sheet.getContext('2d'), says = document.createElement('p')
  var colors = {}
  document.querySelectorAll('[data-class]').forEach(function (e) { colors[e.dataset.class] = e.dataset.color })
  var nodes = [].map.call(svg.querySelectorAll('[data-at]'), function (e) {
    var at = e.dataset.at.split(' ').map(Number)
    return { x: at[0], y: at[1], side: at[2], shape: at[3], above: at[4], members: at[5], is: e.dataset.is, href: e.getAttribute('href'), says: e.querySelector('title').textContent }
  })
  var steps = [].slice.call(document.querySelectorAll('.steps a'))
  var step = Math.max(0, steps.findIndex(function (a) { return a.hasAttribute('aria-current') }))
  var size = svg.viewBox.baseVal.width, view = { x: 0, y: 0, scale: 1 }, least = 1, asked = false
  box.tabIndex = 0
  box.setAttribute('role', 'img')
  box.setAttribute('aria-label', figure.dataset.label)
  box.append(sheet)
  says.className = 'quiet says'
  says.setAttribute('dir', 'auto')
  figure.append(box, says)

  function outline(n) {
    var r = n.side / 2, i
    if (n.shape === 1) {
      pen.moveTo(n.x + r, n.y)
      for (i = 1; i < 6; i++) pen.lineTo(n.x + r * Math.cos(Math.PI / 3 * i), n.y + r * Math.sin(Math.PI / 3 * i))
      pen.closePath()
    } else if (n.shape === 2) pen.roundRect(n.x - r, n.y - r, n.side, n.side, n.side / 3)
    else if (n.shape === 3) pen.rect(n.x - r, n.y - r, n.side, n.side)
    else {
      pen.moveTo(n.x + r, n.y)
      pen.arc(n.x, n.y, r, 0, 2 * Math.PI)
    }
  }
  // Edges first, then nodes, those alone that lie in sight; what is smaller than three pixels is a dot, and numbers come when there is room.
  function draw(ratio) {
    var w = sheet.width / ratio, h = sheet.height / ratio, ink = getComputedStyle(document.body).color
    pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    pen.clearRect(0, 0, w, h)
    pen.translate(w / 2, h / 2)
    pen.scale(view.scale, view.scale)
    pen.translate(view.x, view.y)
    var wide = w / 2 / view.scale, high = h / 2 / view.scale
    function seen(n) { return Math.abs(n.x + view.x) < wide + n.side && Math.abs(n.y + view.y) < high + n.side }
    pen.strokeStyle = '#8b909660'
    pen.lineWidth = 0.8 / view.scale
    pen.beginPath()
    nodes.forEach(function (n) {
      var above = nodes[n.above]
      if (!above || !seen(n) && !seen(above)) return
      pen.moveTo(above.x, above.y)
      pen.lineTo(n.x, n.y)
    })
    pen.stroke()
    // One path a colour: a browser that draws without a graphics card is several times as fast by that.
    var shown = nodes.filter(function (n) { return n.is[2 * step] !== '0' && seen(n) }) // else neither visit has it: its place stays free
    var dot = 3 / view.scale
    shown.forEach(function (n) {
      if (n.side > dot) return
      pen.fillStyle = colors[n.is[2 * step]]
      pen.fillRect(n.x - dot / 2, n.y - dot / 2, dot, dot)
    })
    shown = shown.filter(function (n) { return n.side > dot })
    function paths(style, of, end) {
      Object.keys(colors).concat('').forEach(function (c) {
        pen[style] = colors[c] || '#8b9096'
        pen.beginPath()
        shown.forEach(function (n) { if (of(n) === c) outline(n) })
        pen[end]()
      })
    }
    paths('fillStyle', function (n) { return n.is[2 * step] }, 'fill')
    pen.lineWidth = 1.5 / view.scale
    paths('strokeStyle', function (n) {
      var main = n.is[2 * step], worst = n.is[2 * step + 1]
      return n.side * view.scale < 5 ? null : worst === main ? '' : worst
    }, 'stroke')
    pen.fillStyle = ink
    pen.font = 12 / view.scale + 'px sans-serif'
    pen.textAlign = 'center'
    shown.forEach(function (n) {
      if (n.members > 1 && n.side * view.scale > 30) pen.fillText(n.members.toLocaleString(document.documentElement.lang), n.x, n.y + n.side / 2 + 14 / view.scale)
    })
  }
  // The tree is drawn on a sheet of twice the size of its box, and moved with the sheet: nothing is drawn as long as that reaches.
  var on = null // what the sheet shows; null if it is to be drawn
  function place() {
    asked = false
    var ratio = devicePixelRatio || 1, wide = box.clientWidth, high = box.clientHeight
    var w = Math.round(2 * wide * ratio), h = Math.round(2 * high * ratio)
    var x = on ? (view.x - on.x) * view.scale : 0, y = on ? (view.y - on.y) * view.scale : 0
    if (sheet.width !== w || sheet.height !== h) {
      sheet.width = w
      sheet.height = h
      on = null
    }
    if (!on || on.scale !== view.scale || on.step !== step || Math.abs(x) > wide / 2 || Math.abs(y) > high / 2) {
      draw(ratio)
      on = { x: view.x, y: view.y, scale: view.scale, step: step }
      x = y = 0
    }
    sheet.style.transform = 'translate(' + x + 'px,' + y + 'px)'
  }
  function again() { if (!asked) { asked = true; requestAnimationFrame(place) } }
  function whole() {
    least = view.scale = Math.min(box.clientWidth, box.clientHeight) / size
    view.x = view.y = 0
    try { Object.assign(view, JSON.parse(sessionStorage.getItem('tree' + location.pathname))) } catch (e) {}
    if (!(view.scale >= least / 4)) view.scale = least
    again()
  }
  function zoom(by, x, y) {
    var scale = Math.max(least / 2, Math.min(least * 400, view.scale * by))
    view.x += x / scale - x / view.scale
    view.y += y / scale - y / view.scale
    view.scale = scale
    again()
  }
  function at(event) {
    var r = box.getBoundingClientRect()
    return { x: event.clientX - r.left - r.width / 2, y: event.clientY - r.top - r.height / 2 }
  }
  function under(event) {
    var p = at(event), x = p.x / view.scale - view.x, y = p.y / view.scale - view.y, best = null, most = 6 / view.scale
    nodes.forEach(function (n) {
      var off = Math.hypot(n.x - x, n.y - y) - n.side / 2
      if (off < most) { most = off; best = n }
    })
    return best
  }
  var held = null, moved = false
  box.addEventListener('pointerdown', function (e) { held = e; moved = false; box.setPointerCapture(e.pointerId) })
  box.addEventListener('pointermove', function (e) {
    if (!held) {
      var n = under(e)
      box.classList.toggle('on', !!(n && n.href))
      says.textContent = n ? n.says : ''
      return
    }
    if (!moved && Math.hypot(e.clientX - held.clientX, e.clientY - held.clientY) < 4) return
    view.x += (e.clientX - held.clientX) / view.scale
    view.y += (e.clientY - held.clientY) / view.scale
    held = e
    moved = true
    again()
  })
  box.addEventListener('pointerup', function (e) {
    var n = !moved && under(e)
    held = null
    if (moved) { on = null; again() } // so that it reaches as far again
    if (!n || !n.href) return
    try { sessionStorage.removeItem('tree' + location.pathname) } catch (e) {}
    location.href = n.href
  })
  box.addEventListener('wheel', function (e) {
    var p = at(e)
    e.preventDefault()
    zoom(Math.exp(-e.deltaY / 400), p.x, p.y)
  }, { passive: false })
  box.addEventListener('keydown', function (e) {
    var far = 60 / view.scale, keys = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] }
    if (keys[e.key]) { view.x += keys[e.key][0]; view.y += keys[e.key][1]; again() } else if (e.key === '+' || e.key === '=') zoom(1.3, 0, 0)
    else if (e.key === '-') zoom(1 / 1.3, 0, 0)
    else return
    e.preventDefault()
  })
  // A step is shown at once, and each node stays where it is; the link tells the page's words of that step.
  steps.forEach(function (a, i) {
    a.addEventListener('focus', function () { step = i; again() })
    a.addEventListener('pointerenter', function () { step = i; again() })
    a.addEventListener('click', function () { try { sessionStorage.setItem('tree' + location.pathname, JSON.stringify(view)) } catch (e) {} })
  })
  addEventListener('resize', again)
  whole()
  try { sessionStorage.removeItem('tree' + location.pathname) } catch (e) {}
})()
