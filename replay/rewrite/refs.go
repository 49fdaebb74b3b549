package rewrite

// This file knows which attributes hold URLs, and how each is rewritten.

import "strings"

// use says what an attribute's value is used for, which decides how it is rewritten.
type use uint8

const (
	none       use = iota // no reference: it stays
	link                  // the URL of another page
	image                 // from here to object: the URL of something embedded
	script                //
	sheetUse              //
	frame                 //
	object                //
	srcset                // a list of images
	styles                // CSS declarations, or a property's value
	document              // markup: srcdoc
	parameter             // a parameter of a plug-in: a URL if its name is in refersByName
	byRel                 // href of a link element: its rel and as decide
	handler               // a script
	scriptType            // the type of a script
	removed               // would break the replay
)

// modifier returns the modifier of replay URLs with this use.
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

// ofAny gives the use of attributes on all elements that ofElement does not name.
var ofAny = map[string]use{
	"href": link, "xlink:href": object, "src": object, "action": link, "formaction": link, "cite": link, "longdesc": link,
	"poster": image, "background": image, "lowsrc": image, "dynsrc": image, "srcset": srcset, "imagesrcset": srcset,
	"style": styles, "fill": styles, "stroke": styles, "filter": styles, "mask": styles, "clip-path": styles, "cursor": styles,
	"marker": styles, "marker-start": styles, "marker-mid": styles, "marker-end": styles,
	"integrity": removed, "nonce": removed, "ping": removed, "referrerpolicy": removed, "attributionsrc": removed,
}

// ofElement gives the use of attributes on single elements, where it differs from ofAny.
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

// relUse returns the use of a link element's reference.
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
