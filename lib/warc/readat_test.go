package warc

import (
	"bytes"
	"io"
	"reflect"
	"testing"
)

// Memory that was used for a record of any format, read to its end or not, broken or not, does for one of any other. What was
// given back can no longer be read, though its memory is another's.
func TestPoolReadsOneAfterAnother(t *testing.T) {
	var p Pool
	files, starts := map[string][]byte{}, map[string][]int64{}
	for name, c := range formats() {
		file, ends := write(t, c, sample())
		files[name], starts[name] = file, append([]int64{0}, ends[:len(ends)-1]...)
	}
	var before *Record
	for round := range 4 {
		for name, file := range files {
			for i, want := range sample() {
				rec, err := p.ReadAt(bytes.NewReader(file), int64(len(file)), starts[name][i])
				if err != nil {
					t.Fatalf("%s, record %d: %v", name, i, err)
				}
				if before != nil {
					if n, err := before.Block.Read(make([]byte, 1)); n != 0 || err == nil {
						t.Fatalf("%s: a record that was given back still reads", name)
					}
				}
				length := int64(len(want.block))
				if (i+round)%2 == 0 {
					length /= 2
				}
				block, err := io.ReadAll(io.LimitReader(rec.Block, length))
				if err != nil || string(block) != want.block[:length] || !reflect.DeepEqual(rec.Header, want.header) {
					t.Fatalf("%s, record %d: %v, %d bytes, %v", name, i, rec.Header, len(block), err)
				}
				p.GiveBack(rec)
				p.GiveBack(rec)
				before = rec
			}
			if _, err := p.ReadAt(bytes.NewReader(file), int64(len(file)), 1); err == nil && name != "plain" {
				t.Errorf("%s: a record begins at its second byte", name)
			}
			if _, err := p.ReadAt(bytes.NewReader(file), int64(len(file)), int64(len(file))); err == nil {
				t.Errorf("%s: a record begins at its end", name)
			}
			cut := file[:starts[name][1]-9]
			if rec, err := p.ReadAt(bytes.NewReader(cut), int64(len(cut)), 0); err == nil {
				_, _ = io.Copy(io.Discard, rec.Block) // it may break off
				p.GiveBack(rec)
			}
		}
	}
}
