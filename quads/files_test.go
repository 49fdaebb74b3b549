package quads

import (
	"context"
	"errors"
	"io"
	"testing"
)

// TestInterruptedPipe wants a reader of a pipe that nobody writes to be let go when its context ends.
func TestInterruptedPipe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	defer in.Close()
	out := until(ctx, in)
	cancel()
	if _, err := io.ReadAll(out); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
