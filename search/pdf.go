package search

// This file gets the texts of PDF documents from pdftotext. Such documents are hostile: the program has bounds, and no
// network if the system allows that.

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// These constants bound the program that reads a PDF document.
const (
	pdfTime   = 20 * time.Second // of wall time, and the same of processor time
	pdfMemory = 512 << 20        // bytes of address space
	pdfText   = 1 << 20          // bytes of text that are kept
	pdfPages  = "500"
	pdfType   = "application/pdf"
)

// PDF reads the texts of PDF documents with pdftotext of poppler-utils. It runs as a process of its own that may use
// little time and memory, writes nothing, and has no network where the system can take it away.
type PDF struct {
	shell, program string
}

// FindPDF returns the reader of PDF documents on this machine, or nil if pdftotext is not installed.
func FindPDF() *PDF {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return nil
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil
	}
	return &PDF{shell: shell, program: program}
}

// Text returns the text of a document, at most pdfText bytes of it. It returns "" if the document cannot be read within
// the bounds.
func (p *PDF) Text(ctx context.Context, document []byte) string {
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	text, err := p.run(ctx, document, true)
	if err != nil && text == "" && ctx.Err() == nil {
		text, _ = p.run(ctx, document, false) // some systems do not allow a process without network
	}
	return text
}

// run runs the program.
func (p *PDF) run(ctx context.Context, document []byte, alone bool) (string, error) {
	limits := "ulimit -t 20; ulimit -v " + strconv.Itoa(pdfMemory>>10) + `; ulimit -f 0; ulimit -c 0; exec "$@"`
	cmd := exec.CommandContext(ctx, p.shell, "-c", limits, "sh", p.program, "-q", "-enc", "UTF-8", "-nopgbrk", "-l", pdfPages, "-", "-")
	cmd.Stdin = bytes.NewReader(document)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent"}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	if alone {
		withoutNetwork(cmd)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(out, pdfText))
	if len(text) == pdfText {
		_ = cmd.Process.Kill() // the rest of its output is not needed
	}
	err = errors.Join(err, cmd.Wait())
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, nil)
	}
	return strings.TrimSpace(string(text)), err
}
