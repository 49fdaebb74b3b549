package main

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// ownAddress returns the address that a page says is its own (rel=canonical, og:url), "" if none.
func ownAddress(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return ""
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		attribute := func(name string) string {
			for _, a := range t.Attr {
				if a.Key == name {
					return strings.TrimSpace(a.Val)
				}
			}
			return ""
		}
		address := ""
		switch {
		case t.Data == "link" && strings.EqualFold(attribute("rel"), "canonical"):
			address = attribute("href")
		case t.Data == "meta" && attribute("property") == "og:url":
			address = attribute("content")
		}
		if strings.HasPrefix(address, "http") {
			return address
		}
	}
}
