// Package grams reads text by script and adds up the evidence of its n-grams for each language.
//
// A [Model] has a table for every script that several languages share. A row of a table stands for one n-gram, by its
// hash: one to four letters of a word (its ends count as letters) or a whole word. For each language the row has six
// bits: the logarithm of how much likelier the n-gram is in it than in the mean of the script's languages. A [Counter]
// adds rows up, eight languages at a time. This is naive Bayes.
//
// [Train] makes a table from counts of words. [Model.Encode] and [Decode] are the stored form:
//
//	flate of: { script byte, languages uvarint, { length byte, name }, rows uvarint, { difference to the hash before uvarint },
//	            { byte a row }, for one language after the other }
package grams

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

const (
	// A weight is a byte from 0 to heaviest. zero means no evidence; a weight grows by PerNat per nat.
	zero     = 31
	heaviest = 63
	// mostBlocks bounds the languages of a script, in blocks of eight; it is a power of two.
	mostBlocks = 16
	mostRows   = 1<<16 - 2
)

// Model holds what is known about n-grams. It does not change.
type Model struct {
	tables [several]*table
}

// table is the model of one script.
type table struct {
	languages []string
	blocks    int      // of eight languages
	hashes    []uint32 // ascending
	rows      []uint64 // blocks for each hash
	slots     []uint32 // low half of a hash, and the number of its row plus one; 0 if empty
	shift     uint8    // from a hash to its slot
	known     []uint64 // one bit for each value of a hash's highest bits: most n-grams have no row and need no look at the slots
}

// knownBits is how many bits of a hash select a bit of table.known: as many as fit into a processor's nearest cache.
const knownBits = 18

// table returns the table of a script; nil for a script with only one language.
func (m *Model) table(s Script) *table {
	if int(s) >= several {
		return nil
	}
	return m.tables[s]
}

// Languages returns the languages of a script, in the order of [Counter.Sums]; none if it has only one.
func (m *Model) Languages(s Script) []string {
	if t := m.table(s); t != nil {
		return t.languages
	}
	return nil
}

// index makes the slots.
func (t *table) index() {
	size := bits.Len(uint(2*len(t.hashes)) | 15)
	t.slots, t.shift = make([]uint32, 1<<size), uint8(32-size)
	t.known = make([]uint64, 1<<knownBits/64)
	mask := uint32(len(t.slots) - 1)
	for row, h := range t.hashes {
		t.known[h>>(32-knownBits)/64] |= 1 << (h >> (32 - knownBits) % 64)
		at := h >> t.shift
		for t.slots[at&mask] != 0 {
			at++
		}
		t.slots[at&mask] = h<<16 | uint32(row+1)
	}
}

func (t *table) weight(row, language int) byte {
	return byte(t.rows[row*t.blocks+language/8] >> (8 * (language % 8)))
}

func (t *table) setWeight(row, language int, w byte) {
	b := &t.rows[row*t.blocks+language/8]
	shift := 8 * (language % 8)
	*b = *b&^(0xFF<<shift) | uint64(w)<<shift
}

// Encode writes the model.
func (m *Model) Encode(w io.Writer) error {
	z, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	var out []byte
	for s, t := range m.tables {
		if t == nil {
			continue
		}
		out = append(out[:0], byte(s))
		out = binary.AppendUvarint(out, uint64(len(t.languages)))
		for _, name := range t.languages {
			out = append(append(out, byte(len(name))), name...)
		}
		out = binary.AppendUvarint(out, uint64(len(t.hashes)))
		before := uint32(0)
		for _, h := range t.hashes {
			out = binary.AppendUvarint(out, uint64(h-before))
			before = h
		}
		for l := range t.languages {
			for row := range t.hashes {
				out = append(out, t.weight(row, l))
			}
		}
		if _, err := z.Write(out); err != nil {
			return err
		}
	}
	return z.Close()
}

// Decode reads a model that [Model.Encode] wrote.
func Decode(encoded []byte) (*Model, error) {
	in := bufio.NewReader(flate.NewReader(bytes.NewReader(encoded)))
	m := &Model{}
	for {
		s, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		if int(s) >= several || m.tables[s] != nil {
			return nil, fmt.Errorf("a table for script %d", s)
		}
		if m.tables[s], err = decodeTable(in); err != nil {
			return nil, fmt.Errorf("table of script %d: %w", s, err)
		}
	}
}

func decodeTable(in *bufio.Reader) (*table, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil || n == 0 || n > 8*mostBlocks {
		return nil, fmt.Errorf("%d languages (%w)", n, err)
	}
	t := &table{languages: make([]string, n), blocks: int(n+7) / 8}
	var buf [256]byte
	for i := range t.languages {
		size, err := in.ReadByte()
		if err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(in, buf[:size]); err != nil {
			return nil, err
		}
		t.languages[i] = string(buf[:size])
	}
	rows, err := binary.ReadUvarint(in)
	if err != nil || rows > mostRows {
		return nil, fmt.Errorf("%d rows (%w)", rows, err)
	}
	t.hashes = make([]uint32, rows)
	t.rows = make([]uint64, int(rows)*t.blocks)
	at := uint64(0)
	for i := range t.hashes {
		more, err := binary.ReadUvarint(in)
		if at += more; err != nil || at > 1<<32-1 {
			return nil, fmt.Errorf("hash %d (%w)", at, err)
		}
		t.hashes[i] = uint32(at)
	}
	for l := range t.languages {
		for row := range t.hashes {
			w, err := in.ReadByte()
			if err != nil || w > heaviest {
				return nil, fmt.Errorf("weight %d (%w)", w, err)
			}
			t.setWeight(row, l, w)
		}
	}
	t.index()
	return t, nil
}
