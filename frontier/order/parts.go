package order

import (
	"errors"
	"fmt"

	"kavosh"
)

// errParts is the error for saved knowledge that belongs to other parts than the policy has.
var errParts = errors.New("this is knowledge of other parts")

// errWhole returns the error for a number before a part that is not a whole number.
func errWhole(n float64) error {
	return fmt.Errorf("%v*: in mix the number before a part is how often it chooses: write a whole number", n)
}

// needs returns what a policy needs of pages besides links.
func needs(p Policy) kavosh.Needs {
	if r, ok := p.(Reader); ok {
		return r.Needs()
	}
	return kavosh.Needs{}
}

// savePart returns what a part knows; nil if it keeps nothing.
func savePart(p Policy) ([]byte, error) {
	if k, ok := p.(Keeper); ok {
		return k.Save()
	}
	return nil, nil
}

// restorePart gives a part what savePart returned.
func restorePart(p Policy, data []byte) error {
	if k, ok := p.(Keeper); ok {
		return k.Restore(data)
	}
	if len(data) > 0 {
		return errParts
	}
	return nil
}
