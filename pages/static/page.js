// Keeps what a reader chose: light or dark, in a cookie that both origins of one machine share; the language, for the
// banner of replayed pages, which share this origin. Asks again for pictures of pages that are still coming.
(function () {
  'use strict'
  var root = document.documentElement
  var kept = /(?:^|; )kavosh-theme=(dark|light)/.exec(document.cookie)
  if (kept) root.dataset.theme = kept[1]
  try { localStorage.setItem('kavosh-lang', root.lang) } catch (e) {}
  var asked = new Map()
  document.addEventListener('load', function (e) {
    var img = e.target
    if (img.tagName !== 'IMG' || img.naturalWidth !== 160) return // the width of what stands for a coming picture
    var first = asked.get(img) || { src: img.src, times: 0 }
    asked.set(img, first)
    if (first.times++ < 6) setTimeout(function () { img.src = first.src + '&again=' + first.times }, 2500 << first.times)
  }, true)
  addEventListener('DOMContentLoaded', function () {
    var button = document.getElementById('theme')
    function dark() { return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches }
    function name() { button.ariaLabel = button.title = dark() ? button.dataset.light : button.dataset.dark }
    button.hidden = false
    name()
    button.onclick = function () {
      root.dataset.theme = dark() ? 'light' : 'dark'
      document.cookie = 'kavosh-theme=' + root.dataset.theme + '; path=/; max-age=31536000; samesite=lax'
      name()
    }
  })
})()
