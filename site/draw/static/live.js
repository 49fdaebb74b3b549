// Draws the numbers of a running crawl anew every few seconds while they are looked at: the server writes them, in the
// reader's language. What the reader has opened or is choosing from stays.
(function () {
  'use strict'
  setInterval(async function () {
    var old = document.getElementById('live')
    if (document.hidden || old.querySelector('details[open]') || String(getSelection())) return
    try {
      var answer = await fetch(location.href)
      var page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      old.replaceWith(page.getElementById('live'))
    } catch (e) {
      old.classList.add('stale') // the crawl has ended
    }
  }, 4000)
})()
