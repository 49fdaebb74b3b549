package seen

// This file is the table in memory that holds the newest entries, until flush.go writes it to a run.

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// table is the newest entries, in memory: a hash table with linear probing over records in an arena.
//
// A key's place is its first bits, because keys are distributed evenly, and probing goes upwards only. So the table is
// sorted but for what lies side by side, and is written in order without being sorted: what stands in one cluster of
// slots comes before what stands in the next. Somebody who goes to the trouble of making up URLs whose hashes begin
// alike makes one cluster long; crowded tells, and the table is flushed before its time.
type table struct {
	// index has in each slot, unless it is 0, the last 32 bits of a key's first half above the place of its record + 1.
	index   []uint64
	bits    int // of a key that say where it belongs: 1<<bits slots, and those that the last cluster runs over into
	chunks  [][]byte
	end     int // place of the next record
	count   int
	crowded bool
}

const (
	chunkBits  = 20
	chunkBytes = 1 << chunkBits
	minBits    = 10
	overrun    = 64   // slots behind the last
	longProbe  = 2048 // at a load of at most 2/3, probes in millions of tables stay below

	recordSize = len(Key{})     // a record is its key, the length of its value, the room for it, and its value
	recordHead = recordSize + 2 // before its value
)

func newTable() *table {
	return &table{index: make([]uint64, 1<<minBits+overrun), bits: minBits}
}

// reset empties t and keeps its memory.
func (t *table) reset() {
	clear(t.index)
	t.end, t.count, t.crowded = 0, 0, false
}

func (t *table) record(slot uint64) []byte {
	at := int(uint32(slot)) - 1
	return t.chunks[at>>chunkBits][at&(chunkBytes-1):]
}

// valueOf is the value of a record.
func valueOf(r []byte) []byte { return r[recordHead : recordHead+int(r[recordSize])] }

// find is the value of key; nil for none.
func (t *table) find(key *Key, hi uint64) []byte {
	tag := hi << 32
	for i := int(hi >> (64 - t.bits)); i < len(t.index) && t.index[i] != 0; i++ {
		if slot := t.index[i]; slot&^0xffffffff == tag {
			if r := t.record(slot); Key(r) == *key {
				return valueOf(r)
			}
		}
	}
	return nil
}

// put makes value that of key.
func (t *table) put(key *Key, value []byte) {
	hi, _ := key.halves()
	tag := hi << 32
	home := int(hi >> (64 - t.bits))
	i := home
	for ; i < len(t.index) && t.index[i] != 0; i++ {
		if slot := t.index[i]; slot&^0xffffffff == tag {
			if r := t.record(slot); Key(r) == *key {
				if int(r[recordSize+1]) < len(value) { // else in the same place
					t.index[i] = tag | t.append(key, value)
					return
				}
				r[recordSize] = uint8(copy(r[recordHead:], value))
				return
			}
		}
	}
	t.crowded = t.crowded || i-home > longProbe
	t.seat(i, tag|t.append(key, value))
	if t.count++; t.count > 2<<t.bits/3 {
		t.grow()
	}
}

// seat fills slot i, which is free or behind the last.
func (t *table) seat(i int, slot uint64) {
	if i >= len(t.index) {
		t.index = append(t.index, make([]uint64, overrun)...)
	}
	t.index[i] = slot
}

// append writes a record and returns what its slot says of its place.
func (t *table) append(key *Key, value []byte) uint64 {
	if t.end&(chunkBytes-1)+recordHead+len(value) > chunkBytes {
		t.end = (t.end>>chunkBits + 1) << chunkBits
	}
	if t.end>>chunkBits == len(t.chunks) {
		t.chunks = append(t.chunks, make([]byte, chunkBytes))
	}
	r := t.chunks[t.end>>chunkBits][t.end&(chunkBytes-1):]
	copy(r, key[:])
	r[recordSize], r[recordSize+1] = uint8(len(value)), uint8(len(value))
	copy(r[recordHead:], value)
	at := t.end
	t.end += recordHead + len(value)
	t.crowded = t.crowded || t.end >= 1<<31 // places have 32 bits
	return uint64(at + 1)
}

// grow doubles the slots.
func (t *table) grow() {
	old := t.index
	t.bits++
	t.index = make([]uint64, 1<<t.bits+overrun)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := int(binary.BigEndian.Uint64(t.record(slot)) >> (64 - t.bits))
		for i < len(t.index) && t.index[i] != 0 {
			i++
		}
		t.seat(i, slot)
	}
}

// each calls yield with all records, sorted by key, until one returns an error. It only reads.
func (t *table) each(yield func(key *Key, value []byte) error) error {
	var cluster [][]byte
	flush := func() error {
		slices.SortFunc(cluster, func(a, b []byte) int { return bytes.Compare(a[:len(Key{})], b[:len(Key{})]) })
		for _, r := range cluster {
			if err := yield((*Key)(r), valueOf(r)); err != nil {
				return err
			}
		}
		cluster = cluster[:0]
		return nil
	}
	for _, slot := range t.index {
		if slot != 0 {
			cluster = append(cluster, t.record(slot))
		} else if len(cluster) > 0 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
