package plan

// This file has what pages in the browser see of the reader that it stands for.

import (
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// Language is one that pages in the browser are asked for in, as a BCP 47 tag such as "fa-IR". "" means English.
type Language string

// UnmarshalText parses what a person wrote.
func (l *Language) UnmarshalText(text []byte) error {
	tag, err := language.Parse(string(text))
	if err != nil {
		return fmt.Errorf("%q is no language; write its tag, such as fa, fa-IR or en-GB", text)
	}
	*l = Language(tag.String())
	return nil
}

// Window is the inner size of the browser's window in CSS pixels, written "1280x1024".
type Window image.Point

// UnmarshalText parses what a person wrote.
func (w *Window) UnmarshalText(text []byte) error {
	across, down, _ := strings.Cut(string(text), "x")
	x, xerr := strconv.Atoi(across)
	y, yerr := strconv.Atoi(down)
	if xerr != nil || yerr != nil || min(x, y) < 200 || max(x, y) > 8000 {
		return fmt.Errorf("%q is no size of a window; write width and height in pixels, each 200 to 8000, such as 1280x1024", text)
	}
	*w = Window{X: x, Y: y}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (w Window) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%dx%d", w.X, w.Y), nil }

// Zone is a time zone by its name, such as "Asia/Tehran". "" means this machine's.
type Zone string

// UnmarshalText parses what a person wrote.
func (z *Zone) UnmarshalText(text []byte) error {
	if _, err := time.LoadLocation(string(text)); err != nil || len(text) == 0 || string(text) == "Local" {
		return fmt.Errorf("%q is no time zone; write its name, such as Asia/Tehran, Europe/Berlin or UTC", text)
	}
	*z = Zone(text)
	return nil
}
