package judge

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// This file stores and reads models. docs/formats/model.md describes the stored form.

// modelLine is the first line of a stored model. Its number changes with the form, and with the bucket of a word.
const modelLine = "kavosh model 1\n"

// Bounds of a stored model.
const (
	MaxModel     = 4 << 20 // bytes
	maxModelHead = 4 << 10 // bytes of its second line
)

// modelHead is the second line, as JSON.
type modelHead struct {
	Method   string  `json:"method"`
	Relevant int     `json:"relevant"`
	Other    int     `json:"other"`
	Bias     float64 `json:"bias"`
	Slope    float64 `json:"slope"`
	Offset   float64 `json:"offset"`
}

// AppendBinary appends the model's stored form to b. It fails if the model contains NaN or infinite numbers.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	head, err := json.Marshal(modelHead{m.Method, m.Relevant, m.Other, m.bias, m.slope, m.offset})
	if err != nil {
		return nil, err
	}
	data := append(append([]byte(modelLine), head...), '\n')
	last := 0
	for i, w := range m.weights {
		if w != 0 {
			data = binary.AppendUvarint(data, uint64(i-last+1))
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(w))
			last = i
		}
	}
	return append(b, sealed(append(data, 0))...), nil
}

// sealed returns data with its checksum appended.
func sealed(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}

// ReadModel reads what AppendBinary wrote.
func ReadModel(data []byte) (*Model, error) {
	rest, ok := bytes.CutPrefix(data, []byte(modelLine))
	switch {
	case !ok && bytes.HasPrefix(data, []byte("kavosh model ")):
		return nil, errors.New("a model of another version of kavosh: train it again")
	case !ok:
		return nil, errors.New("no model that kavosh judge train made")
	case len(data) > MaxModel:
		return nil, fmt.Errorf("a model of %d bytes, at most %d are read", len(data), MaxModel)
	case len(rest) < 4 || !bytes.Equal(data, sealed(data[:len(data)-4:len(data)-4])):
		return nil, errors.New("the model is damaged or not whole: its checksum is wrong")
	}
	rest = rest[:len(rest)-4]
	end := bytes.IndexByte(rest[:min(len(rest), maxModelHead)], '\n')
	if end < 0 {
		return nil, errors.New("the model's second line has no end")
	}
	var head modelHead
	if err := json.Unmarshal(rest[:end], &head); err != nil {
		return nil, fmt.Errorf("the model's second line: %w", err)
	}
	for _, x := range [...]float64{head.Bias, head.Slope, head.Offset} {
		if math.Abs(x) > 1e6 {
			return nil, errors.New("the model's second line: a number is too large")
		}
	}
	m := &Model{
		Method: head.Method, Relevant: head.Relevant, Other: head.Other, bias: head.Bias, slope: head.Slope, offset: head.Offset,
		weights: make([]float32, buckets),
	}
	rest = rest[end+1:]
	for last := uint64(0); ; {
		gap, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil, errors.New("the model's weights break off")
		}
		rest = rest[n:]
		if gap == 0 {
			break
		}
		at := last + gap - 1
		if gap > buckets || at >= buckets || len(rest) < 4 {
			return nil, errors.New("a weight of the model is out of place")
		}
		w := math.Float32frombits(binary.LittleEndian.Uint32(rest))
		if f := float64(w); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("a weight of the model is no number")
		}
		m.weights[at], last = w, at
		rest = rest[4:]
	}
	if len(rest) > 0 {
		return nil, errors.New("the model goes on after its end")
	}
	return m, nil
}
