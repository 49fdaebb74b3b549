package rewrite

import "strings"

// use is what an attribute's value is used for, and so how it is rewritten.
type use uint8

const (
	none       use = iota // no reference: stays
	link                  // leads to a page
	image                 // the rest down to object are URLs of something embedded
	script                //
	sheetUse              //
	frame                 //
	object                //
	srcset                // a list of images
	styles                // CSS declarations, or a property's value
	document              // markup: srcdoc
	parameter             // of a plug-in: a URL when its name says so
	byRel                 // of a link element: as rel and as say
	handler               // a script
	scriptType            // says whether a script is one
	removed               // fights with the replay
)

// modifier is the modifier of the replay URL for what is used so.
func (u use) modifier() string {
	switch u {
	case image:
		return Image
	case script:
		return Script
	case sheetUse:
		return Style
	case frame:
		return Frame
	case object:
		return Object
	}
	return Page
}

// ofAny says what an attribute is used for on any element that ofElement does not name.
var ofAny = map[string]use{
	"href": link, "xlink:href": object, "src": object, "action": link, "formaction": link, "cite": link, "longdesc": link,
	"poster": image, "background": image, "lowsrc": image, "dynsrc": image, "srcset": srcset, "imagesrcset": srcset,
	"style": styles, "fill": styles, "stroke": styles, "filter": styles, "mask": styles, "clip-path": styles, "cursor": styles,
	"marker": styles, "marker-start": styles, "marker-mid": styles, "marker-end": styles,
	"integrity": removed, "nonce": removed, "ping": removed, "referrerpolicy": removed, "attributionsrc": removed,
}

// ofElement says what an attribute is used for on one element, where that differs.
var ofElement = map[string]use{
	"a xlink:href": link, "link href": byRel, "html manifest": removed, "head profile": link,
	"img src": image, "input src": image, "image href": image, "image xlink:href": image, "feimage href": image,
	"feimage xlink:href": image, "use href": image, "use xlink:href": image,
	"script src": script, "script href": script, "script xlink:href": script, "script type": scriptType,
	"iframe src": frame, "frame src": frame, "iframe srcdoc": document, "iframe csp": removed,
	"object data": object, "object codebase": object, "object classid": object, "applet codebase": object, "applet code": none,
	"param value": parameter, "?xml-stylesheet href": sheetUse, "import href": sheetUse, "include href": sheetUse,
}

// refersByName are the names of plug-in parameters whose value is a URL.
var refersByName = map[string]bool{"movie": true, "src": true, "url": true, "data": true, "filename": true, "href": true}

// relUse is what a link element's reference is used for.
func relUse(rel, as string) use {
	for r := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch r {
		case "stylesheet":
			return sheetUse
		case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "apple-touch-startup-image":
			return image
		case "modulepreload":
			return script
		case "manifest":
			return object
		case "preload", "prefetch":
			switch strings.ToLower(as) {
			case "style":
				return sheetUse
			case "script", "worker":
				return script
			case "image":
				return image
			case "document", "":
				return link
			}
			return object
		}
	}
	return link
}
