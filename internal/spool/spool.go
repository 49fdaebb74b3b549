// Package spool holds bytes in memory while they are few, and in a temporary file when they grow.
//
// A Pool hands out Buffers. Its zero value keeps up to 1 MiB of each buffer in memory and cannot store more. A Buffer
// is filled from the front, read anywhere, and given back with Close. A Section is a part of a Buffer as a body of its
// own, and Memory is a body in memory. All of them are kavosh.Body.
//
//	buf := pool.Get()
//	n, err := conn.Read(buf.Tail())    // straight into the buffer
//	err = buf.Commit(n)
//
// The files do not outlive the process: Close removes them, and Clear removes those of a killed process.
package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// DefaultMemory is the default size up to which a buffer stays in memory, in bytes.
	DefaultMemory = 1 << 20
	// DefaultKeep is the default for how many bytes of unused buffers a pool keeps.
	DefaultKeep = 16 << 20

	first  = 32 << 10 // bytes of a new buffer
	room   = 4 << 10  // least room that Tail returns
	prefix = "spool-"
)

// Pool makes buffers and reuses them. Set the fields before the first Get. It is safe for concurrent use.
type Pool struct {
	FS     vfs.FS // file system for the files; nil: a buffer that exceeds Memory fails
	Dir    string // folder for the files, created when needed
	Memory int    // bytes that a buffer holds in memory, at least 32 KiB; 0 means DefaultMemory
	Keep   int    // bytes of free memory kept; 0 means DefaultKeep

	mu struct {
		sync.Mutex
		free   [][]byte
		kept   int // bytes in free
		serial uint64
		made   bool // Dir exists
	}
}

// Get returns an empty buffer.
func (p *Pool) Get() *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &Buffer{pool: p}
	if n := len(p.mu.free); n > 0 {
		b.mem = p.mu.free[n-1]
		p.mu.free = p.mu.free[:n-1]
		p.mu.kept -= cap(b.mem)
	}
	return b
}

// Clear removes the files that an earlier process left in Dir.
func (p *Pool) Clear() error {
	if p.FS == nil {
		return nil
	}
	names, err := p.FS.List(p.Dir)
	if err != nil {
		return nil // no folder, no files
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			if err := p.FS.Remove(p.FS.PathJoin(p.Dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Pool) memory() int {
	if p.Memory <= 0 {
		return DefaultMemory
	}
	return max(p.Memory, first)
}

// put keeps the memory of a closed buffer, unless enough is kept.
func (p *Pool) put(mem []byte) {
	keep := p.Keep
	if keep <= 0 {
		keep = DefaultKeep
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if cap(mem) > 0 && p.mu.kept+cap(mem) <= keep {
		p.mu.free = append(p.mu.free, mem[:0])
		p.mu.kept += cap(mem)
	}
}

// create creates the next temporary file.
func (p *Pool) create() (vfs.File, string, error) {
	if p.FS == nil {
		return nil, "", errors.New("spool: more than fits in memory, and no folder for files")
	}
	p.mu.Lock()
	made := p.mu.made
	p.mu.made = true
	p.mu.serial++
	name := p.FS.PathJoin(p.Dir, fmt.Sprintf("%s%d", prefix, p.mu.serial))
	p.mu.Unlock()
	if !made {
		if err := p.FS.MkdirAll(p.Dir, 0o777); err != nil {
			return nil, "", err
		}
	}
	f, err := p.FS.Create(name, vfs.WriteCategoryUnspecified)
	return f, name, err
}

// Buffer holds bytes in the order in which they were added. One goroutine fills it; after that, any number may read it.
type Buffer struct {
	pool *Pool
	mem  []byte // everything, if there is no file; else what is not yet in the file
	file vfs.File
	name string
	sunk int64 // bytes in the file
	err  error // error of the file; it stays
}

// Size is the number of bytes held.
func (b *Buffer) Size() int64 { return b.sunk + int64(len(b.mem)) }

// Bytes returns everything if it is in memory, else nil. It is valid until the next change.
func (b *Buffer) Bytes() []byte {
	if b.file != nil {
		return nil
	}
	return b.mem
}

// Tail returns free room after the last byte, at least 4 KiB, to be filled and committed.
func (b *Buffer) Tail() []byte {
	if cap(b.mem)-len(b.mem) < room {
		b.Grow(room)
	}
	return b.mem[len(b.mem):cap(b.mem)]
}

// Grow makes room for n more bytes, up to the bound on memory.
func (b *Buffer) Grow(n int64) {
	if b.file != nil {
		return
	}
	want := min(int64(len(b.mem))+n, int64(b.pool.memory())) + room
	if int64(cap(b.mem)) >= want {
		return
	}
	size := max(first, cap(b.mem))
	for int64(size) < want {
		size *= 2
	}
	mem := make([]byte, len(b.mem), min(size, b.pool.memory()+room))
	copy(mem, b.mem)
	b.mem = mem
}

// Commit adds the first n bytes of Tail. The error is the temporary file's.
func (b *Buffer) Commit(n int) error {
	b.mem = b.mem[:len(b.mem)+n]
	if b.file != nil && cap(b.mem)-len(b.mem) < room || len(b.mem) > b.pool.memory() {
		return b.sink()
	}
	return b.err
}

// Write adds p.
func (b *Buffer) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		if b.err != nil {
			return written, b.err
		}
		b.Grow(int64(len(p) - written))
		n := copy(b.Tail(), p[written:])
		written += n
		if err := b.Commit(n); err != nil {
			return written, err
		}
	}
	return written, nil
}

// Cut removes the first n bytes of a buffer that is still in memory. It moves the rest.
func (b *Buffer) Cut(n int) { b.mem = b.mem[:copy(b.mem, b.mem[n:])] }

// Truncate keeps the first n bytes. n must not be less than the bytes in the file.
func (b *Buffer) Truncate(n int64) { b.mem = b.mem[:n-b.sunk] }

// sink moves the bytes in memory to the end of the file.
func (b *Buffer) sink() error {
	if b.err != nil {
		return b.err
	}
	if b.file == nil {
		if b.file, b.name, b.err = b.pool.create(); b.err != nil {
			b.file = nil
			return b.err
		}
	}
	n := len(b.mem)
	if _, b.err = b.file.Write(b.mem); b.err != nil {
		return b.err
	}
	b.sunk += int64(n)
	b.mem = b.mem[:0]
	return nil
}

// Finish moves the rest into the file, if there is one, so that ReadAt is safe for concurrent use.
func (b *Buffer) Finish() error {
	if b.file != nil && len(b.mem) > 0 {
		return b.sink()
	}
	return b.err
}

// ReadAt reads from offset off, as io.ReaderAt.
func (b *Buffer) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("spool: negative offset")
	}
	n := 0
	if off < b.sunk {
		want := p[:min(int64(len(p)), b.sunk-off)]
		var err error
		if n, err = b.file.ReadAt(want, off); n < len(want) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if rest := off + int64(n) - b.sunk; n < len(p) && rest < int64(len(b.mem)) {
		n += copy(p[n:], b.mem[rest:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close removes the file and returns the memory to the pool. The buffer must not be used afterwards; another Close does
// nothing.
func (b *Buffer) Close() error {
	if b == nil || b.pool == nil {
		return nil
	}
	pool := b.pool
	b.pool = nil
	pool.put(b.mem)
	b.mem = nil
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	if rerr := pool.FS.Remove(b.name); err == nil {
		err = rerr
	}
	b.file = nil
	return err
}

// Section is the bytes of Of from offset From on, as a body of its own.
type Section struct {
	Of   *Buffer
	From int64
}

// Size is the number of bytes held.
func (s *Section) Size() int64 { return max(s.Of.Size()-s.From, 0) }

// Bytes returns everything if it is in memory, else nil.
func (s *Section) Bytes() []byte {
	if b := s.Of.Bytes(); b != nil {
		return b[s.From:]
	}
	return nil
}

// ReadAt reads from offset off, as io.ReaderAt.
func (s *Section) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("spool: negative offset")
	}
	return s.Of.ReadAt(p, s.From+off)
}

// Memory is a body in memory.
type Memory []byte

// ReadAt reads from off on.
func (m Memory) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(m).ReadAt(p, off) }

// Size is the number of bytes.
func (m Memory) Size() int64 { return int64(len(m)) }

// Bytes is all of it.
func (m Memory) Bytes() []byte { return m }
