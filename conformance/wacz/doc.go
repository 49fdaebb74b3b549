// Package wacz hands WACZ files that we packed to the programs of others: py-wacz checks them, and ReplayWeb.page shows them in
// Chromium.
package wacz
