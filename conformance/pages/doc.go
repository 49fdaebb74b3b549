// Package pages checks the archive's own pages in Chromium, in both languages, light and dark, on a phone and a
// desktop: they fit, load nothing from elsewhere, print nothing on the console, and axe-core finds no violation of WCAG
// 2.2 AA.
package pages
