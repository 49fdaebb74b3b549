package rdf

import "strconv"

// Labels names the blank nodes that a document leaves unnamed. The zero Labels is ready.
type Labels struct{ made int }

// New is a blank node that no other of the document is: _1, _2 and so on, which Named never gives.
func (l *Labels) New() Term {
	l.made++
	return Term{Kind: Blank, Value: "_" + strconv.Itoa(l.made)}
}

// Named is the blank node that a document calls label: one more underscore stands before a label that begins with one, so
// that it is none of New's.
func Named(label string) Term {
	if label != "" && label[0] == '_' {
		label = "_" + label
	}
	return Term{Kind: Blank, Value: label}
}
