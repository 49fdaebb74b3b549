// Keeps the two frames of a comparison in step: where one is scrolled to, the other follows.
(function () {
  'use strict'
  var frames = Array.prototype.slice.call(document.querySelectorAll('.frames iframe'))
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
  frames.forEach(function (f) {
    function listen() {
      try { f.contentWindow.addEventListener('scroll', function () { follow(f) }, { passive: true }) } catch (e) {}
    }
    f.addEventListener('load', listen)
    listen()
  })
})()
