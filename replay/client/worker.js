// Begins every worker of a replayed page.
self.kavosh$start = function (at) {
  if (self.kavosh$self) return
  var real = self.location.href
  if (real.slice(0, at.root.length) === at.root) at.url = real // a module that the worker's own imports begins too, with its own address
  at.base = at.url
  var here = core(self, at)
  if (!here) return
  var url = new URL(here.unlead(at.url))
  if (/^blob:/.test(real)) url = new URL('blob:' + url.origin + real.slice(real.lastIndexOf('/')))
  var place = Object.create(self.WorkerLocation.prototype)
  ;['href', 'origin', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'].forEach(function (name) {
    here.hide(place, name, { get: function () { return url[name] }, enumerable: true })
  })
  here.hide(place, 'toString', { value: function () { return url.href } })
  here.hide(self, 'origin', { get: function () { return url.origin }, enumerable: true })
  here.hide(self, 'kavosh$location', { get: function () { return place }, set: function () {} })
  here.change(self, 'importScripts', function (load) {
    return function () { return load.apply(self, [].map.call(arguments, function (u) { return here.lead(u, 'js_') })) }
  })
}
