package rdf

// This file counts the faults of documents that readers read past.

// maxWarnings is how many warnings of a document are kept. The others are only counted.
const maxWarnings = 10

// Warnings are the faults that a reader has read past. The zero Warnings is ready.
type Warnings struct {
	Count int64    // how many there are
	First []*Fault // the first of them, at most 10
}

// Warn adds a fault.
func (w *Warnings) Warn(f *Fault) {
	if w.Count++; w.Count <= maxWarnings {
		w.First = append(w.First, f)
	}
}

// Lenient is a Reader that reads past some faults. What is faulty is left out, and is never guessed.
type Lenient interface {
	Reader
	// Warnings returns the faults that Read has read past so far.
	Warnings() *Warnings
}

// Strict returns a reader of the same document that ends where r would read past a fault. Call it before r.Read.
func Strict(r Reader) Reader {
	if l, ok := r.(Lenient); ok {
		return &strict{l}
	}
	return r
}

type strict struct{ Lenient }

// Read implements Reader.
func (s *strict) Read() (Quad, error) {
	if w := s.Warnings(); w.Count > 0 {
		return Quad{}, w.First[0]
	}
	q, err := s.Lenient.Read()
	if w := s.Warnings(); w.Count > 0 {
		return Quad{}, w.First[0]
	}
	return q, err
}
