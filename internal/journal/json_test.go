package journal

import (
	"bytes"
	"encoding/json"
	"testing"
)

// encoding/json reads back what AppendString wrote, to what encoding/json itself makes of the string.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"quoted\\\"", "line\r\n\tfeed\x00\x1f\x7f", "کاوش \U0001f50d", "\xff\xfe broken \xe2\x82", "<&>\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := AppendString(nil, s)
		var got, want string
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		theirs, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if got != want || bytes.IndexByte(line, '\n') >= 0 {
			t.Errorf("%q came back as %q, want %q", s, got, want)
		}
	})
}
