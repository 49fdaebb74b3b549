package export

import (
	"strings"
	"testing"
)

// What reads like text: long enough, or a whole sentence, and more letters than signs.
func TestIsText(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name, block string
		want        bool
	}{
		{"80 letters", letters(80), true},
		{"79 letters", letters(79), false},
		{"25 letters and a full stop", letters(25) + ".", true},
		{"24 letters and a full stop", letters(24) + ".", false},
		{"a sign for two letters", letters(30) + strings.Repeat("#", 14) + ".", true},
		{"more signs than that", letters(30) + strings.Repeat("#", 15) + ".", false},
		{"joiners are no signs", letters(30) + strings.Repeat("\u200c", 40) + ".", true},
		{"27 Chinese characters", strings.Repeat("山", 27), true},
		{"26 Chinese characters", strings.Repeat("山", 26), false},
		{"9 Korean syllables and a full stop", strings.Repeat("산", 9) + ".", true},
		{"nothing", "", false},
	} {
		if got := isText(c.block); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// A heading stays between two blocks of text alone. A block on two pages of a host stays, on the third it is a frame; a
// block that a page repeats is none.
func TestCleaner(t *testing.T) {
	block := func(what string) string { return what + " " + strings.Repeat("many words follow here ", 5) + "." }
	one, two := block("one"), block("two")
	var c cleaner
	for _, p := range []struct{ name, host, in, want string }{
		{"a heading", "a", one + "\nHeading\n" + two, one + "\nHeading\n" + two},
		{"a menu after text", "b", one + "\nHome\nContact\n" + two, one + "\n" + two},
		{"an empty line", "c", one + "\n \n" + two, one + "\n" + two},
		{"a heading first and last", "d", "Home\n" + one + "\nContact", one},
		{"repeated on a page", "e", one + "\n" + one + "\n" + one + "\n" + one, one + "\n" + one + "\n" + one + "\n" + one},
		{"a heading on the first page", "f", block("a") + "\nShare\n" + block("b"), block("a") + "\nShare\n" + block("b")},
		{"on the second", "f", block("c") + "\nShare\n" + block("d"), block("c") + "\nShare\n" + block("d")},
		{"on the third it is a frame", "f", block("e") + "\nShare\n" + block("f"), block("e") + "\n" + block("f")},
		{"of another host it is none", "g", block("e") + "\nShare\n" + block("f"), block("e") + "\nShare\n" + block("f")},
		{"text on the first page", "h", one, one}, {"text on the second", "h", one, one}, {"text on the third", "h", one, ""},
	} {
		if got := c.clean(p.host, p.in); got != p.want {
			t.Errorf("%s: %q, want %q", p.name, got, p.want)
		}
	}
	// A block that takes the place of a frame among those remembered is none for that.
	other := two + "787114"
	if hash("h", other)%shownSlots != hash("h", one)%shownSlots {
		t.Fatal("take another number behind the text: this one has another place")
	}
	if got := c.clean("h", other); got != other {
		t.Errorf("in the place of a frame: %q", got)
	}
}
