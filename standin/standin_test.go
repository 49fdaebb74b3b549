package standin

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
	"kavosh/internal/spool"
	"kavosh/lib/charset"
)

// answered is an answer of status 200 with a page, unless header says otherwise: "Name: value" by lines, and "status=N".
func answered(header, page string) *kavosh.Exchange {
	body := spool.Memory(page)
	x := &kavosh.Exchange{Status: 200, Task: &kavosh.Task{URL: "http://a.test/page"}, Wire: body, Payload: body}
	for line := range strings.Lines(header) {
		line = strings.TrimSpace(line)
		if _, err := fmt.Sscanf(line, "status=%d", &x.Status); err == nil {
			continue
		}
		name, value, _ := strings.Cut(line, ": ")
		x.Header = append(x.Header, kavosh.Field{Name: name, Value: value})
	}
	return x
}

// signOf is the sign by which an answer is told.
func signOf(header, page string) string { return Of(answered(header, page), []byte(page)).Sign }

// What walls of many makers show with status 200, in forms of our own.
func TestInterstitials(t *testing.T) {
	for _, test := range []struct{ want, header, page string }{
		{"Cloudflare", "Server: cloudflare", `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta http-equiv="refresh" content="390"></head><body><div class="main-wrapper"><h1>a.test</h1><p>Checking that you are human. This may take a few seconds.</p></div><script>(function(){window._cf_chl_opt={cvId:'3',cType:'managed'};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1';document.getElementsByTagName('head')[0].appendChild(a)})()</script></body></html>`},
		{"Cloudflare", "", `<html><head><title>Just a moment...</title></head><body><form id="challenge-form" action="/?__cf_chl_f_tk=x" method="POST"><input type="hidden" name="md" value="x"></form><script src="/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1"></script></body></html>`},
		{"Cloudflare", "", `<html><head><title>Just a moment...</title></head><body>Checking your browser before accessing a.test.<script>setTimeout(function(){}, 4000)</script></body></html>`},
		{"DDoS-Guard", "Server: ddos-guard", `<!doctype html><html><head><title>DDoS-Guard</title><script src="/.well-known/ddos-guard/js-challenge/index.js"></script></head><body><h1 id="title">Checking your browser before accessing a.test</h1></body></html>`},
		{"DDoS-Guard", "", `<html><head><title>a.test</title></head><body data-ddg-origin=true><script src="https://check.ddos-guard.net/check.js"></script></body></html>`},
		{"Akamai", "Server: AkamaiGHost", `<html><body><script>var i = {provider: 'crypto'}</script><div id="sec-if-cpt-container"></div><script src="/_sec/cp_challenge/sec-3-4.js" async defer></script></body></html>`},
		{"Akamai", "", `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQA'" /></head><body><script>var t = 3; xhr = new XMLHttpRequest(); xhr.open("POST", "/_sec/verify?provider=interstitial", false)</script></body></html>`},
		{"Imperva", "", `<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1" frameborder=0 width="100%" height="100%">Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>`},
		{"Imperva", "", `<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=719d"></script><body></body></html>`},
		{"PerimeterX", "", `<!DOCTYPE html><html><head><title>Access to this page has been denied</title></head><body><div id="px-captcha"></div><script>window._pxAppId='PXx';window._pxJsClientSrc='/x/init.js'</script><script src="https://captcha.px-cdn.net/PXx/captcha.js"></script></body></html>`},
		{"Sucuri", "Server: Sucuri/Cloudproxy", `<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='cz0n';</script></html>`},
		{"AWS WAF", "", `<!DOCTYPE html><html lang="en"><head><title></title><script type="text/javascript">window.awsWafCookieDomainList = [];window.gokuProps = {"key":"A"};</script><script src="https://x.token.awswaf.com/x/y/challenge.js"></script></head><body><div id="challenge-container"></div><noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot.</noscript></body></html>`},
		{"ArvanCloud", "Server: ArvanCloud", `<!DOCTYPE html><html lang="fa"><head><title>در حال انتقال</title></head><body><p>در حال انتقال به سایت مورد نظر هستید...</p><script>var a=1;document.cookie="__arcsjs=1;path=/";location.reload()</script></body></html>`},
		{"ArvanCloud", "", `<html><head><title>a.test</title></head><body><img src="https://static.arvancloud.ir/logo.svg">Transferring to the website...<script>function go(){}</script></body></html>`},
		{"Radware", "", `<html><head><title>Radware Bot Manager Captcha</title></head><body><p>Please show that you are no robot.</p><script src="https://cdn.perfdrive.com/captcha.js"></script></body></html>`},
		{"Anubis", "", `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.min.css"><script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script></head><body><main><h1>Making sure you&#39;re not a bot!</h1><p>Loading...</p><script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></main></body></html>`},
		{"reCAPTCHA", "", `<html><head><title>Are you human?</title><script src="https://www.google.com/recaptcha/api.js" async defer></script></head><body><p>Please show that you are no robot.</p><form method=post action="?"><div class="g-recaptcha" data-sitekey="x"></div><input type="submit" value="Go on"></form></body></html>`},
		{"hCaptcha", "", `<html><head><title>One more step</title></head><body><p>Please complete the check.</p><form method=post><div class="h-captcha" data-sitekey="x"></div><input type=hidden name=to value=/></form><script src="https://js.hcaptcha.com/1/api.js" async defer></script></body></html>`},
		{"Google", "status=302\nLocation: https://www.google.com/sorry/index?continue=x", ""},
		{"cookie and loads itself", "", `<html><head></head><body><script>document.cookie = "check=" + (7 * 6) + "; path=/"; location.reload()</script></body></html>`},
		{"cookie and loads itself", "", `<html><head><meta http-equiv="refresh" content="2"><script>work()</script></head><body>One moment please</body></html>`},
	} {
		if got := signOf(test.header, test.page); test.want == "" || !strings.Contains(got, test.want) {
			t.Errorf("%q, not %s: %s", got, test.want, test.page)
		}
		if strings.Contains(test.page, "<script") { // the same marks as the text of an article, or beside one
			text := "<!doctype html><title>How bot walls work</title><article><p>They say:<pre>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(test.page) + "</pre></article><script src=/menu.js></script>"
			if got := signOf(test.header, text); got != "" {
				t.Errorf("an article that quotes the page is taken for %s: %s", got, text)
			}
			long := strings.Replace(test.page, "<body", "<body><div>"+strings.Repeat("<p>There is much to read here, and more below. ", 50)+"</div", 1)
			if got := signOf(test.header, long); got != "" && strings.Contains(test.page, "<body") {
				t.Errorf("a page to read with the same scripts is taken for %s", got)
			}
		}
	}
}

// A refusal is told for a wall by more than its status.
func TestRefusals(t *testing.T) {
	for _, test := range []struct{ want, header, page string }{
		{"Cloudflare challenge", "status=403\ncf-mitigated: challenge", ""},
		{"Cloudflare challenge", "status=503\nServer: cloudflare", "<script src=/cdn-cgi/challenge-platform/x>"},
		{"", "status=503\nServer: cloudflare", "<p>origin is down"},
		{"Akamai", "status=403\nServer: AkamaiGHost", "<H1>Access Denied</H1> Reference&#32;&#35;18"},
		{"", "status=403\nServer: nginx", "<H1>Access Denied</H1>"},
		{"DataDome", "status=405", "<script src=https://geo.captcha-delivery.com/c.js>"},
		{"Anubis", "Set-Cookie: techaro.lol-anubis-auth=x", "<script id=anubis_challenge>"},
		{"", "", "<div class=\"h-captcha\"> a form with a captcha"},
		{"", "status=403", "forbidden"},
		{"Akamai", "", "<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1>You don't have permission to see this. Reference #18.1f</body></html>"},
		{asksWho, "", "<title>Shop</title><h1>One moment</h1><p>Please confirm that you are human.<form><button>Go on</button></form>"},
		{asksWho, "status=403", "<html lang=fa><title>فروشگاه</title><p>لطفاً تأیید کنید که ربات نیستید<form><button>ادامه</button></form>"},
		{namesRequest, "status=403", "<title>Your request was blocked</title><p>Your IP address is 192.0.2.1"},
		{namesRequest, "status=429", "<html lang=ru><title>Доступ ограничен</title><p>IP-адрес: 192.0.2.1"},
		{"Vercel firewall", "status=403\nX-Vercel-Mitigated: deny", "Forbidden"},
		{"DataDome", "status=403\nX-Dd-B: 1", "<p>Please enable JS"},
		{"", "X-Datadome: protected", "<title>Shop</title><p>Things to buy."},
		{"Kasada", "status=429\nX-Kpsdk-Ct: x", "<script src=/x/ips.js></script>"},
		{"Imunify360", "Server: imunify360-webshield/1.21", "<title>One moment, please...</title>"},
		{"Azure", "status=403\nX-Azure-Ref: 2026", "<h2>The request is blocked.</h2>"},
		{"", "status=403\nX-Azure-Ref: 2026", "<h2>Members only</h2>"},
		{"ModSecurity", "status=406", "<h1>Not Acceptable!</h1><p>This error was generated by Mod_Security."},
		{"LinkedIn", "status=999", "<script>window.location.href = 'https://' + domain + '/authwall?trk=x'</script>"},
		{namesRequest, "", "<title>Error 403 Access Denied</title><h1>Error 403</h1><p>The owner of this site has banned you."},
		{namesRequest, "", "<html lang=zh><title>访问被拦截</title><p>事件编号：1f 您的IP：192.0.2.1"},
		{namesRequest, "", "<html lang=pt><title>Acesso bloqueado</title><p>O seu pedido foi recusado. 192.0.2.1"},
		{asksWho, "", "<html lang=de><title>Nur einen Moment</title><h1>Dein Browser wird überprüft</h1><script>work()</script>"},
		{asksWho, "", "<html lang=fr><title>Un instant</title><p>Confirmez que vous êtes humain.<form><button>Continuer</button></form>"},
		{asksWho, "", "<html lang=tr><title>Bir dakika</title><p>Robot olmadığınızı doğrulayın<script>work()</script>"},
		{asksWho, "", "<html lang=ar><title>متجر</title><h1>يرجى التحقق من أنك لست روبوتا</h1><script>work()</script>"},
		{asksWho, "", "<html lang=ja><title>店</title><h1>ロボットではないことを確認してください</h1><script>work()</script>"},
		{asksWho, "", "<html><head></head><body><script src=/work.js></script><noscript>We need to make sure that you are not a robot. Switch scripts on.</noscript></body></html>"},
		{asksWho, "", "<title>Market - Anti-DDoS</title><h2>Anti-DDoS code</h2><img src=/code.png><form><input name=challenge><input type=submit></form>"},
		{asksWho, "", "<title>Films</title><p>Sorry for the interruption. We have had many requests from your network.<form><input name=q><input type=submit></form><form><div id=captcha></div></form>"},
		{"", "", "<title>antibot - tells walls</title><script src=/docs.js></script><noscript>" + strings.Repeat("It tells whether you are a robot. ", 30) + "</noscript>"},
		{"", "", "<title>Human resources - employment verification</title><h1>Human resources</h1><p>Employment verification.<script>menu()</script>"},
		{"", "", "<html lang=ru><title>Проверка скорости соединения</title><h1>Проверка скорости соединения с интернетом</h1><script>work()</script>"},
		{"", "", "<title>Set up the bot</title><h1>Set up the bot</h1><p>Make sure the bot may read the channel.<script>menu()</script>"},
		{"", "", "<title>Shop</title><div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=/app.js></script>"},
		{"", "", "<title>Access denied</title><h1>Access denied</h1><p>Only members of the group may read this page.<script>menu()</script>"},
		{"", "", "<title>Release 1.2.3.4</title><h1>Release 1.2.3.4</h1><p>What is new."},
		{"", "status=522", "<title>a.test | 522: Connection timed out</title><h1>Connection timed out</h1><p>Ray ID: 8f Your IP: 192.0.2.1"},
		{"", "status=403", "<title>403 Forbidden</title><h1>403 Forbidden</h1><ul><li>Code: AccessDenied<li>Message: Access Denied<li>RequestId: 1F</ul>"},
		{"", "", "<title>Contact</title><form><input name=mail><textarea name=text></textarea><label><input type=checkbox> I am not a robot</label><button>Send</button></form>"},
		{"", "", "<title>News</title><p>The robot asked whether he was human, and he was not a robot."},
	} {
		if got := signOf(test.header, test.page); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.header, test.page, got, test.want)
		}
	}
}

// Pages of sites that have something of a wall's, and are none.
func TestNoWalls(t *testing.T) {
	app := `<!doctype html><html lang=en><head><meta charset=utf-8><title>App</title><link rel=icon href=/favicon.ico>%s<script type=module src=/assets/index-1f.js></script><link rel=stylesheet href=/assets/index.css></head><body><div id=root></div></body></html>`
	for _, page := range []string{
		fmt.Sprintf(app, ""),
		fmt.Sprintf(app, `<script src="/_Incapsula_Resource?SWJIYLWA=719d"></script>`),
		fmt.Sprintf(app, `<script src="https://www.google.com/recaptcha/api.js?render=x"></script>`),
		fmt.Sprintf(app, `<script>(function(){var d=b.contentDocument;var a=d.createElement('script');a.innerHTML="window.__CF$cv$params={};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'"})()</script>`),
		fmt.Sprintf(app, `<script>window._pxAppId='PXx'</script><script src="https://client.px-cloud.net/PXx/main.min.js"></script>`),
		fmt.Sprintf(app, `<script src="https://x.sdk.awswaf.com/x/challenge.js"></script>`),
		fmt.Sprintf(app, `<script>document.cookie = 'seen=1'; if (location.href.indexOf('#') > 0) location.href = '/'</script>`),
		`<!doctype html><title>Contact</title><form method=post><input name=mail type=email><textarea name=text></textarea><div class="g-recaptcha" data-sitekey=x></div><input type=submit></form><script src="https://www.google.com/recaptcha/api.js"></script>`,
		`<!doctype html><title>Sign in</title><form method=post><input name=user><input name=p type=password><div class="h-captcha"></div></form><script src="https://js.hcaptcha.com/1/api.js"></script>`,
		`<!doctype html><title>Not found</title><h1>404</h1><p>There is no such page.</p><a href=/>Home</a><script>count()</script>`,
		`<!doctype html><title>Moved</title><meta http-equiv=refresh content="0; url=/new/"><a href=/new/>here</a>`,
		`<!doctype html><title>Moved</title><script>location.href = '/new'</script>`,
		`<!doctype html><title>Webcam</title><meta http-equiv=refresh content=10><img src=/cam.jpg><script>clock()</script>`,
		`<!doctype html><title>Status</title><meta http-equiv=refresh content=300><p>All is well<script>clock()</script>`,
		`<!doctype html><title>On Cloudflare's challenges</title><p>The page says "Just a moment..." and loads /cdn-cgi/challenge-platform/h/b/orchestrate/ with _cf_chl_opt.</p><script src=/menu.js></script>`,
		`<!doctype html><title>Just a moment in time</title><p>A poem.</p><script src=/menu.js></script>`,
		`<!doctype html><title>x</title>`,
	} {
		for _, header := range []string{"", "Server: cloudflare", "Server: ddos-guard\nSet-Cookie: __ddg1_=x", "Server: AkamaiGHost\nSet-Cookie: _abck=x", "Set-Cookie: visid_incap_1=x"} {
			if got := Of(answered(header, page), []byte(page)); got.Kind == kavosh.Wall {
				t.Errorf("%q is taken for %s: %s", header, got.Sign, page)
			}
		}
	}
}

// Scripts that makers of walls put into ordinary pages tell a wall only where something else tells that the page refuses.
func TestSensors(t *testing.T) {
	for _, sensor := range []string{
		`<script src="https://cdn.perfdrive.com/aperture/aperture.js"></script>`,
		`<script>(function(){var s=document.createElement("script");s.src="https://cdn.perfdrive.com/aperture.js"})()</script>`,
		`<script type="text/javascript" src="/akam/13/5d2a1b" defer></script>`,
		`<script src="/TSPD/08f?type=10"></script>`,
		`<script src="/_Incapsula_Resource?SWJIYLWA=719d"></script>`,
		`<script src="/_Imperva_/x.js"></script>`,
		`<script>window._pxAppId='PXx';(function(){var p=document.createElement('script');p.src='/x/init.js'})()</script>`,
		`<script src="https://x.sdk.awswaf.com/x/challenge.js"></script>`,
		`<script>AwsWafIntegration.getToken()</script>`,
	} {
		small := `<!doctype html><html><head><title>Opening hours</title>` + sensor + `</head><body><h1>Opening hours</h1><p>We are here from 8 to 12. <a href=/>Home</a>%s</body></html>`
		for name, page := range map[string]string{"with links": small, "of few words": strings.Replace(small, "<a href=/>Home</a>", "", 1)} {
			page = fmt.Sprintf(page, "")
			if got := signOf("", page); got != "" {
				t.Errorf("an ordinary page %s is taken for %s: %s", name, got, page)
			}
			if got := signOf("status=403", page); got == "" {
				t.Errorf("a refusal %s is taken for no wall: %s", name, page)
			}
		}
		if got := signOf("", "<html><head>"+sensor+"</head><body><noscript>Please enable JavaScript.</noscript></body></html>"); got == "" {
			t.Errorf("a page of nothing but %s is taken for no wall", sensor)
		}
	}
	for _, page := range []string{
		`<!doctype html><title>Our film</title><p>See our film.<iframe src="https://player.arvancloud.ir/index.html?config=x"></iframe>`,
		`<!doctype html><title>Hosting</title><p>Kept safe by <a href="https://ddos-guard.net/">DDoS-Guard</a>.<script>count()</script>`,
	} {
		if got := signOf("", page); got != "" {
			t.Errorf("taken for %s: %s", got, page)
		}
	}
}

// What stands in place of pages without keeping anybody out, in forms of our own and in several languages, and pages of
// sites that have something of it.
func TestPagesInPlaceOfOthers(t *testing.T) {
	menu := strings.Repeat("<li><a href=/x>A part of the site</a>", 40)
	for _, test := range []struct {
		want kavosh.StandIn
		url  string // "" is that of answered
		page string
	}{
		{kavosh.NotFound, "", `<!doctype html><title>Page not found</title><body><h1>Page not found</h1><p>Sorry.`},
		{kavosh.NotFound, "", `<!doctype html><title>Error 404 - A town</title><ul>` + menu + `</ul><h1>Oops! That page can’t be found.</h1><p>Try a search?<form><input type=search></form>`},
		{kavosh.NotFound, "", `<!doctype html><meta name=robots content=noindex><title>A town</title><ul>` + menu + `</ul><h1>404</h1><p>The page you requested does not exist.`},
		{kavosh.NotFound, "", `<!doctype html><html lang=fa><title>صفحه پیدا نشد – شهر ما</title><body class=error404><h1>صفحه‌ی مورد نظر شما يافت نشد</h1><p>به صفحه‌ی نخست بازگردید.`},
		{kavosh.NotFound, "", `<!doctype html><html lang=fa><title>خطای ۴۰۴</title><h1>۴۰۴</h1><p>متأسفانه صفحه‌ای که به دنبال آن هستید وجود ندارد.`},
		{kavosh.NotFound, "", `<!doctype html><html lang=ar><title>404</title><h1>عذراً، الصفحة غير موجودة</h1>`},
		{kavosh.NotFound, "", `<!doctype html><html lang=de><title>Seite nicht gefunden</title><h1>Diese Seite gibt es leider nicht</h1>`},
		{kavosh.NotFound, "", `<!doctype html><html lang=fr><title>Page introuvable</title><h1>Page non trouvée</h1>`},
		{kavosh.NotFound, "", `<!doctype html><html lang=ru><title>Страница не найдена</title><h1>404</h1>`},
		{kavosh.NotFound, "", `<!doctype html><html lang=ja><title>ページが見つかりません</title><h1>お探しのページは見つかりませんでした</h1>`},
		{kavosh.NotFound, "", `<!doctype html><html lang=zh><title>页面不存在</title><h1>404</h1>`},
		{kavosh.NotFound, "", `File not found.`},
		{kavosh.NoStandIn, "", `<!doctype html><title>News of the harbour</title><h1>News</h1><p>Ships lay there, and nobody looked for a page that was not found.`},
		{kavosh.NoStandIn, "", `<!doctype html><title>How to mend "page not found"</title><h1>Error 404: page not found</h1><article>` + strings.Repeat("<p>The server says that the page was not found when there is none. ", 60)},
		{kavosh.NoStandIn, "", `<!doctype html><title>Search</title><h1>Nothing found</h1><p>No page has these words.<form><input name=q></form>`},
		{kavosh.NoStandIn, "", `<!doctype html><title>404 - a film</title><h1>404</h1><p>` + strings.Repeat("It was made in a year of which nobody speaks. ", 30)},
		{kavosh.NoStandIn, "", `<!doctype html><title>Lost and found</title><h1>Lost and found</h1><p>We keep what you forgot.`},

		{kavosh.Login, "", `<!doctype html><title>Sign in</title><form method=post><input name=user><input name=p type=password><input type=submit></form>`},
		{kavosh.Login, "", `<!doctype html><html lang=fa><title>ورود به سامانه</title><form method=post><input name=user><input name=p type=password><button>ورود</button></form>`},
		{kavosh.Login, "http://a.test/user/login?next=/x", `<!doctype html><title>A town</title><ul>` + menu + `</ul><form method=post><input name=user><input name=p type=password></form>`},
		{kavosh.NoStandIn, "", `<!doctype html><title>A town</title><h1>A town</h1><ul>` + menu + `</ul><form method=post><input name=user><input name=p type=password></form>`},
		{kavosh.NoStandIn, "", `<!doctype html><title>How to log in</title><h1>How to log in</h1><p>Press the button at the top.`},

		{kavosh.Consent, "", `<!doctype html><title>Bevor Sie fortfahren</title><h1>Ihre Privatsphäre</h1><p>Wir und unsere Partner verwenden Cookies.<form action=/save><button>Alle akzeptieren</button></form>`},
		{kavosh.Consent, "", `<!doctype html><html lang=fr><title>Le journal</title><div>Nous et nos partenaires utilisons des cookies pour la publicité.</div><div role=button>Tout accepter</div>`},
		{kavosh.NoStandIn, "", `<!doctype html><title>Cookies</title><h1>How we use cookies</h1><p>We use cookies to count readers.`},
		{kavosh.NoStandIn, "", `<!doctype html><title>A town</title><h1>A town</h1><ul>` + menu + `</ul><div>We use cookies.<button>Accept all</button></div>`},

		{kavosh.Parked, "", `<!doctype html><title>a.test</title><h1>a.test</h1><p>This domain is for sale.`},
		{kavosh.Parked, "", `<!doctype html><html lang=fa><title>این دامنه به فروش می‌رسد</title><p>تماس بگیرید.`},
		{kavosh.Parked, "", `<html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1><p>The server works.</body></html>`},
		{kavosh.Parked, "", `<html><head><script>window.onload=function(){window.location.href="/lander"}</script></head></html>`},
		{kavosh.NoStandIn, "", `<!doctype html><title>News</title><h1>A castle is for sale</h1><p>It stands on a hill.`},
	} {
		x := answered("", test.page)
		if test.url != "" {
			x.Task.URL = test.url
		}
		if got := Of(x, []byte(test.page)); got.Kind != test.want {
			t.Errorf("%q (%s), not %q: %s", got.Kind, got.Sign, test.want, test.page)
		}
		x.Status = 404
		if got := Of(x, []byte(test.page)); got.Kind != kavosh.NoStandIn {
			t.Errorf("with status 404 it is taken for %q: %s", got.Kind, test.page)
		}
	}
}

// A page of another encoding is read in it.
func TestEncodings(t *testing.T) {
	enc, _ := charset.Lookup("windows-1256")
	page, err := enc.NewEncoder().Bytes([]byte(`<html><head><meta charset=windows-1256><title>صفحه پيدا نشد</title><h1>404</h1>`))
	if err != nil {
		t.Fatal(err)
	}
	if got := Of(answered("", string(page)), page); got.Kind != kavosh.NotFound {
		t.Errorf("%q", got.Kind)
	}
}

func FuzzOf(f *testing.F) {
	f.Add(200, "Server: cloudflare", "<title>Just a moment...</title><script>_cf_chl_opt</script>")
	f.Add(403, "", "<script src=x><input type=<noscript><meta http-equiv=refresh content='1;url='>")
	f.Fuzz(func(t *testing.T, status int, header, page string) {
		x := answered(header, page)
		x.Status = status
		var m Memory
		m.Meet(x, []byte(page), Of(x, []byte(page)))
		x.Task.Via, x.Task.URL = x.Task.URL, page
		m.Meet(x, []byte(page), Of(x, []byte(page)))
		if err := new(Memory).Restore(m.Snapshot()); err != nil {
			t.Error(err)
		}
	})
}

// An ordinary page costs hardly anything.
func BenchmarkOf(b *testing.B) {
	for name, page := range map[string]string{
		"links": "<!doctype html><title>The town by the sea - news</title><header>" + strings.Repeat("<a href=/x class=item>links</a>", 60) + "</header><h1>Of ships and gulls</h1>" + strings.Repeat("<p>Words and <a href=/x>links</a> in a page. ", 900),
		"text":  "<!doctype html><title>x</title><script src=/menu.js></script>" + strings.Repeat("<p>Words of a page without links. ", 300),
	} {
		b.Run(name, func(b *testing.B) {
			x, payload := answered("Server: nginx\nContent-Type: text/html; charset=utf-8\nDate: x\nETag: y\nLast-Modified: z", page), []byte(page)
			b.ReportAllocs()
			for b.Loop() {
				Of(x, payload)
			}
		})
	}
}
