package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// trapSite answers one host. It is asked for a page with the number of the request, so that what it makes up is new each time.
type trapSite func(r *http.Request, n int) string

// endless is after how many requests of a trap its pages have no more links, for a crawl that does not learn.
const endless = 2500

// made is the i-th made-up token of request n, in hexadecimal digits.
func made(n, i, digits int) string {
	return fmt.Sprintf("%016x%016[1]x", rand.New(rand.NewPCG(uint64(n), uint64(i))).Uint64())[:digits]
}

// word is a made-up word.
func word(n, i int) string {
	return strings.Map(func(c rune) rune { return rune("kitarsomunelpyvd"[strings.IndexRune("0123456789abcdef", c)]) }, made(n, i, 9))
}

// menu is what stands on all pages of a site.
var menu = "Home About Contact Imprint Help Our shop is open every day from nine to five, call us or write to us, and look at our news and offers. " +
	strings.Repeat("We deliver to every town of the country. ", 30)

// anchors are links without a word.
func anchors(n, count int, url func(i int) string) string {
	var b strings.Builder
	for i := range count {
		if n < endless {
			fmt.Fprintf(&b, "<a href='%s'>more</a> ", url(i))
		}
	}
	return b.String()
}

func traps() map[string]trapSite {
	same := func(url func(n, i int) string) trapSite {
		return func(r *http.Request, n int) string {
			return "<p>" + menu + anchors(n, 4, func(i int) string { return url(n, i) })
		}
	}
	const base64url = "aZbYcXdWeVfUgThS-_0123456789"
	return map[string]trapSite{
		"sid":       same(func(n, i int) string { return "/shop?sid=" + made(n, i, 8) }),
		"anyname":   same(func(n, i int) string { return "/shop?q=" + made(n, i, 6) + "&page=1" }),
		"word":      same(func(n, i int) string { return "/shop?ref=" + word(n, i) }),
		"parameter": same(func(n, i int) string { return "/shop;v=" + made(n, i, 8) }),
		"jsession":  same(func(n, i int) string { return "/shop/list.do;jsessionid=" + made(n, i, 8) + "?a=1" }),
		"asp":       same(func(n, i int) string { return "/(S(" + made(n, i, 16) + "))/shop.aspx" }),
		"aspshort":  same(func(n, i int) string { return "/(S(" + made(n, i, 6) + "))/shop.aspx" }),
		"two":       same(func(n, i int) string { return fmt.Sprintf("/shop?s=%s&t=%d", made(n, i, 8), 1_700_000_000+10*n+i) }),
		"time":      same(func(n, i int) string { return fmt.Sprintf("/shop?_=%d", 1_700_000_000_000+10*n+i) }),
		"short":     same(func(n, i int) string { return "/shop?x=" + made(n, i, 4) }),
		"uuid": same(func(n, i int) string {
			return fmt.Sprintf("/shop?id=%s-%s-4000-8000-%s", made(n, i, 8), made(n, i+50, 4), made(n, i+99, 12))
		}),
		"base64": same(func(n, i int) string {
			var b strings.Builder
			for j := range 11 {
				b.WriteByte(base64url[int(made(n, i*20+j, 1)[0])*7%len(base64url)])
			}
			return "/shop?k=" + b.String()
		}),
		"segment": same(func(n, i int) string { return "/s/" + made(n, i, 8) + "/shop" }),
		"numbers": same(func(n, i int) string { return fmt.Sprintf("/p/%d?sid=%s", n*4+i, made(n, i, 8)) }),
		"echo": func(r *http.Request, n int) string {
			return fmt.Sprintf("<p>You are at %s, it is %02d:%02d:%02d.<input type=hidden name=csrf value='%s'><!-- %d -->%s %s", r.URL, n/60%24, n%60, n%60, made(n, 77, 20), n, menu,
				anchors(n, 4, func(i int) string { return "/shop?sid=" + made(n, i, 8) }))
		},
		"listed": func(r *http.Request, n int) string {
			return "<p>" + menu + anchors(n, 300, func(i int) string { return "/shop?sid=" + made(n, i, 8) })
		},
		"soft404":  same(func(n, i int) string { return "/" + word(n, i) + "/" + word(n, i+9) + "/" + word(n, i+18) }),
		"tags":     same(func(n, i int) string { return "/tag/" + word(n, i) }),
		"mirrored": same(func(n, i int) string { return []string{"a/", "b/", "a/b/c.html", "../b/"}[i] }),
		"sorted": func(r *http.Request, n int) string {
			items := strings.Fields(menu)
			rand.New(rand.NewPCG(uint64(n), 1)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			return "<p>" + strings.Join(items, " ") + anchors(n, 4, func(i int) string {
				return fmt.Sprintf("/list?sort=%s&dir=%s&view=%s", word(int(made(n, i, 1)[0]), 1), made(n, i+30, 1), made(n, i+60, 2))
			})
		},
		"calendar": func(r *http.Request, n int) string {
			year, month := 2026, 1
			fmt.Sscanf(r.URL.RequestURI(), "/month?year=%d&month=%d", &year, &month)
			return calendar(year, month, fmt.Sprint(time.Month(month)), "%d") + monthLinks("/month?year=%d&month=%d", year, month, n)
		},
		"taghvim": func(r *http.Request, n int) string {
			year, month := 1405, 1
			fmt.Sscanf(r.URL.Path, "/m/%d/%d", &year, &month)
			return inPersianDigits(calendar(year, month, strings.Fields("فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند")[month-1], "%d")) +
				monthLinks("/m/%d/%d", year, month, n)
		},
		"counted": func(r *http.Request, n int) string { // months that the URL counts
			k := 0
			fmt.Sscanf(r.URL.Path, "/cal/%d", &k)
			return calendar(2000+k/12, k%12+1, fmt.Sprint(time.Month(k%12+1)), "%d") + anchors(n, 2, func(i int) string { return fmt.Sprintf("/cal/%d", k+1+11*i) })
		},
	}
}

func calendar(year, month int, name, day string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s %d</h1> %s Monday Tuesday Wednesday Thursday Friday Saturday Sunday ", name, year, menu)
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	for d := first; d.Month() == first.Month(); d = d.AddDate(0, 0, 1) {
		fmt.Fprintf(&b, "<td>"+day, d.Day())
	}
	return b.String()
}

func monthLinks(format string, year, month, n int) string {
	next := time.Date(year, time.Month(month)+1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(year, time.Month(month)-1, 1, 0, 0, 0, 0, time.UTC)
	to := [][2]int{{next.Year(), int(next.Month())}, {last.Year(), int(last.Month())}, {year + 1, month}, {year - 1, month}}
	return anchors(n, 4, func(i int) string { return fmt.Sprintf(format, to[i][0], to[i][1]) })
}

func inPersianDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return c - '0' + '۰'
		}
		return c
	}, s)
}

// innocentPages is how many pages each of the innocent sites has.
const innocentPages = 160

// innocents are sites that look like traps and are none: each has the pages that its number gives the URLs of.
func innocents() map[string]struct {
	url   func(k int) string
	page  func(k int) string
	chain bool // each page leads to the next; else a list names them all
} {
	type site = struct {
		url   func(k int) string
		page  func(k int) string
		chain bool
	}
	persian := strings.Fields("سلام دوستان خوبم امروز باران آمد و من به خانه رفتم چای نوشیدم کتاب خواندم دلم گرفت شب شد خوابیدم صبح بیدار شدم رفتم کار کردم برگشتم")
	words := func(k, n int, of []string) string {
		var b []string
		for i := range n {
			b = append(b, of[int(rand.New(rand.NewPCG(uint64(k), uint64(i))).Uint64()%uint64(len(of)))])
		}
		return strings.Join(b, " ")
	}
	number := func(format string) func(int) string { return func(k int) string { return fmt.Sprintf(format, k) } }
	token := func(format string) func(int) string {
		return func(k int) string { return fmt.Sprintf(format, made(k, 7, 8)) }
	}
	return map[string]site{
		"numbered":     {number("/page/%d"), func(k int) string { return menu + "Page " + fmt.Sprint(k) }, true},
		"named":        {func(k int) string { return "/name/" + word(k, 1) }, func(k int) string { return menu + "/name/" + word(k, 1) }, true},
		"shop":         {number("/item?id=%d"), func(k int) string { return menu + "This is the " + word(k, 1) }, false},
		"tokenshop":    {token("/item?id=%s"), func(k int) string { return menu + "Price: " + fmt.Sprint(k*7%97) }, false},
		"forum":        {token("/topic?t=%s"), func(k int) string { return menu + "Hello, " + word(k, 2) }, true},
		"pages":        {number("/list?page=%d"), func(k int) string { return menu + word(k, 1) + " " + word(k, 2) }, true},
		"gallery":      {token("/photo?p=%s"), func(k int) string { return menu + "<img src='/i/" + made(k, 9, 12) + ".jpg'>" }, true},
		"galleryquery": {token("/photo/%s/"), func(k int) string { return "<img src='/i?" + made(k, 9, 12) + "'>" }, true},
		"blog": {token("/post/%s/"), func(k int) string {
			return strings.Repeat(strings.Join(persian, " "), 20) + "<p>" + words(k, 5, persian)
		}, true},
		"blogid":      {number("/post.php?id=%d"), func(k int) string { return menu + "<p>" + words(k, 6, persian) }, true},
		"data":        {number("/rates?day=%d"), func(k int) string { return words(k, 9, strings.Fields("1 2 3 4 5 6 7 8 9 10")) }, true},
		"application": {number("/app?id=%d"), func(k int) string { return menu + "<script>var page={title:'" + word(k, 1) + "'}</script>" }, true},
		"attribute": {number("/app/%d"), func(k int) string {
			return "<div id=app data-page='{&quot;t&quot;:&quot;" + word(k, 1) + "&quot;}'></div>"
		}, true},
		"dictionary": {func(k int) string { return "/word/" + word(k, 1) }, func(k int) string { return menu + word(k, 1) + ": " + word(k, 2) }, true},
		"soldout": {number("/item?id=%d"), func(k int) string {
			if k%3 > 0 {
				return menu + "sold out"
			}
			return menu + "This is the " + word(k, 1)
		}, false},
		"soldoutfirst": {number("/item?id=%d"), func(k int) string {
			if k < 30 {
				return menu + "sold out"
			}
			return menu + "This is the " + word(k, 1)
		}, false},
		"categories": {func(k int) string { return fmt.Sprintf("/list?cat=%d&page=%d", k/8, k%8) }, func(k int) string {
			if k/8 < 5 {
				return menu + "Nothing here yet"
			}
			return menu + word(k, 1)
		}, false},
		"picture":  {number("/picture?id=%d"), func(k int) string { return menu + "<img src='/i/" + fmt.Sprint(k) + ".jpg'>" }, false},
		"video":    {number("/watch?v=%d"), func(k int) string { return menu + "<iframe src='/i/player?" + made(k, 3, 8) + "'></iframe>" }, false},
		"download": {number("/download.php?id=%d"), func(k int) string { return menu + fmt.Sprintf("<a href='/file/%d.pdf'>file</a>", k) }, false},
		"getfile":  {number("/download.php?id=%d"), func(k int) string { return menu + fmt.Sprintf("<a href='/file/get?id=%d'>file</a>", k) }, false},
		"filelist": {number("/list?page=%d"), func(k int) string {
			return menu + fmt.Sprintf("<a href='/file/%d.pdf'>file</a> <a href='/file/get?id=%d'>file</a>", k, k)
		}, true},
		"events": {number("/month/%d"), func(k int) string {
			s := calendar(2000+k/12, k%12+1, fmt.Sprint(time.Month(k%12+1)), "%d")
			if k%5 == 0 {
				s += "A party for " + word(k, 1)
			}
			return s
		}, true},
	}
}

// Sites that make up URLs without end are followed for a while and then left out, with a line and a reason for each URL;
// those that only look so are crawled to their last page.
func TestTrapsAreLeftAndInnocentsAreWhole(t *testing.T) {
	t.Parallel()
	sites, whole := traps(), innocents()
	var mu sync.Mutex
	asked := map[string]int{}
	got := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.Host, ".")
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[name]++
		n := asked[name]
		got[name+r.URL.RequestURI()] = true
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if site := sites[name]; site != nil {
			fmt.Fprint(w, site(r, n))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/file/") {
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprintf(w, "%%PDF-1.7 %s", r.URL)
			return
		}
		site, ok := whole[name]
		if !ok || strings.HasPrefix(r.URL.Path, "/i") && !strings.HasPrefix(r.URL.Path, "/item") {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/" {
			fmt.Fprint(w, "All: ")
			for k := range innocentPages {
				if k == 0 || !site.chain {
					fmt.Fprintf(w, "<a href='%s'>%d</a> ", site.url(k), k)
				}
			}
			return
		}
		for k := range innocentPages {
			if site.url(k) == r.URL.RequestURI() {
				fmt.Fprint(w, site.page(k))
				if k++; site.chain && k < innocentPages {
					fmt.Fprintf(w, "<a href='%s'>next</a>", site.url(k))
				}
			}
		}
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "a")
	args := []string{"crawl", "--browser", "never", "--archive", dir, "--delay", "0", "--workers", "16", "--connect-to", "::" + server.Listener.Addr().String()}
	for name := range sites {
		args = append(args, "http://"+name+".test/")
	}
	for name := range whole {
		args = append(args, "http://"+name+".test/")
	}
	command(t, args...)
	told := map[string]bool{}
	for line := range strings.Lines(command(t, "log", dir, "--json")) {
		for name := range sites {
			if strings.Contains(line, "http://"+name+".test/") && strings.Contains(line, `"trap: `) {
				told[name] = true
			}
		}
	}
	for name := range sites {
		t.Log(name, asked[name])
		if n := asked[name]; n > 400 || !told[name] {
			t.Errorf("the trap %s was asked %d times; a line tells of it: %v", name, n, told[name])
		}
	}
	for name, site := range whole {
		lost := 0
		for k := range innocentPages {
			if !got[name+site.url(k)] {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s lost %d of %d pages", name, lost, innocentPages)
		}
	}
}
