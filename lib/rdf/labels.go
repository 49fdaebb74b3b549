package rdf

import "strconv"

// Labels makes labels for the blank nodes that have none in the document. The zero Labels is ready.
type Labels struct{ made int }

// New returns a new blank node: _1, _2 and so on, which Named never returns.
func (l *Labels) New() Term {
	l.made++
	return Term{Kind: Blank, Value: "_" + strconv.Itoa(l.made)}
}

// Named returns the blank node that the document calls label. If label begins with an underscore, one more is added, so
// that it differs from New's.
func Named(label string) Term {
	if label != "" && label[0] == '_' {
		label = "_" + label
	}
	return Term{Kind: Blank, Value: label}
}
