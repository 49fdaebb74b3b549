// Keeps what a reader chose: light or dark, in a cookie that both origins of one machine share; the language, for the
// banner of replayed pages, which share this origin.
(function () {
  'use strict'
  var root = document.documentElement
  var kept = /(?:^|; )kavosh-theme=(dark|light)/.exec(document.cookie)
  if (kept) root.dataset.theme = kept[1]
  try { localStorage.setItem('kavosh-lang', root.lang) } catch (e) {}
  addEventListener('DOMContentLoaded', function () {
    var button = document.getElementById('theme')
    function dark() { return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches }
    function name() { button.textContent = dark() ? button.dataset.light : button.dataset.dark }
    button.hidden = false
    name()
    button.onclick = function () {
      root.dataset.theme = dark() ? 'light' : 'dark'
      document.cookie = 'kavosh-theme=' + root.dataset.theme + '; path=/; max-age=31536000; samesite=lax'
      name()
    }
  })
})()
