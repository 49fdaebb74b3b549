// The service worker of the replay's origin. A request of an archived page that went to the root of the origin, "/data.json",
// is answered by what lies there in the archive, at the page's time; all others go their way.
'use strict'
var shape = /^(\/[^\/]+\/\d{4,14}(?:~\d+[a-z])?)([a-z]{2}_)?\/([a-z][a-z0-9+.-]*:\/\/[^]*)$/i
var modifiers = { document: '', iframe: 'if_', frame: 'if_', image: 'im_', script: 'js_', worker: 'js_', sharedworker: 'js_', style: 'cs_' }

addEventListener('install', function () { skipWaiting() })
addEventListener('activate', function (e) { e.waitUntil(clients.claim()) })
addEventListener('fetch', function (e) {
  var to = new URL(e.request.url)
  if (to.origin !== location.origin || shape.test(to.pathname + to.search) || to.pathname.slice(0, 3) === '/-/') return
  if (e.request.mode === 'navigate') return // the server leads these back, so that the address tells what is shown
  e.respondWith(answer(e, to))
})

async function answer(e, to) {
  var page = e.clientId && await clients.get(e.clientId)
  var at = page && shape.exec(page.url.slice(location.origin.length))
  if (!at || new RegExp('^/[^/]+/(\\*|timegate/|timemap/|cdx\\?)').test(to.pathname + to.search)) return fetch(e.request)
  var there = at[1] + (modifiers[e.request.destination] || 'oe_') + '/' + new URL(at[3]).origin + to.pathname + to.search
  var r = e.request, same = { method: r.method, headers: r.headers, redirect: r.redirect, credentials: 'same-origin', signal: r.signal }
  if (r.method !== 'GET' && r.method !== 'HEAD') same.body = await r.blob()
  return fetch(there, same)
}
