// Package wacz tests our WACZ files with other programs: py-wacz checks them, ReplayWeb.page shows them.
package wacz
