package change

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// noisyPage is a page whose parts change, in two versions.
func noisyPage(head, main, beside, foot string) string {
	return `<!doctype html><body><header><h1>The Paper</h1>` + head + `</header><main><h2>Flood in the north</h2>` +
		`<p>It rained all day and the rivers rose higher than anybody had seen in the last hundred years.</p>` + main +
		`<p>Who lives by the water was told to leave, and many found a bed with friends on the hills.</p></main>` +
		`<aside><h3>Elsewhere</h3><ul><li><a href=https://a.test/>A test</a><li><a href=https://b.test/>B test</a></ul></aside>` +
		beside + `<footer><p>All rights are kept by the paper, and by those who write for it.</p>` + foot + `</footer>`
}

// What changed without anybody saying anything is noise and does not count, in each part of the page where it stands; what
// looks like it and is news is none.
func TestNoise(t *testing.T) {
	at := map[string]func(string) string{
		"head":   func(s string) string { return noisyPage(s, "", "", "") },
		"main":   func(s string) string { return noisyPage("", s, "", "") },
		"beside": func(s string) string { return noisyPage("", "", s, "") },
		"foot":   func(s string) string { return noisyPage("", "", "", s) },
	}
	for _, c := range []struct {
		in, old, new string
		want         Noise // of all operations
	}{
		// adverts
		{"beside", `<div class="box ad"><a href=http://shop.test/1>Cheap shoes for all</a></div>`, `<div class="box ad"><a href=http://car.test/>Drive a new car</a></div>`, Advert},
		{"main", `<a href=https://ad.doubleclick.net/x?1><img src=https://s0.2mdn.test/1.gif></a>`, `<a href=https://ad.doubleclick.net/x?2><img src=https://s0.2mdn.test/1.gif></a>`, Advert},
		{"beside", ``, `<div id=tablighat><img src=/banner.gif alt=shop></div>`, Advert},
		{"beside", `<p><a href=http://shop.test/1>Cheap shoes for all</a></p>`, `<p><a href=http://car.test/>Drive a new car</a></p>`, ""},
		// counters
		{"foot", `<p>1,234 visitors today</p>`, `<p>1,240 visitors today</p>`, Counter},
		{"main", `<p>بازدید: ۱۲۳۴</p>`, `<p>بازدید: ۱۲۳۹</p>`, Counter},
		{"main", `<p>۱۲ نظر</p>`, `<p>۱۵ نظر</p>`, Counter},
		{"main", `<p><a href=/flood/comments>Comments (12)</a></p>`, `<p><a href=/flood/comments>Comments (15)</a></p>`, Counter},
		{"main", `<p><a href=/flood/replies>۱۲ دیدگاه</a></p>`, `<p><a href=/flood/replies>۱۵ دیدگاه</a></p>`, Counter},
		{"main", `<p>200 visitors drowned at the lake</p>`, `<p>210 visitors drowned at the lake</p>`, ""},
		{"main", `<p>Price: 450,000</p>`, `<p>Price: 470,000</p>`, ""},
		{"main", `<p>The death toll rose to 45</p>`, `<p>The death toll rose to 46</p>`, ""},
		{"main", `<p>قیمت: ۴۵۰٬۰۰۰ تومان</p>`, `<p>قیمت: ۴۷۰٬۰۰۰ تومان</p>`, ""},
		{"main", `<p>Home 2 : 1 Guests</p>`, `<p>Home 3 : 1 Guests</p>`, ""},
		{"beside", `<p><a href=/phone>Phone 14</a></p>`, `<p><a href=/phone>Phone 15</a></p>`, ""},
		// dates
		{"head", `<p>Saturday, 12 May 2024</p>`, `<p>Sunday, 13 May 2024</p>`, Date},
		{"head", `<p>شنبه ۱۲ اردیبهشت ۱۴۰۳</p>`, `<p>یک‌شنبه ۱۳ اردیبهشت ۱۴۰۳</p>`, Date},
		{"head", `<p>۱۴۰۳/۰۲/۱۲ ساعت ۱۲:۳۰</p>`, `<p>۱۴۰۳/۰۲/۱۳ ساعت ۰۹:۰۵</p>`, Date},
		{"head", `<p>السبت ١٢ مايو ٢٠٢٤</p>`, `<p>الأحد ١٣ مايو ٢٠٢٤</p>`, Date},
		{"main", `<p>Last updated: 2024-05-12 10:00</p>`, `<p>Last updated: 2024-05-13 11:30</p>`, Date},
		{"main", `<p>آخرین به‌روزرسانی: ۱۲ اردیبهشت ۱۴۰۳</p>`, `<p>آخرین به‌روزرسانی: ۱۳ اردیبهشت ۱۴۰۳</p>`, Date},
		{"main", `<p>3 minutes ago</p>`, `<p>1 hour ago</p>`, Date},
		{"main", `<p>۳ دقیقه پیش</p>`, `<p>۲ ساعت پیش</p>`, Date},
		{"foot", `<p>© 2024 The Paper</p>`, `<p>© 2025 The Paper</p>`, Date},
		{"main", `<p>12 May 2024</p>`, `<p>19 May 2024</p>`, ""},
		{"main", `<p>The vote is on 12 May 2024</p>`, `<p>The vote is on 19 May 2024</p>`, ""},
		{"main", `<p>انتخابات روز ۱۲ اردیبهشت برگزار می‌شود</p>`, `<p>انتخابات روز ۱۹ اردیبهشت برگزار می‌شود</p>`, ""},
		{"beside", `<p>Deadline for all papers: 12 May 2024</p>`, `<p>Deadline for all papers: 19 May 2024</p>`, ""},
		// tokens
		{"foot", `<p><a href="/next?page=2&sid=a8f3k2">Next</a></p>`, `<p><a href="/next?page=2&sid=x9q1z7">Next</a></p>`, Token},
		{"main", `<img src="/river.jpg?v=1715000000" alt="">`, `<img src="/river.jpg?v=1715900000" alt="">`, Token},
		{"main", `<p><a href="/go;jsessionid=AB12CD34">Forward</a></p>`, `<p><a href="/go;jsessionid=ZX98YW76">Forward</a></p>`, Token},
		{"foot", `<p>Request ID: 8f3a9c01b2d4</p>`, `<p>Request ID: 1c9e7d30f5a8</p>`, Token},
		{"main", `<p><a href="/watch?v=dQw4w9WgXcQ">Watch</a></p>`, `<p><a href="/watch?id=oHg5SJYRHA0">Watch</a></p>`, ""},
		{"main", `<p><a href="/next?page=2">Next</a></p>`, `<p><a href="/next?page=3">Next</a></p>`, ""},
		{"main", `<p>Released as 8f3a9c01b2d4 for all users</p>`, `<p>Released as 1c9e7d30f5a8 for all users</p>`, ""},
		// lists of other pages
		{"beside", `<div class=related-posts><ul><li><a href=/1>One thing</a><li><a href=/2>Two things</a></ul></div>`, `<div class=related-posts><ul><li><a href=/3>A third thing</a><li><a href=/2>Two things</a></ul></div>`, Related},
		{"main", `<h3>Most read</h3><ul><li><a href=/1>One thing</a><li><a href=/2>Two things</a></ul>`, `<h3>Most read</h3><ul><li><a href=/3>A third thing</a><li><a href=/2>Two things</a></ul>`, Related},
		{"main", `<h3>پربازدیدترین‌ها</h3><ul><li><a href=/1>نخست</a><li><a href=/2>دوم</a></ul>`, `<h3>پربازدیدترین‌ها</h3><ul><li><a href=/3>سوم</a><li><a href=/2>دوم</a></ul>`, Related},
		{"main", `<h3>Results</h3><ul><li><a href=/1>One thing</a><li><a href=/2>Two things</a></ul>`, `<h3>Results</h3><ul><li><a href=/3>A third thing</a><li><a href=/2>Two things</a></ul>`, ""},
		{"main", `<div class=related><p>The minister said on the radio that nobody had been told of the water in time, and that the dam should have been opened on Monday already, as the law says it must.</p></div>`,
			`<div class=related><p>The minister said on the radio that everybody had been told of the water in time, and that the dam could not have been opened on Monday already, as the law says it must.</p></div>`, ""},
		// banners that ask for consent
		{"foot", ``, `<div>We use cookies to make this paper better. <a href=/privacy>More</a></div>`, Consent},
		{"foot", ``, `<div id=cookie-banner>Dieses Blatt fragt um Erlaubnis. <a href=/privacy>Mehr</a></div>`, Consent},
		{"main", `<p>To count readers, we use cookies of our own.</p>`, `<p>To count readers, we use cookies of our own and of others.</p>`, ""},
	} {
		d := between(t, at[c.in](c.old), at[c.in](c.new))
		news, noise := 0, 0
		for i := range d.Operations {
			o := &d.Operations[i]
			if o.Noise == c.want {
				noise++
			} else {
				news++
				t.Logf("%q: %s", o.Noise, told(o))
			}
		}
		if noise == 0 || news > 0 {
			t.Errorf("%s: %s → %s: %d operations are %q, %d are not", c.in, c.old, c.new, noise, c.want, news)
		}
		if e := d.Importance(ByPlace()).Weighed; (e == 0) != (c.want != "") {
			t.Errorf("%s: %s → %s weighs %v", c.in, c.old, c.new, e)
		}
	}
}

// A page that is one of these things as a whole has no noise: its part was told wrong.
func TestNoiseIsNoWholePage(t *testing.T) {
	for _, class := range []string{"ad", "related", "cookie-banner"} {
		version := func(s string) string {
			return `<body class="` + class + `"><h1>Terms of service</h1>` + strings.Repeat("<p>One who reads this agrees to it.</p>", 5) + "<p>" + s + "</p>"
		}
		d := between(t, version("You may leave."), version("You may not leave."))
		if len(d.Operations) == 0 || d.Operations[0].Noise != "" {
			t.Errorf("%s: %v", class, d.Operations)
		}
	}
	const policy = `<p>We use cookies for %s.</p><p>We use cookies for everything else.</p><p>Write to us about it.</p>`
	if d := between(t, fmt.Sprintf(policy, "adverts"), fmt.Sprintf(policy, "numbers")); len(d.Operations) == 0 || d.Operations[0].Noise != "" {
		t.Errorf("a page about cookies: %v", d.Operations)
	}
}

// What comes again is noise, and what is in a place that differed between two fetches within minutes; a paragraph never is.
func TestNoiseByPast(t *testing.T) {
	variant := func(s string) string { return noisyPage("<p><a href=/try>"+s+"</a></p>", "", "", "") }
	story := func(s string) string {
		return noisyPage("", "<p>"+s+" the mayor of the town said to all who had come to hear him that night.</p>", "", "")
	}
	marks := func(after time.Duration, versions ...string) map[Noise]int {
		var h History
		for i := 1; i < len(versions)-1; i++ {
			h.Next(between(t, versions[i-1], versions[i]), after)
		}
		d := between(t, versions[len(versions)-2], versions[len(versions)-1])
		h.Mark(d)
		n := map[Noise]int{}
		for _, o := range d.Operations {
			n[o.Noise]++
		}
		return n
	}
	only := func(n map[Noise]int, want Noise) bool {
		return slices.Equal(slices.Collect(maps.Keys(n)), []Noise{want})
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		name string
		got  map[Noise]int
		want Noise
	}{
		{"A, B, A", marks(day, variant("Try it free"), variant("Start now"), variant("Try it free")), Variant},
		{"A, B, C", marks(day, variant("Try it free"), variant("Start now"), variant("Ask us")), ""},
		{"A, B a minute later, C", marks(time.Minute, variant("Try it free"), variant("Start now"), variant("Ask us")), Volatile},
		{"a story that is put back", marks(day, story("Go home,"), story("Stay here,"), story("Go home,")), ""},
		{"a story that changes by the minute", marks(time.Minute, story("Go home,"), story("Stay here,"), story("Be still,")), ""},
	} {
		if !only(c.got, c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.got, c.want)
		}
	}
}

func FuzzNoise(f *testing.F) {
	f.Add("<p>12 May 2024 10:00", "<p>۱۳ اردیبهشت ۱۴۰۳", "/a;jsessionid=1?b=c&utm_x=1#d")
	f.Fuzz(func(t *testing.T, a, b, address string) {
		d, err := Between(cut(a), cut(b))
		if err != nil {
			t.Fatal(err)
		}
		if e := d.Importance(ByPlace()); e.Weighed > e.Summed+1e-9 {
			t.Fatalf("noise adds: %v", e)
		}
		if c := canonical(address); canonical(c) != c {
			t.Fatalf("%q becomes %q, and %q", address, c, canonical(c))
		}
	})
}
