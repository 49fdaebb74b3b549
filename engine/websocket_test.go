package engine

import (
	"strings"
	"testing"

	"kavosh/fetch/browser"
)

// TestSpoken wants no record of a page's WebSockets to have what gives access to their host, if the page sent it.
func TestSpoken(t *testing.T) {
	sockets := []browser.Socket{{URL: "wss://in.test/s", Frames: []browser.Frame{
		{Page: true, Text: `{"token":"s3cr3t-token"}`}, {Page: true, Data: []byte("\xffs3cr3t-token")}, {Text: "hello"},
	}}}
	made := spoken("https://in.test/", sockets, func(host string) []string {
		if host == "in.test" {
			return []string{"s3cr3t-token"}
		}
		return nil
	})
	if text := string(made.Data); strings.Contains(text, "s3cr3t") || !strings.Contains(text, `{\"token\":\"xxxxxxxxxxxx\"}`) || !strings.Contains(text, "hello") || string(sockets[0].Frames[1].Data) != "\xffxxxxxxxxxxxx" {
		t.Errorf("%s", text)
	}
}
