// Package cdx reads, writes and searches capture indexes: CDXJ lines as pywb's family of tools writes them, and older CDX.
//
// A line begins with the search key of the URL (SURT) and the time of the capture, so that a file of lines sorted by
// bytes is searched by bisection and files are merged like sorted lists:
//
//	com,example)/ 20260131120000 {"url": "http://example.com/", "mime": "text/html", "status": "200", …}
//
// Search and Merge give entries in that order; a Query narrows, sorts and folds them as pywb's CDX server does.
// FromRecord makes the entry of a record.
package cdx
