package vazirmatn

// This file tests that the font is what pages say that it is.

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestFont checks the font's form and size: every page that stands alone has it inside.
func TestFont(t *testing.T) {
	if !bytes.HasPrefix(WOFF2(), []byte("wOF2")) || len(WOFF2()) > 60<<10 {
		t.Errorf("%d bytes that begin with %q, wanted at most 60 KB of WOFF2", len(WOFF2()), WOFF2()[:4])
	}
	if !strings.HasPrefix(DataURL(), "data:font/woff2;base64,d09GMg") {
		t.Errorf("the URL begins with %.40s", DataURL())
	}
}

// TestLicence checks that the licence lies beside the font, as it asks.
func TestLicence(t *testing.T) {
	text, err := os.ReadFile("OFL.txt")
	if err != nil || !bytes.Contains(text, []byte("SIL OPEN FONT LICENSE Version 1.1")) {
		t.Errorf("no licence beside the font: %v", err)
	}
}

// TestSameRanges checks that browsers ask the font for the characters that it was made with, and for no others.
func TestSameRanges(t *testing.T) {
	script, err := os.ReadFile("../../tools/vazirmatn.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "--unicodes=")
	made, _, _ := strings.Cut(rest, " ")
	_, rest, _ = strings.Cut(Face("x"), "unicode-range: ")
	asked, _, _ := strings.Cut(rest, " }")
	if strings.ReplaceAll(asked, ", ", ",") != made {
		t.Errorf("browsers ask for %s, the font has %s", asked, made)
	}
}
