// Package cdx reads, writes and searches capture indexes: CDXJ lines as pywb and related tools write them, and older
// CDX.
//
// A line begins with the search key of the URL (SURT) and the time of the capture. So a file sorted by bytes can be
// searched by bisection, and files can be merged like sorted lists:
//
//	com,example)/ 20260131120000 {"url": "http://example.com/", "mime": "text/html", "status": "200", …}
//
// Search and Merge yield entries in that order. A Query filters, sorts and collapses them like pywb's CDX server.
// FromRecord makes the entry of a record.
package cdx
