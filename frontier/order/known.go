package order

// This file holds the bounded memory in which ordering policies keep what they know by hash, and the form in which a
// policy's knowledge is saved and read back.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// known remembers a value for each URL, host or the like, by its hash. It holds at most max values, in a young half and
// an old half. When the young half is full, the old half is forgotten and the young half takes its place. A value that
// is read or set is young again.
type known[V any] struct {
	max        int
	young, old map[uint64]V
}

func newKnown[V any](most int) *known[V] { return &known[V]{max: most, young: map[uint64]V{}} }

// get returns the value of key; ok is false if there is none.
func (k *known[V]) get(key uint64) (v V, ok bool) {
	if v, ok = k.young[key]; ok {
		return v, true
	}
	if v, ok = k.old[key]; ok {
		k.set(key, v)
	}
	return v, ok
}

// set makes v the value of key.
func (k *known[V]) set(key uint64, v V) {
	if _, ok := k.young[key]; !ok && len(k.young) >= (k.max+1)/2 {
		k.old, k.young = k.young, map[uint64]V{}
	}
	k.young[key] = v
	delete(k.old, key)
}

func (k *known[V]) delete(key uint64) {
	delete(k.young, key)
	delete(k.old, key)
}

// fact is one key and its value, as they are saved.
type fact[V any] struct {
	Key   uint64 `json:"k"`
	Value V      `json:"v"`
}

// save returns all values, those of the old half first.
func (k *known[V]) save() []fact[V] {
	facts := make([]fact[V], 0, len(k.old)+len(k.young))
	for _, half := range []map[uint64]V{k.old, k.young} {
		for _, key := range slices.Sorted(maps.Keys(half)) {
			facts = append(facts, fact[V]{key, half[key]})
		}
	}
	return facts
}

// restore sets the values that save returned.
func (k *known[V]) restore(facts []fact[V]) {
	for _, f := range facts {
		k.set(f.Key, f.Value)
	}
}

// saved is the form in which the knowledge of a policy is stored: JSON with the name of the policy, and a version for
// the form of Of.
type saved[T any] struct {
	Policy  string `json:"policy"`
	Version int    `json:"version"`
	Of      T      `json:"of"`
}

// save returns what a policy knows in its stored form.
func save[T any](policy string, version int, of T) ([]byte, error) {
	return json.Marshal(saved[T]{policy, version, of})
}

// maxSaved is how many bytes restore reads at most.
const maxSaved = 256 << 20

// restore returns what save stored for the same policy and version.
func restore[T any](policy string, version int, data []byte) (of T, err error) {
	var s saved[T]
	if len(data) > maxSaved {
		return of, fmt.Errorf("%s: %d bytes of knowledge are too many", policy, len(data))
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return of, fmt.Errorf("%s: what it knew cannot be read: %w", policy, err)
	}
	if c := cmp.Compare(s.Version, version); s.Policy != policy || c != 0 {
		return of, fmt.Errorf("%s: this is what %q knew in version %d; version %d of its own is wanted", policy, s.Policy, s.Version, version)
	}
	return s.Of, nil
}

// restoreTo reads what save stored, and gives it to the method restore of to.
func restoreTo[T any](to interface{ restore(T) }, policy string, version int, data []byte) error {
	of, err := restore[T](policy, version, data)
	to.restore(of)
	return err
}
