package httpwire

import (
	"io"
	"sync"
)

const (
	maxSpare = 8       // decoders kept for later; more are only made while more are in use at once
	maxOut   = 1 << 20 // bytes of an output buffer kept for later
	firstOut = 64 << 10
)

// Decoders lends decoders with the memory of their tables and of their output, so that the next body costs none. The
// zero value is ready. It is safe for concurrent use.
type Decoders struct {
	mu struct {
		sync.Mutex
		spare []*Decoder
	}
}

// Get lends a decoder, until Put.
func (p *Decoders) Get() *Decoder {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.mu.spare)
	if n == 0 {
		return new(Decoder)
	}
	d := p.mu.spare[n-1]
	p.mu.spare = p.mu.spare[:n-1]
	return d
}

// Put takes d back. What it decoded may not be used after it.
func (p *Decoders) Put(d *Decoder) {
	d.in.r, d.inner = nil, nil
	if d.br != nil {
		d.br.Reset(nil) // nor the body's reader
	}
	if cap(d.out) > maxOut {
		d.out = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.mu.spare) < maxSpare {
		p.mu.spare = append(p.mu.spare, d)
	}
}

// All is what Decode reads, to its end or to the first error, which is nil at the end. The bytes are valid until the
// decoder is used again or put back.
func (d *Decoder) All(r io.Reader, codings []string, maxBytes int64, maxRatio int) ([]byte, error) {
	in := d.Decode(r, codings, maxBytes, maxRatio)
	out := d.out[:0]
	if cap(out) == 0 {
		out = make([]byte, 0, firstOut)
	}
	for {
		if len(out) == cap(out) {
			bigger := make([]byte, len(out), 2*cap(out))
			copy(bigger, out)
			out = bigger
		}
		n, err := in.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err != nil {
			d.out = out
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
	}
}
