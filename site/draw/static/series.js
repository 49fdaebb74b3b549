// Tells what lies under the pointer in the picture of pages × crawls, and turns the cube of pages. Without it both are still.
(function () {
  'use strict'
  var rtl = document.documentElement.dir === 'rtl'
  var rows = document.getElementById('rows'), told = document.getElementById('told')
  if (rows) {
    var crawls = rows.dataset.crawls.split('|'), words = rows.dataset.words.split('|')
    rows.addEventListener('pointermove', function (e) {
      var row = e.target.closest('a[data-seen]')
      if (!row) return
      var box = row.getBoundingClientRect(), at = (e.clientX - box.left) / box.width
      var crawl = Math.max(0, Math.min(crawls.length - 1, Math.floor((rtl ? 1 - at : at) * crawls.length)))
      told.textContent = crawls[crawl] + ' · ' + words[row.dataset.seen[crawl]] + ' · \u2068' + row.querySelector('title').textContent + '\u2069 ·'
    })
  }
  var cube = document.getElementById('cube')
  if (!cube) return
  var svg = cube.querySelector('svg'), dots = Array.prototype.slice.call(svg.querySelectorAll('circle')), lines = Array.prototype.slice.call(svg.querySelectorAll('line'))
  var turn = 0.6, tilt = 0.5, held = null, moved = false
  // As scatter in site/draw/series.go places them.
  function place(x, y, z) {
    x -= 0.5; y -= 0.5; z -= 0.5
    var across = x * Math.cos(turn) + z * Math.sin(turn), deep = z * Math.cos(turn) - x * Math.sin(turn)
    return [900 * (0.5 + 0.46 * (rtl ? -across : across)), 420 * (0.5 - 0.6 * (y * Math.cos(tilt) + deep * Math.sin(tilt)))]
  }
  var ends = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], names = svg.querySelectorAll('text')
  function draw() {
    dots.forEach(function (d) {
      var at = place(+d.dataset.x, +d.dataset.y, +d.dataset.z)
      d.setAttribute('cx', at[0])
      d.setAttribute('cy', at[1])
    })
    var from = place(0, 0, 0)
    lines.forEach(function (l, i) {
      var to = place.apply(null, ends[i])
      l.setAttribute('x1', from[0]); l.setAttribute('y1', from[1]); l.setAttribute('x2', to[0]); l.setAttribute('y2', to[1])
      names[i].setAttribute('x', to[0]); names[i].setAttribute('y', to[1] + (i === 1 ? -6 : 16))
    })
  }
  function by(x, y) {
    turn += rtl ? -x : x
    tilt = Math.max(-1.5, Math.min(1.5, tilt + y))
    draw()
  }
  document.getElementById('turn').hidden = false
  cube.classList.add('turns')
  cube.addEventListener('dragstart', function (e) { e.preventDefault() })
  cube.addEventListener('pointerdown', function (e) { held = [e.clientX, e.clientY]; moved = false })
  addEventListener('pointermove', function (e) {
    if (!held) return
    moved = moved || Math.abs(e.clientX - held[0]) + Math.abs(e.clientY - held[1]) > 3
    by((e.clientX - held[0]) / 150, (e.clientY - held[1]) / 150)
    held = [e.clientX, e.clientY]
  })
  addEventListener('pointerup', function () { held = null })
  cube.addEventListener('click', function (e) { if (moved) e.preventDefault() }, true)
  cube.addEventListener('keydown', function (e) {
    var to = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[e.key]
    if (!to) return
    e.preventDefault()
    by(to[0], to[1])
  })
})()
