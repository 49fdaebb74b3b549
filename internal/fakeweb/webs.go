package fakeweb

import _ "embed"

//go:embed demo.txt
var demoText []byte

//go:embed rough.txt
var roughText []byte

// Demo returns a small made-up web for demonstrations: a few hosts in Persian, English, French and Arabic, with
// everything that normal sites have.
func Demo() (*Web, error) { return Parse(demoText) }

// Rough returns a made-up web in which every page hurts a crawler in its own way.
func Rough() (*Web, error) { return Parse(roughText) }
