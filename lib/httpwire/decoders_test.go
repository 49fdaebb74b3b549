package httpwire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
)

// A decoder that is lent again decodes the next body, whatever became of the one before.
func TestDecodersAreLentAgain(t *testing.T) {
	page := []byte(strings.Repeat("<p>kavosh means exploration</p>\n", 4000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range page { // so that much of the body is left when a little is read
		page[i] += byte(random.IntN(20))
	}
	bodies := map[string][]byte{}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bodies[coding] = encode(t, coding, page)
	}
	var small bytes.Buffer // the smaller the window, the more is held of a body that is not read on
	w := brotli.NewWriterOptions(&small, brotli.WriterOptions{Quality: 5, LGWin: 10})
	w.Write(page)
	w.Close()
	bodies["br"] = small.Bytes()
	var lent Decoders
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				for coding, whole := range bodies {
					d := lent.Get()
					if _, err := d.All(bytes.NewReader(whole[:len(whole)/2]), []string{coding}, 0, 0); err == nil && coding != "br" { // whose decoder sees no end mark
						t.Errorf("%s: half a body is whole", coding)
					}
					if got, err := d.All(bytes.NewReader(whole), []string{coding}, 1000, 0); !errors.Is(err, ErrTooLarge) || !bytes.Equal(got, page[:1000]) {
						t.Errorf("%s: %d bytes of 1000, %v", coding, len(got), err)
					}
					if got, err := d.All(bytes.NewReader(whole), []string{coding}, 0, 0); err != nil || !bytes.Equal(got, page) {
						t.Errorf("%s: %d bytes, %v", coding, len(got), err)
					}
					lent.Put(d)
				}
			}
		})
	}
	wg.Wait()
}

// The next page costs no more than the few words that lead to its decoder.
func TestDecodersAllocations(t *testing.T) {
	page := []byte(strings.Repeat("<p>kavosh means exploration</p>\n", 640))
	codings := []string{"gzip"}
	body := bytes.NewReader(encode(t, "gzip", page))
	var lent Decoders
	allocs := testing.AllocsPerRun(100, func() {
		body.Seek(0, io.SeekStart)
		d := lent.Get()
		if got, err := d.All(body, codings, 1<<20, 1000); err != nil || len(got) != len(page) {
			t.Fatal(len(got), err)
		}
		lent.Put(d)
	})
	if allocs > 4 {
		t.Errorf("%v allocations", allocs)
	}
}
