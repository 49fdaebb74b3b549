package fakeweb

import _ "embed"

//go:embed demo.txt
var demoText []byte

//go:embed rough.txt
var roughText []byte

// Demo is a web to look at: a few hosts in Persian, English, French and Arabic with all that decent sites have.
func Demo() (*Web, error) { return Parse(demoText) }

// Rough is a web of misbehaviour: every page of it is one way to hurt a crawler.
func Rough() (*Web, error) { return Parse(roughText) }
