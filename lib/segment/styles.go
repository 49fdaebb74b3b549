package segment

// This file has the default styles of elements, as browsers show them without a style sheet.

// style is how an element is shown.
type style struct {
	block, hidden  bool
	bold           bool
	size           int16 // of its letters; 0 for those around it
	margin, indent int32 // above and below, and at its beginning
	place          Place
}

var styles = map[string]style{
	"head": {hidden: true}, "script": {hidden: true}, "style": {hidden: true}, "template": {hidden: true}, "noscript": {hidden: true},
	"title": {hidden: true}, "meta": {hidden: true}, "link": {hidden: true}, "base": {hidden: true}, "datalist": {hidden: true},
	"option": {hidden: true}, "param": {hidden: true}, "source": {hidden: true}, "track": {hidden: true}, "dialog": {hidden: true},

	"html": {block: true}, "body": {block: true, margin: 8}, "div": {block: true}, "section": {block: true}, "article": {block: true},
	"header": {block: true, place: Head}, "footer": {block: true, place: Foot}, "nav": {block: true, place: Menu},
	"main": {block: true, place: Main}, "aside": {block: true, place: Side}, "hgroup": {block: true}, "address": {block: true},
	"p": {block: true, margin: 16}, "blockquote": {block: true, margin: 16, indent: 40}, "pre": {block: true, margin: 13, size: 13},
	"figure": {block: true, margin: 16, indent: 40}, "figcaption": {block: true}, "center": {block: true}, "form": {block: true},
	"fieldset": {block: true, margin: 6}, "legend": {block: true}, "details": {block: true}, "summary": {block: true},
	"ul": {block: true, margin: 16, indent: 40}, "ol": {block: true, margin: 16, indent: 40}, "menu": {block: true, margin: 16, indent: 40},
	"dl": {block: true, margin: 16}, "li": {block: true}, "dt": {block: true}, "dd": {block: true, indent: 40}, "hr": {block: true, margin: 8},
	"table": {block: true}, "thead": {block: true}, "tbody": {block: true}, "tfoot": {block: true}, "tr": {block: true}, "td": {block: true},
	"th": {block: true, bold: true}, "caption": {block: true}, "frameset": {block: true}, "search": {block: true},
	"h1": {block: true, bold: true, size: 32, margin: 21}, "h2": {block: true, bold: true, size: 24, margin: 20},
	"h3": {block: true, bold: true, size: 19, margin: 19}, "h4": {block: true, bold: true, margin: 21},
	"h5": {block: true, bold: true, size: 13, margin: 22}, "h6": {block: true, bold: true, size: 11, margin: 25},

	"b": {bold: true}, "strong": {bold: true}, "big": {size: 19}, "small": {size: 13}, "sub": {size: 13}, "sup": {size: 13},
	"code": {size: 13}, "tt": {size: 13}, "kbd": {size: 13}, "samp": {size: 13},
}

// placeWords are roles, and words in classes and identifiers, that tell the place of an element.
var placeWords = map[string]Place{
	"banner": Head, "header": Head, "masthead": Head, "site-header": Head,
	"navigation": Menu, "nav": Menu, "navbar": Menu, "menu": Menu, "breadcrumb": Menu, "breadcrumbs": Menu, "menubar": Menu,
	"main": Main, "content": Main, "main-content": Main, "entry-content": Main, "post-content": Main, "article-body": Main,
	"complementary": Side, "sidebar": Side, "side": Side, "aside": Side, "widget": Side,
	"contentinfo": Foot, "footer": Foot, "site-footer": Foot, "copyright": Foot,
	"ad": Advert, "ads": Advert, "advert": Advert, "advertisement": Advert, "adsbygoogle": Advert, "tabligh": Advert, "tablighat": Advert,
	"related": Related, "related-posts": Related, "related-articles": Related, "related-news": Related, "related-content": Related, "most-read": Related,
	"most-popular": Related, "popular-posts": Related, "popular-news": Related, "recent-posts": Related, "recommended": Related, "mostviewed": Related,
	"cookie-banner": Consent, "cookie-notice": Consent, "cookie-consent": Consent, "cookieconsent": Consent, "cookie-bar": Consent, "cookiebar": Consent,
	"cookies-banner": Consent, "cookie-law-info-bar": Consent, "onetrust-banner-sdk": Consent, "onetrust-consent-sdk": Consent, "gdpr": Consent, "gdpr-banner": Consent,
	"consent-banner": Consent, "cookielawbanner": Consent, "cmpbox": Consent, "cc-window": Consent, "cc-banner": Consent,
	"comments": Remarks, "comment-list": Remarks, "commentlist": Remarks,
}
