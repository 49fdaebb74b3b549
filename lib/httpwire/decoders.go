package httpwire

// This file keeps decoders of HTTP bodies for the next body.

import (
	"io"
	"sync"
)

const (
	maxSpare = 8       // idle decoders kept
	maxOut   = 1 << 20 // bytes of an output buffer kept
	firstOut = 64 << 10
)

// Decoders is a pool of decoders. It reuses the memory of their tables and output. The zero value is ready, and it is
// safe for concurrent use.
type Decoders struct {
	mu struct {
		sync.Mutex
		spare []*Decoder
	}
}

// Get takes a decoder from the pool.
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

// Put returns d to the pool. Its output must not be used afterwards.
func (p *Decoders) Put(d *Decoder) {
	d.in.r, d.inner = nil, nil
	if d.br != nil {
		d.br.Reset(nil) // do not hold on to the body's reader either
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

// All decodes r to its end or the first error and returns the bytes; the error is nil at the end. The arguments are
// Decode's. The bytes are valid until the decoder is used again or put back.
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
