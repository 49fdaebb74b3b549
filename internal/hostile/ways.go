package hostile

// This file has hosts that lead crawlers on endless or forbidden ways.

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// linked answers / with links to paths, and other paths with a page.
func linked(paths ...string) func(*Visit) {
	return func(v *Visit) {
		if v.Path != "/" {
			v.Page("reached " + v.Path)
			return
		}
		var b strings.Builder
		for _, p := range paths {
			fmt.Fprintf(&b, "<a href=\"%s\">x</a>\n", p)
		}
		v.Page(b.String())
	}
}

// number returns the number at the end of a path; 0 if none.
func number(path string) int {
	i := len(path)
	for i > 0 && path[i-1] >= '0' && path[i-1] <= '9' {
		i--
	}
	n, _ := strconv.Atoi(path[i:])
	return n
}

// redirects returns redirects that lead where nobody should go.
func redirects() []Behaviour {
	to := func(location string) func(*Visit) {
		return func(v *Visit) {
			if v.Path != "/" {
				v.Page("reached")
				return
			}
			v.Redirect(location)
		}
	}
	return []Behaviour{
		{Name: "redirect-to-itself", Page: func(v *Visit) { v.Redirect("/") }},
		{Name: "redirect-ring", Page: func(v *Visit) { v.Redirect(map[string]string{"/": "/a", "/a": "/b", "/b": "/"}[v.Path]) }},
		{Name: "redirect-chain", Page: func(v *Visit) { v.Redirect(fmt.Sprintf("/step/%d", number(v.Path)+1)) }},
		{Name: "redirect-with-cookie", Page: func(v *Visit) {
			v.Answer("302 Found", fmt.Sprintf("Location: /\r\nSet-Cookie: n=%d\r\n", time.Now().UnixNano()), "")
		}},
		{Name: "redirect-to-private", Page: to("http://10.0.0.1/admin")},
		{Name: "redirect-to-loopback", Page: to("http://127.0.0.1/admin")},
		{Name: "redirect-to-localhost", Page: to("http://localhost/admin")},
		{Name: "redirect-to-metadata", Page: to("http://169.254.169.254/latest/meta-data/")},
		{Name: "redirect-to-decimal", Page: to("http://2130706433/")},
		{Name: "redirect-to-octal", Page: to("http://0177.0.0.1/")},
		{Name: "redirect-to-ipv6", Page: to("http://[::1]/")},
		{Name: "redirect-to-mapped", Page: to("http://[::ffff:10.0.0.1]/")},
		{Name: "redirect-to-file", Page: to("file:///etc/passwd")},
		{Name: "redirect-to-script", Page: to("javascript:location='/'")},
		{Name: "redirect-to-data", Page: to("data:text/html,<a href=/x>x</a>")},
		{Name: "redirect-to-ftp", Page: to("ftp://redirect-to-ftp" + Domain + "/")},
		{Name: "redirect-to-long-url", Page: to("/" + strings.Repeat("a", 5_000))},
		{Name: "redirect-twice", Page: func(v *Visit) {
			v.Answer("302 Found", "Location: /first\r\nLocation: /second\r\n", "")
		}},
		{Name: "endless-redirect-body", Page: floods("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "x")},
		{Name: "refresh-chain", Page: func(v *Visit) {
			v.Page(fmt.Sprintf(`<meta http-equiv=refresh content="0;url=/step/%d">`, number(v.Path)+1))
		}},
		{Name: "refresh-header-chain", Page: func(v *Visit) {
			v.Answer("200 OK", fmt.Sprintf("Content-Type: text/html\r\nRefresh: 0;url=/step/%d\r\n", number(v.Path)+1), "")
		}},
	}
}

// robots returns robots.txt files that are attacks. Their hosts' page links to /allowed and /forbidden.
func robots() []Behaviour {
	links := linked("/allowed", "/forbidden")
	text := func(body func() string) func(*Visit) {
		return func(v *Visit) { v.Answer("200 OK", "Content-Type: text/plain\r\n", body()) }
	}
	fixed := func(body string) func(*Visit) { return text(func() string { return body }) }
	const rule = "User-agent: *\nDisallow: /forbidden\n"
	return []Behaviour{
		{Name: "robots-huge", Page: links, Robots: text(func() string {
			return rule + strings.Repeat("# nothing at all\n", 40_000) + "User-agent: *\nDisallow: /allowed\n"
		})},
		{Name: "robots-endless", Page: links, Robots: func(v *Visit) {
			v.free = false
			v.Flood(ok+"\r\n"+rule, "# nothing\n")
		}},
		{Name: "robots-endless-line", Page: links, Robots: func(v *Visit) {
			v.free = false
			v.Flood(ok+"\r\n"+rule+"Disallow: /", "x")
		}},
		{Name: "robots-stall", Page: links, Robots: saysAndWaits(ok + "Content-Length: 500\r\n\r\n" + rule)},
		{Name: "robots-silence", Page: links, Robots: saysAndWaits("")},
		{Name: "robots-slow", Page: links, Robots: drips(ok+"Content-Length: 100000\r\n\r\n"+rule, "#", 5*time.Second)},
		{Name: "robots-redirect-to-itself", Page: links, Robots: func(v *Visit) { v.Redirect("/robots.txt") }},
		{Name: "robots-redirect-chain", Robots: func(v *Visit) { v.Redirect("/step/1") }, Page: func(v *Visit) {
			if strings.HasPrefix(v.Path, "/step/") {
				v.Redirect(fmt.Sprintf("/step/%d", number(v.Path)+1))
				return
			}
			links(v)
		}},
		{Name: "robots-redirect-to-private", Page: links, Robots: func(v *Visit) { v.Redirect("http://10.0.0.2/robots.txt") }},
		{Name: "robots-redirect-to-file", Page: links, Robots: func(v *Visit) { v.Redirect("file:///etc/passwd") }},
		{Name: "robots-reset", Page: links, Robots: saysAndResets("")},
		{Name: "robots-500", Page: links, Robots: func(v *Visit) { v.Answer("500 No", "", rule) }},
		{Name: "robots-is-a-page", Page: links, Robots: func(v *Visit) { v.Page("<!doctype html>" + linkLines(300)) }},
		{Name: "robots-nuls", Page: links, Robots: fixed("User-agent: *\n\x00\x00\nDisallow: /forbidden\n\x00")},
		{Name: "robots-utf16", Page: links, Robots: text(func() string {
			b := []byte{0xff, 0xfe}
			for _, c := range []byte(rule) {
				b = append(b, c, 0)
			}
			return string(b)
		})},
		{Name: "robots-gzip-bomb", Page: links, Robots: func(v *Visit) {
			v.Answer("200 OK", "Content-Encoding: gzip\r\n",
				string(pack([]byte(rule+strings.Repeat("# nothing at all\n", 40_000)+"Disallow: /allowed\n"), "gzip")))
		}},
		{Name: "robots-star-bomb", Page: linked("/"+strings.Repeat("a", 3000), "/allowed", "/forbidden"), Robots: text(func() string {
			return rule + strings.Repeat("Disallow: /"+strings.Repeat("*a", 100)+"*b$\n", 2000)
		})},
		{Name: "robots-contradiction", Page: links, Robots: fixed(rule + "Allow: /forbidden\n")},
	}
}

func linkLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=\"/page/%d\">x</a>\n", i)
	}
	return b.String()
}

// sitemaps returns sitemaps that are attacks. robots.txt names /sitemap.xml.
func sitemaps() []Behaviour {
	robots := func(v *Visit) { v.Answer("200 OK", "", "Sitemap: http://"+v.Host()+"/sitemap.xml\n") }
	sitemap := func(answer func(v *Visit)) func(*Visit) {
		return func(v *Visit) {
			if strings.HasPrefix(v.Path, "/sitemap") {
				answer(v)
				return
			}
			v.Page("reached " + v.Path)
		}
	}
	xml := func(body func(v *Visit) string) func(*Visit) {
		return sitemap(func(v *Visit) { v.Answer("200 OK", "Content-Type: application/xml\r\n", body(v)) })
	}
	loc := func(v *Visit, path string) string { return "<url><loc>http://" + v.Host() + path + "</loc></url>" }
	return []Behaviour{
		{Name: "sitemap-index-chain", Robots: robots, Page: xml(func(v *Visit) string {
			return fmt.Sprintf("<sitemapindex><sitemap><loc>http://%s/sitemap-%d.xml</loc></sitemap></sitemapindex>", v.Host(),
				number(strings.TrimSuffix(v.Path, ".xml"))+1)
		})},
		{Name: "sitemap-of-itself", Robots: robots, Page: xml(func(v *Visit) string {
			return "<sitemapindex><sitemap><loc>http://" + v.Host() + "/sitemap.xml</loc></sitemap></sitemapindex>"
		})},
		{Name: "sitemap-gzip-bomb", Robots: robots, Page: sitemap(func(v *Visit) {
			member := func(text string) string { return string(pack([]byte(text), "gzip")) }
			v.Answer("200 OK", "Content-Type: application/gzip\r\n", member("<urlset>"+loc(v, "/first"))+
				strings.Repeat(member("<!--"+strings.Repeat(" ", 512<<10)+"-->\n"), 136)+member(loc(v, Beacon)+"</urlset>"))
		})},
		{Name: "sitemap-nested-gzip", Robots: robots, Page: sitemap(func(v *Visit) {
			body := "<urlset>" + loc(v, Beacon) + "</urlset>"
			v.Answer("200 OK", "Content-Type: application/gzip\r\n", string(pack([]byte(body), "gzip", "gzip", "gzip", "gzip")))
		})},
		{Name: "sitemap-entities", Robots: robots, Page: xml(func(v *Visit) string {
			dtd := `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">`
			for i := 'b'; i <= 'j'; i++ {
				dtd += fmt.Sprintf(`<!ENTITY %c "%s">`, i, strings.Repeat(fmt.Sprintf("&%c;", i-1), 10))
			}
			return `<?xml version="1.0"?>` + dtd + `]><urlset>` + loc(v, "/&j;") + loc(v, "/first") + `</urlset>`
		})},
		{Name: "sitemap-external-entity", Robots: robots, Page: xml(func(v *Visit) string {
			return `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY x SYSTEM "http://` + v.Host() + Beacon + `">]><urlset>` +
				loc(v, "/first") + `<url><loc>&x;</loc></url></urlset>`
		})},
		{Name: "sitemap-deep", Robots: robots, Page: xml(func(v *Visit) string {
			return "<urlset>" + loc(v, "/first") + strings.Repeat("<url>", 50_000) + loc(v, "/second")
		})},
		{Name: "sitemap-huge-token", Robots: robots, Page: xml(func(v *Visit) string {
			return "<urlset>" + loc(v, "/first") + "<url><loc>http://" + v.Host() + "/" + strings.Repeat("a", 1200<<10) +
				"</loc></url>" + loc(v, "/second") + "</urlset>"
		})},
		{Name: "sitemap-endless", Robots: robots, Page: sitemap(func(v *Visit) {
			v.Flood(ok+"Content-Type: application/xml\r\n\r\n<urlset>"+loc(v, "/first"), "<!-- "+strings.Repeat("nothing ", 2000)+" -->\n")
		})},
		{Name: "sitemap-charset-lie", Robots: robots, Page: xml(func(v *Visit) string {
			return `<?xml version="1.0" encoding="utf-16"?><urlset>` + loc(v, "/first") + "</urlset>"
		})},
	}
}
