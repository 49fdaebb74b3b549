//go:build unix

package archive_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"kavosh/archive"
	"kavosh/lib/warc"
)

// TestCheckPipe wants the records that come through a pipe to be checked: kavosh check /dev/stdin.
func TestCheckPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.warc")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = os.WriteFile(pipe, []byte("WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"+
			"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"), 0)
	}()
	sum, err := archive.CheckFile(t.Context(), pipe, false, func(f warc.Finding) { t.Log(f) })
	if err != nil || sum.Records != 1 || sum.Errors > 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}
