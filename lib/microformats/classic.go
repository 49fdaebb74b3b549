package microformats

// This file has the names of the older microformats, which are read as microformats2.

import (
	"slices"
	"strings"
)

// classicRoots are the classes that began an item in the older formats, with today's type.
var classicRoots = map[string]string{
	"adr":               "h-adr",
	"geo":               "h-geo",
	"hentry":            "h-entry",
	"hfeed":             "h-feed",
	"hnews":             "h-news",
	"hproduct":          "h-product",
	"hrecipe":           "h-recipe",
	"hresume":           "h-resume",
	"hreview":           "h-review",
	"hreview-aggregate": "h-review-aggregate",
	"vcard":             "h-card",
	"vevent":            "h-event",
}

// classicFields are the classes of properties in the older formats, for each type of today.
var classicFields = map[string]map[string]property{
	"h-adr": fields("post-office-box p extended-address p street-address p locality p region p postal-code p country-name p"),
	"h-card": fields("fn p-name honorific-prefix p given-name p additional-name p family-name p honorific-suffix p nickname p " +
		"email u logo u photo u url u uid u category p adr p extended-address p street-address p locality p " +
		"region p postal-code p country-name p label p geo p latitude p longitude p tel p note p bday d key p org p " +
		"organization-name p organization-unit p title p-job-title role p agent p tz p rev d class p sort-string p " +
		"mailer p sound u"),
	"h-entry": fields("entry-title p-name entry-summary p-summary entry-content e-content published d updated d author p " +
		"category p"),
	"h-event": fields("summary p-name dtstart d-start dtend d-end duration d description p url u category p location p geo p " +
		"latitude p longitude p attendee p contact p organizer p class p status p uid u"),
	"h-feed":    fields("author p photo u url u entry p category p"),
	"h-geo":     fields("latitude p longitude p"),
	"h-item":    fields("fn p-name url u photo u"),
	"h-news":    fields("entry p geo p source-org p dateline p latitude p longitude p"),
	"h-product": fields("fn p-name photo u brand p category p description p identifier u url u review p price p"),
	"h-recipe": fields("fn p-name ingredient p yield p instructions e duration d photo u summary p author p published d " +
		"nutrition p category p"),
	"h-resume": fields("summary p contact p education p experience p skill p affiliation p publications p"),
	"h-review": fields("summary p-name item p reviewer p-author dtreviewed d-reviewed rating p best p worst p " +
		"description e-content category p"),
	"h-review-aggregate": fields("summary p-name item p rating p average p best p worst p count p votes p category p description p url u"),
}

// fields parses a list of classes, each with its kind and, if it was renamed, today's name.
func fields(list string) map[string]property {
	all := map[string]property{}
	words := strings.Fields(list)
	for i := 0; i < len(words); i += 2 {
		kind, name, renamed := strings.Cut(words[i+1], "-")
		if !renamed {
			name = words[i]
		}
		all[words[i]] = property{kind[0], name}
	}
	return all
}

// classicProperties returns the properties that an element's older classes and links give to its item, each once.
func classicProperties(classes, rels []string, around *Item) (all []property) {
	add := func(p property) {
		if !slices.ContainsFunc(all, func(q property) bool { return q.name == p.name }) {
			all = append(all, p)
		}
	}
	for _, kind := range around.Type {
		for _, c := range classes {
			if p, ok := classicFields[kind][c]; ok {
				add(p)
			}
		}
		for _, rel := range rels {
			if p, ok := classicLinks[kind+" "+rel]; ok {
				add(p)
			}
		}
	}
	return all
}

// classicLinks are the link relations that were properties, by today's type.
var classicLinks = map[string]property{
	"h-entry author":         {'u', "author"},
	"h-entry bookmark":       {'u', "url"},
	"h-entry tag":            {'t', "category"},
	"h-feed tag":             {'t', "category"},
	"h-news principles":      {'u', "principles"},
	"h-review bookmark":      {'u', "url"},
	"h-review tag":           {'t', "category"},
	"h-review-aggregate tag": {'t', "category"},
}
