package seen

// This file is the table in memory that holds the newest entries, until flush.go writes it to a run.

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// table holds the newest entries in memory. It is a hash table with linear probing. Its slots point to records, which
// lie in chunks of memory.
//
// The place of a key in the table is given by its first bits, because keys are evenly distributed, and probing goes
// only upwards. So the table is sorted except within a cluster, which is a row of filled slots without a free one
// between: all keys of one cluster are less than all keys of the next. To write the table in order, only each cluster
// is sorted. Somebody may make up URLs whose hashes begin alike, on purpose, so that one cluster becomes long. Then
// crowded is set, and the table is flushed early.
type table struct {
	// index has the slots. A slot is 0 if it is free. Otherwise its upper 32 bits are the last 32 bits of the first
	// half of a key, and its lower 32 bits are the place of the record + 1.
	index   []uint64
	bits    int      // how many first bits of a key give its place: there are 1<<bits slots, and some behind for the last cluster
	chunks  [][]byte // of chunkBytes each, filled with records
	end     int      // place of the next record: the chunk in the upper bits, where in it in the lower chunkBits
	count   int      // how many entries it has
	crowded bool     // it must be flushed early: a cluster is too long, or the places run out
}

const (
	chunkBits  = 20
	chunkBytes = 1 << chunkBits
	minBits    = 10   // bits of an empty table
	overrun    = 64   // slots that are added behind the others
	longProbe  = 2048 // probes that make a table crowded; at a load of at most 2/3, none of millions of tables needs so many

	recordSize = len(Key{})     // a record is its key, the length of its value at this place, the room for it, and the value
	recordHead = recordSize + 2 // bytes of a record before its value
)

func newTable() *table {
	return &table{index: make([]uint64, 1<<minBits+overrun), bits: minBits}
}

// reset empties t and keeps its memory.
func (t *table) reset() {
	clear(t.index)
	t.end, t.count, t.crowded = 0, 0, false
}

// record returns the memory from the record of a slot on.
func (t *table) record(slot uint64) []byte {
	at := int(uint32(slot)) - 1
	return t.chunks[at>>chunkBits][at&(chunkBytes-1):]
}

// valueOf returns the value of a record.
func valueOf(r []byte) []byte { return r[recordHead : recordHead+int(r[recordSize])] }

// find returns the value of key; nil if there is none. hi is the first half of key.
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

// put sets the value of key.
func (t *table) put(key *Key, value []byte) {
	hi, _ := key.halves()
	tag := hi << 32
	home := int(hi >> (64 - t.bits))
	i := home
	for ; i < len(t.index) && t.index[i] != 0; i++ {
		if slot := t.index[i]; slot&^0xffffffff == tag {
			if r := t.record(slot); Key(r) == *key {
				if int(r[recordSize+1]) < len(value) { // it needs a new record; otherwise it fits into the old one
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

// seat fills the slot i, which is free or just behind the last one.
func (t *table) seat(i int, slot uint64) {
	if i >= len(t.index) {
		t.index = append(t.index, make([]uint64, overrun)...)
	}
	t.index[i] = slot
}

// append writes a record, and returns its place + 1, for its slot.
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

// grow doubles the number of slots.
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

// each calls yield with all entries in the order of their keys, until yield returns an error. It does not change t.
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
