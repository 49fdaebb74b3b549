package order

// This file holds the bounded memory in which policies keep what they know by hash, and the form in which a policy's
// knowledge is saved and read back.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// known remembers something of URLs, hosts and the like, by their hashes: at most max of them. When the younger half of
// its room is full, the older half is forgotten; what is asked for or set counts as young again.
type known[V any] struct {
	max        int
	young, old map[uint64]V
}

func newKnown[V any](most int) *known[V] { return &known[V]{max: most, young: map[uint64]V{}} }

func (k *known[V]) get(key uint64) (v V, ok bool) {
	if v, ok = k.young[key]; ok {
		return v, true
	}
	if v, ok = k.old[key]; ok {
		k.set(key, v)
	}
	return v, ok
}

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

// fact is one thing known, as it is saved.
type fact[V any] struct {
	Key   uint64 `json:"k"`
	Value V      `json:"v"`
}

// save is all that is known, the older half first.
func (k *known[V]) save() []fact[V] {
	facts := make([]fact[V], 0, len(k.old)+len(k.young))
	for _, half := range []map[uint64]V{k.old, k.young} {
		for _, key := range slices.Sorted(maps.Keys(half)) {
			facts = append(facts, fact[V]{key, half[key]})
		}
	}
	return facts
}

func (k *known[V]) restore(facts []fact[V]) {
	for _, f := range facts {
		k.set(f.Key, f.Value)
	}
}

// saved is how a policy's knowledge is stored: JSON with the policy's name and a version of what Of holds.
type saved[T any] struct {
	Policy  string `json:"policy"`
	Version int    `json:"version"`
	Of      T      `json:"of"`
}

func save[T any](policy string, version int, of T) ([]byte, error) {
	return json.Marshal(saved[T]{policy, version, of})
}

// maxSaved bounds what is read back, in bytes.
const maxSaved = 256 << 20

// restore reads what save wrote.
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

// restoreTo gives to what save wrote of it.
func restoreTo[T any](to interface{ restore(T) }, policy string, version int, data []byte) error {
	of, err := restore[T](policy, version, data)
	to.restore(of)
	return err
}
