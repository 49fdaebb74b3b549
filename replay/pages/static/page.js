// Tells the banner of replayed pages, which share this origin, the language that the reader chose.
try { localStorage.setItem('kavosh-lang', document.documentElement.lang) } catch (e) {}
