// Package shown reads from a tab what its page shows: pictures, text, the document, boxes.
//
// A crawl takes them of the live page, replay/render of a capture. Pages are hostile: every result has a bound, the
// scripts that read a page run in a world of their own (page.go), where the page's scripts cannot replace what they
// call, and the context that a caller gives has a deadline. picture.go takes pictures, boxes.go says where what stands.
package shown

import (
	"errors"
	"fmt"
)

// Bounds on what is taken of one page.
const (
	MaxHeight  = 16_384   // CSS pixels of a picture of the full page; what is below is cut off
	MaxPicture = 10 << 20 // bytes of a picture
	MaxDOM     = 8 << 20  // bytes of a document
	MaxText    = 2 << 20  // bytes of a text
	MaxNodes   = 200_000  // nodes of a page whose boxes are read
)

// ErrEmpty means that the page has no area, so that there is no picture of it.
var ErrEmpty = errors.New("the page is empty")

// tooLarge says that something has more bytes than it may have.
func tooLarge(what string, bytes, most int) error {
	return fmt.Errorf("%s has %d bytes, more than %d", what, bytes, most)
}
