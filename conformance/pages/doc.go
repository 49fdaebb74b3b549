// Package pages looks at the archive's own pages in Chromium, in both languages, light and dark, on a phone and on a desk:
// they fit, load nothing from elsewhere, say nothing on the console, and axe-core finds nothing against WCAG 2.2 AA.
package pages
