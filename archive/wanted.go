package archive

// This file keeps what readers of an archive met as missing, ARCHIVE/wanted.jsonl (docs/formats/wanted.md).

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// Wanted is a part that a shown capture of a page embeds and that the archive lacks.
type Wanted struct {
	URL  string `json:"url"`
	Page string `json:"page"` // the page, style or frame that embeds it
	Time string `json:"time"` // of its capture that was shown, in 14 digits
}

// MaxWanted is how many parts are kept, and maxWantedLine how long the line of one may be.
const (
	MaxWanted     = 10_000
	maxWantedLine = 8 << 10
)

// wantedFile is the path of the file in the archive in dir.
func wantedFile(dir string) string { return filepath.Join(dir, "wanted.jsonl") }

// ReadWanted returns the parts that readers of the archive in dir met as missing, at most MaxWanted. Lines that are none are passed over.
func ReadWanted(fs vfs.FS, dir string) (all []Wanted, err error) {
	data, err := disk.ReadFile(fs, wantedFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxWantedLine)
	for lines.Scan() && len(all) < MaxWanted {
		var w Wanted
		if json.Unmarshal(lines.Bytes(), &w) == nil && w.URL != "" && w.Page != "" {
			all = append(all, w)
		}
	}
	return all, err
}

// AddWanted adds a part to those that readers of the archive in dir met as missing. It may be called while a crawl mends the archive: what
// it adds then may be lost. The error is an fs.ErrPermission or the like where the archive cannot be written.
func AddWanted(dir string, w Wanted) error {
	line, err := json.Marshal(w)
	if err != nil || len(line) >= maxWantedLine {
		return err
	}
	f, err := os.OpenFile(wantedFile(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, fs.FileMode(0o644))
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// WantedSize returns how many bytes they take in the archive in dir.
func WantedSize(dir string) (int64, error) {
	info, err := os.Stat(wantedFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// WriteWanted writes anew which parts readers of the archive in dir met as missing.
func WriteWanted(fs vfs.FS, dir string, all []Wanted) error {
	var text []byte
	for _, w := range all {
		line, err := json.Marshal(w)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return disk.WriteFile(fs, wantedFile(dir), text)
}
