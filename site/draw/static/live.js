// Draws the numbers of a running crawl anew every few seconds while they are looked at: the server writes them, in the
// reader's language. What the reader has opened or is choosing from stays. When no numbers come, the page says so.
(function () {
  'use strict'
  setInterval(async function () {
    var old = document.getElementById('live'), ended = document.getElementById('ended')
    if (document.hidden || old.querySelector('details[open]') || String(getSelection())) return
    try {
      var answer = await fetch(location.href)
      var page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      var now = page.getElementById('live')
      if (now) old.replaceWith(now)
      if (ended) ended.hidden = !!now
    } catch (e) {
      if (ended) ended.hidden = false
    }
  }, 4000)
})()
