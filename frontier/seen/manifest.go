package seen

// This file reads and writes MANIFEST, the file that names the runs that belong to a Set.

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// manifest names the runs that count, newest first. It is a text of lines, replaced as a whole:
//
//	kavosh seen 1
//	flushed 12
//	next 35
//	run 34 1048576 29360128
//	run 33 8388608 234881024
//	crc 1a2b3c4d
//
// The numbers of a run are its own, its records and its bytes; crc is the CRC-32C of all lines before it. A file is
// numbered below next.
type manifest struct {
	flushed, next uint64
	runs          []listed
}

const (
	manifestName = "MANIFEST"
	manifestHead = "kavosh seen 1\n"
)

func (m *manifest) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%sflushed %d\nnext %d\n", manifestHead, m.flushed, m.next)
	for _, r := range m.runs {
		fmt.Fprintf(&b, "run %d %d %d\n", r.number, r.records, r.size)
	}
	fmt.Fprintf(&b, "crc %08x\n", crc32.Checksum(b.Bytes(), castagnoli))
	return b.Bytes()
}

// parseManifest reads what text wrote and nothing else.
func parseManifest(text []byte) (m manifest, err error) {
	if !bytes.HasPrefix(text, []byte(manifestHead)) {
		return m, fmt.Errorf("%w: it is not of version 1", ErrDamaged)
	}
	for line := range strings.Lines(string(text[len(manifestHead):])) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fields := strings.Split(rest, " ")
		var n [3]uint64
		for i := range min(len(fields), len(n)) {
			n[i], _ = strconv.ParseUint(fields[i], 10, 63) // what does not parse differs below
		}
		switch name {
		case "flushed":
			m.flushed = n[0]
		case "next":
			m.next = n[0]
		case "run":
			m.runs = append(m.runs, listed{n[0], int64(n[1]), int64(n[2])})
		}
	}
	if !bytes.Equal(m.text(), text) {
		return m, errMalformed
	}
	return m, nil
}

// readManifest is that of an empty Set where none is found.
func readManifest(files vfs.FS, path string) (m manifest, found bool, err error) {
	text, err := disk.ReadFile(files, path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{next: 1}, false, nil
	}
	if err != nil {
		return m, false, err
	}
	if m, err = parseManifest(text); err != nil {
		return m, false, fmt.Errorf("%s: %w", path, err)
	}
	return m, true, nil
}

// isRun reports whether a file of that name is a run.
func isRun(name string) bool {
	number, found := strings.CutSuffix(name, ".run")
	_, err := strconv.ParseUint(number, 10, 64)
	return found && err == nil
}
