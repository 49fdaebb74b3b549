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

// manifest is the content of the file MANIFEST: the runs of a Set, the newest first. It is a text of lines, which is
// replaced as a whole:
//
//	kavosh seen 1
//	flushed 12
//	next 35
//	run 34 1048576 29360128
//	run 33 8388608 234881024
//	crc 1a2b3c4d
//
// flushed is the newest generation in runs, and next the number of the next run. The line of a run has its number, how
// many records (entries) it has, and its size in bytes. crc is the CRC-32C of all lines before it.
type manifest struct {
	flushed, next uint64
	runs          []listed
}

const (
	manifestName = "MANIFEST"
	manifestHead = "kavosh seen 1\n"
)

// text returns the content of the file.
func (m *manifest) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%sflushed %d\nnext %d\n", manifestHead, m.flushed, m.next)
	for _, r := range m.runs {
		fmt.Fprintf(&b, "run %d %d %d\n", r.number, r.records, r.size)
	}
	fmt.Fprintf(&b, "crc %08x\n", crc32.Checksum(b.Bytes(), castagnoli))
	return b.Bytes()
}

// parseManifest reads what text returned, and nothing else: any other text is an error.
func parseManifest(text []byte) (m manifest, err error) {
	if !bytes.HasPrefix(text, []byte(manifestHead)) {
		return m, fmt.Errorf("%w: it is not of version 1", ErrDamaged)
	}
	for line := range strings.Lines(string(text[len(manifestHead):])) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fields := strings.Split(rest, " ")
		var n [3]uint64
		for i := range min(len(fields), len(n)) {
			n[i], _ = strconv.ParseUint(fields[i], 10, 63) // if this fails, the comparison below fails
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

// readManifest reads the manifest at path. If there is no file, it returns the manifest of an empty Set.
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

// isRun reports whether a file with that name is a run.
func isRun(name string) bool {
	number, found := strings.CutSuffix(name, ".run")
	_, err := strconv.ParseUint(number, 10, 64)
	return found && err == nil
}
