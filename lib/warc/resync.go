package warc

// This file finds the next record of a WARC file after damage.

import "bytes"

// resync skips bytes until a record begins here, or the unit or file ends. It returns the length of the line ends just
// before, at most of those that end a record.
func (r *Reader) resync() (blank int64) {
	lineStart := true
	var tail [4]byte
	for r.err == nil {
		b, err := r.in.Peek(max(r.in.Buffered(), 1))
		if len(b) <= margin && err == nil {
			b, err = r.in.Peek(bufSize)
		}
		if len(b) == 0 {
			break
		}
		i, found := r.candidate(b, lineStart, err != nil)
		for k := max(0, i-len(tail)); k < i; k++ {
			copy(tail[:], tail[1:])
			tail[len(tail)-1] = b[k]
		}
		if i > 0 {
			lineStart = b[i-1] == '\n'
		}
		r.in.Discard(i)
		if !found {
			continue
		}
		if r.accept() {
			break
		}
		c, _ := r.in.ReadByte()
		lineStart = c == '\n'
		copy(tail[:], tail[1:])
		tail[len(tail)-1] = c
	}
	return r.lineEnds(tail[:])
}

// margin is how many bytes are needed to recognise a candidate.
const margin = 16

// candidate returns the index of the first byte of b where a record or unit may begin. If there is none, found is false
// and i is how many bytes of b can be skipped.
func (r *Reader) candidate(b []byte, lineStart, last bool) (i int, found bool) {
	done := len(b)
	if !last {
		done -= margin // too few bytes to recognise anything
	}
	limit := done
	if !r.packed() {
		for _, magic := range [][]byte{gzipMagic, zstdMagic} {
			if k := bytes.Index(b[:min(len(b), limit+len(magic)-1)], magic); k >= 0 && k < limit {
				limit, found = k, true
			}
		}
	}
	if k := indexVersion(b[:min(len(b), limit+margin-1)]); k >= 0 && k < limit { // also in the middle of a line that was cut
		limit, found = k, true
	}
	for at := 0; at < limit; {
		if lineStart && r.mayBegin(b[at:]) {
			return at, true
		}
		k := bytes.IndexByte(b[at:limit], '\n')
		if k < 0 {
			break
		}
		if r.mayBeARC() {
			if cut := arcWithin(b[at : at+k]); cut > 0 {
				return at + cut, true
			}
		}
		at += k + 1
		lineStart = true
	}
	return limit, found
}

// mayBegin reports whether the first bytes of line look like the beginning of a record.
func (r *Reader) mayBegin(line []byte) bool {
	if isVersion(line) {
		return true
	}
	if !r.mayBeARC() {
		return false
	}
	for _, scheme := range arcSchemes {
		if bytes.HasPrefix(line, []byte(scheme)) {
			return true
		}
	}
	return false
}

// mayBeARC reports whether the file may be an ARC file, judging by what was read so far.
func (r *Reader) mayBeARC() bool { return r.arc || !r.any }

// accept checks a candidate closely. A member or frame that begins with a record is opened. In a compressed file, so is
// one that decompresses for a while: it may continue a record whose beginning is lost.
func (r *Reader) accept() bool {
	if r.recordHere() {
		return true
	}
	b, _ := r.in.Peek(8)
	format, _ := sniff(b)
	if r.packed() || format == Plain {
		return false
	}
	at := r.src.offset()
	if r.tryUnit(format) == nil {
		if b, _ := r.in.Peek(512); r.recordHere() || r.format == format && len(b) > 0 && r.dec.err == nil {
			return true
		}
	}
	r.goBack(place{at, 0})
	r.in = r.src.Reader
	return false
}
