package order

import (
	"errors"
	"fmt"

	"kavosh"
)

// errParts says that saved knowledge is of other parts than the policy has.
var errParts = errors.New("this is knowledge of other parts")

// errWhole says that a number before a part must be a whole one.
func errWhole(n float64) error {
	return fmt.Errorf("%v*: in mix the number before a part is how often it chooses: write a whole number", n)
}

// needs is what a policy wants of pages.
func needs(p Policy) kavosh.Needs {
	if r, ok := p.(Reader); ok {
		return r.Needs()
	}
	return kavosh.Needs{}
}

// savePart is what a part knows; nil when it keeps nothing.
func savePart(p Policy) ([]byte, error) {
	if k, ok := p.(Keeper); ok {
		return k.Save()
	}
	return nil, nil
}

func restorePart(p Policy, data []byte) error {
	if k, ok := p.(Keeper); ok {
		return k.Restore(data)
	}
	if len(data) > 0 {
		return errParts
	}
	return nil
}
