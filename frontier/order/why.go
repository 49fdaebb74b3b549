package order

import "strconv"

// reasons is an explanation of a score for people, such as "parent relevant 0.50, depth 0.20". It grows by and and
// count; text that does not fit into 128 bytes is left out.
type reasons struct {
	text [128]byte
	n    int
}

// because returns an explanation that is one name and its number.
func because(name string, value float64) string { return new(reasons).and(name, value).String() }

// and adds a name and its number with two decimals, if there is room.
func (r *reasons) and(name string, value float64) *reasons { return r.add(name, value, 2) }

// count adds a name and a whole number, if there is room.
func (r *reasons) count(name string, n float64) *reasons { return r.add(name, n, 0) }

// add adds a name and its number with so many decimals, if there is room.
func (r *reasons) add(name string, value float64, digits int) *reasons {
	if r.n+len(name)+28 > len(r.text) {
		return r
	}
	b := r.text[:r.n]
	if r.n > 0 {
		b = append(b, ", "...)
	}
	b = append(append(b, name...), ' ')
	r.n = len(strconv.AppendFloat(b, min(max(value, -1e15), 1e15), 'f', digits, 64))
	return r
}

// String returns the explanation so far.
func (r *reasons) String() string { return string(r.text[:r.n]) }
