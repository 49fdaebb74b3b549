package quality

// This file keeps what was found of pages as they are replayed, so that others can show it.

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// LooksName is the folder below an archive's folder derived that has what was found (docs/formats/fidelity.md): the file looksFile, and
// WARC files with the pictures, the texts, and what pages asked for.
const LooksName = "fidelity@1"

const looksFile = "looks.jsonl"

// looksHead is the first line of looksFile; each other line is a Look.
type looksHead struct {
	Made time.Time `json:"made"`
	Of   int       `json:"of"` // pages there are
}

// KeepLooks replaces what is kept in a folder. of is how many pages there are.
func KeepLooks(fs vfs.FS, dir string, made time.Time, of int, looks []*Look) error {
	return disk.Replace(fs, fs.PathJoin(dir, looksFile), func(w io.Writer) error {
		out := bufio.NewWriter(w)
		lines := json.NewEncoder(out)
		err := lines.Encode(looksHead{made.UTC().Truncate(time.Second), of})
		for _, k := range looks {
			err = errors.Join(err, lines.Encode(k))
		}
		return errors.Join(err, out.Flush())
	})
}
