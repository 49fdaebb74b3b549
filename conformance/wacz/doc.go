// Package wacz tests our WACZ files with other programs: py-wacz checks them, and ReplayWeb.page shows them in
// Chromium.
package wacz
