package standin

// This file has the signs by which the makers of what stands in place of pages are known, as data.

import "kavosh"

// sign is what one maker's answers show. All that is given must hold: a status alone is never enough.
type sign struct {
	name   string
	kind   kavosh.StandIn // "" is kavosh.Wall
	status []int          // one of them
	header [2]string      // a field's name, and what its value holds in lower case
	marks  []string       // all of them stand in the page
	works  []string       // in lower case: all of them stand in the works of a page that has next to nothing to read
	alone  bool           // with works that ordinary pages have, too: it loads no other script
	sensor bool           // with works that the maker puts into ordinary pages: something else tells that this one refuses
	asks   bool           // with works that no other page has: it may have a field to fill in
	says   string         // in lower case: with works, what stands in what there is to read
}

// denied are the statuses with which walls refuse.
var denied = []int{401, 403, 405, 429, 503}

// moved are the statuses with which walls lead to a page of theirs.
var moved = []int{301, 302, 303, 307, 308}

// signs lists what is known of makers. Where a page answers with status 200, it is recognised by its works (title, tags
// and scripts) and not by its text, so that a page that only writes about a wall is not taken for one.
var signs = [...]sign{
	{name: "Cloudflare challenge", header: [2]string{"Cf-Mitigated", "challenge"}},
	{name: "Cloudflare challenge", status: []int{403, 429, 503}, header: [2]string{"Server", "cloudflare"}, marks: []string{"/cdn-cgi/challenge-platform/"}},
	{name: "Cloudflare block", status: []int{403}, header: [2]string{"Server", "cloudflare"}, marks: []string{"cf-error-details", "you have been blocked"}},
	{name: "AWS WAF challenge", header: [2]string{"X-Amzn-Waf-Action", "challenge"}},
	{name: "AWS WAF captcha", header: [2]string{"X-Amzn-Waf-Action", "captcha"}},
	{name: "DataDome", status: denied, marks: []string{"captcha-delivery.com"}},
	{name: "PerimeterX", status: denied, marks: []string{"px-captcha"}},
	{name: "PerimeterX", status: denied, marks: []string{"_pxAppId"}},
	{name: "Akamai", status: []int{403}, header: [2]string{"Server", "akamaighost"}, marks: []string{"Access Denied", "Reference"}},
	{name: "Sucuri", status: []int{403}, marks: []string{"Access Denied - Sucuri Website Firewall"}},
	{name: "Imperva Incapsula", status: []int{200, 403, 503}, header: [2]string{"X-Iinfo", ""}, marks: []string{"_Incapsula_Resource", "Incapsula incident ID"}},
	{name: "DDoS-Guard", status: denied, header: [2]string{"Server", "ddos-guard"}, marks: []string{"ddos-guard"}},
	{name: "Anubis", status: []int{200, 401, 403, 500}, header: [2]string{"Set-Cookie", "anubis"}, marks: []string{"anubis_challenge"}},
	{name: "hCaptcha", status: denied, marks: []string{"hcaptcha.com/1/api.js"}},
	{name: "hCaptcha", status: denied, marks: []string{"class=\"h-captcha\""}},
	{name: "reCAPTCHA", status: denied, marks: []string{"/recaptcha/api.js", "g-recaptcha"}},
	{name: "Turnstile", status: denied, marks: []string{"challenges.cloudflare.com/turnstile/"}},
	{name: "Vercel challenge", header: [2]string{"X-Vercel-Mitigated", "challenge"}},
	{name: "Cloudflare challenge", status: moved, header: [2]string{"Location", "/cdn-cgi/challenge"}},
	{name: "DDoS-Guard", status: moved, header: [2]string{"Location", "/.well-known/ddos-guard/"}},
	{name: "Radware", status: moved, header: [2]string{"Location", "validate.perfdrive.com"}},
	{name: "Google", status: moved, header: [2]string{"Location", "google.com/sorry/"}},

	{name: "Cloudflare challenge", works: []string{"_cf_chl_"}},
	{name: "Cloudflare challenge", works: []string{"/cdn-cgi/challenge-platform/", "/orchestrate/"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>", "/cdn-cgi/"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>", "challenge"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>"}, alone: true},
	{name: "Cloudflare challenge", works: []string{"cf-browser-verification"}},
	{name: "Cloudflare challenge", works: []string{"jschl"}},
	{name: "Cloudflare", works: []string{"<title>please wait... | cloudflare</title>"}},
	{name: "Cloudflare block", works: []string{"<title>attention required! | cloudflare</title>"}, asks: true},
	{name: "Turnstile", works: []string{"challenges.cloudflare.com/turnstile/", "cf-turnstile"}, alone: true},
	{name: "DDoS-Guard", works: []string{"/.well-known/ddos-guard/"}},
	{name: "DDoS-Guard", works: []string{"check.ddos-guard.net"}},
	{name: "DDoS-Guard", works: []string{"<title>ddos-guard</title>"}},
	{name: "DDoS-Guard", works: []string{"ddos-guard"}, alone: true, sensor: true},
	{name: "Akamai", works: []string{"/_sec/cp_challenge"}},
	{name: "Akamai", works: []string{"/_sec/verify"}},
	{name: "Akamai", works: []string{"sec-if-cpt"}},
	{name: "Akamai", works: []string{"sec-cpt-if"}},
	{name: "Akamai", works: []string{"bm-verify"}},
	{name: "Akamai", works: []string{"<title>access denied</title>"}, header: [2]string{"Server", "akamai"}},
	{name: "Akamai", works: []string{"akam/"}, alone: true, sensor: true},
	{name: "Imperva Incapsula", works: []string{"_incapsula_resource"}, alone: true, sensor: true},
	{name: "Imperva Incapsula", works: []string{"_incapsula_resource"}, alone: true, says: "incapsula incident"},
	{name: "Imperva Incapsula", works: []string{"incapsula incident"}},
	{name: "Imperva", works: []string{"<title>pardon our interruption</title>"}},
	{name: "Imperva", works: []string{"/_imperva_"}, alone: true, sensor: true},
	{name: "PerimeterX", works: []string{"px-captcha"}},
	{name: "PerimeterX", works: []string{"captcha.px-"}},
	{name: "PerimeterX", works: []string{"_pxappid"}, alone: true, sensor: true},
	{name: "PerimeterX", works: []string{"<title>access to this page has been denied"}},
	{name: "Sucuri", works: []string{"sucuri_cloudproxy"}},
	{name: "Sucuri", works: []string{"<title>sucuri website firewall"}},
	{name: "Sucuri", works: []string{"<title>you are being redirected...</title>"}},
	{name: "AWS WAF challenge", works: []string{"gokuprops"}},
	{name: "AWS WAF challenge", works: []string{"awswaf.com/", "challenge"}, alone: true, sensor: true},
	{name: "AWS WAF challenge", works: []string{"awswafintegration"}, alone: true, sensor: true},
	{name: "AWS WAF challenge", works: []string{"aws-waf-token"}, alone: true, sensor: true},
	{name: "AWS WAF captcha", works: []string{"awswafcaptcha"}},
	{name: "ArvanCloud", works: []string{"__arcsj"}},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, sensor: true},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, says: "transferring to"},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, says: "در حال انتقال"},
	{name: "ArvanCloud", works: []string{"document.cookie"}, header: [2]string{"Server", "arvancloud"}, alone: true},
	{name: "ArvanCloud", works: []string{"arcaptcha"}, alone: true},
	{name: "Anubis", works: []string{"anubis_challenge"}},
	{name: "Anubis", works: []string{"/.within.website/x/cmd/anubis/"}},
	{name: "Anubis", works: []string{"<title>making sure you're not a bot!</title>"}},
	{name: "DataDome", works: []string{"captcha-delivery.com"}},
	{name: "Radware", works: []string{"perfdrive.com"}, sensor: true},
	{name: "Radware", works: []string{"perfdrive.com", "<title>radware"}},
	{name: "Kasada", works: []string{"/149e9513-01fa-4fb0-aad4-566afd725d1b/"}},
	{name: "F5", works: []string{"/tspd/"}, alone: true, sensor: true},
	{name: "Qrator", works: []string{"/__qrator/"}, alone: true},
	{name: "Yandex SmartCaptcha", works: []string{"/checkcaptcha"}},
	{name: "Amazon", works: []string{"/errors/validatecaptcha"}, asks: true},
	{name: "Google", works: []string{"<title>sorry...</title>"}},
	{name: "hCaptcha", works: []string{"hcaptcha.com/1/api.js", "h-captcha"}, alone: true},
	{name: "reCAPTCHA", works: []string{"/recaptcha/", "g-recaptcha"}, alone: true},
	{name: "reCAPTCHA", works: []string{"/recaptcha/", "grecaptcha."}, alone: true},

	{kind: kavosh.Consent, name: "Google", status: moved, header: [2]string{"Location", "//consent.google."}},
	{kind: kavosh.Consent, name: "YouTube", status: moved, header: [2]string{"Location", "//consent.youtube."}},
	{kind: kavosh.Consent, name: "Yahoo", status: moved, header: [2]string{"Location", "//guce."}},
	{kind: kavosh.Consent, name: "Yahoo", status: moved, header: [2]string{"Location", "//consent.yahoo."}},
	{kind: kavosh.Consent, name: "DPG Media", status: moved, header: [2]string{"Location", "//myprivacy.dpgmedia."}},
	{kind: kavosh.Consent, name: "Google", works: []string{"consent.google.", "/save"}},
	{kind: kavosh.Consent, name: "YouTube", works: []string{"consent.youtube.", "/save"}},
	{kind: kavosh.Consent, name: "Yahoo", works: []string{"consent-page", "guce"}},
	{kind: kavosh.Consent, name: "DPG Media", works: []string{"myprivacy-static.dpgmedia.net"}},

	{kind: kavosh.Parked, name: "HugeDomains", status: moved, header: [2]string{"Location", "hugedomains.com/domain_profile"}},
	{kind: kavosh.Parked, name: "Dan.com", status: moved, header: [2]string{"Location", "//dan.com/buy-domain/"}},
	{kind: kavosh.Parked, name: "Sedo", status: moved, header: [2]string{"Location", "//sedo.com/search/details"}},
	{kind: kavosh.Parked, name: "Afternic", status: moved, header: [2]string{"Location", "afternic.com/forsale/"}},
	{kind: kavosh.Parked, name: "GoDaddy", works: []string{"location.href=\"/lander\""}},
	{kind: kavosh.Parked, name: "GoDaddy", works: []string{"parking-lander"}},
	{kind: kavosh.Parked, name: "GoDaddy", works: []string{"lander_system"}},
	{kind: kavosh.Parked, name: "Google AdSense for domains", works: []string{"google.com/adsense/domains/caf.js"}},
	{kind: kavosh.Parked, name: "advertisements for parked domains", works: []string{"data-adblockkey="}},
	{kind: kavosh.Parked, name: "Bodis", works: []string{"window.park ="}},
	{kind: kavosh.Parked, name: "Bodis", works: []string{"window.park="}},
	{kind: kavosh.Parked, name: "Bodis", works: []string{"/px.js?ch="}},
	{kind: kavosh.Parked, name: "Sedo", works: []string{"sedoparking.com"}},
	{kind: kavosh.Parked, name: "ParkingCrew", works: []string{"parkingcrew.net"}},
	{kind: kavosh.Parked, name: "ParkingCrew", works: []string{"d38psrni17bvxu.cloudfront.net"}},
	{kind: kavosh.Parked, name: "ParkLogic", works: []string{"parklogic.com"}},
	{kind: kavosh.Parked, name: "Skenzo", works: []string{"ifdnzact.com"}},
	{kind: kavosh.Parked, name: "Above.com", works: []string{"above.com/marketplace"}},
	{kind: kavosh.Parked, name: "Namecheap", works: []string{"parkingpage.namecheap.com"}},
	{kind: kavosh.Parked, name: "HugeDomains", works: []string{"hugedomains.com/domain_profile"}},
	{kind: kavosh.Parked, name: "Dan.com", works: []string{"//dan.com/buy-domain"}},
	{kind: kavosh.Parked, name: "Afternic", works: []string{"afternic.com/forsale"}},
	{kind: kavosh.Parked, name: "Sedo", works: []string{"sedo.com/search/details"}},
	{kind: kavosh.Parked, name: "cPanel", works: []string{"/cgi-sys/defaultwebpage.cgi"}},
	{kind: kavosh.Parked, name: "cPanel", works: []string{"/cgi-sys/suspendedpage.cgi"}},
}
