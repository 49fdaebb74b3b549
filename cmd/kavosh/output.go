package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// writeTo makes the file name, or replaces it, once all of it is written: when write fails, or is interrupted, nothing
// is left of it. A pipe or a device is written to as it is.
func writeTo(name string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	var err error
	if info, e := os.Stat(name); e == nil && !info.Mode().IsRegular() {
		err = writeInto(name, write)
	} else {
		err = disk.Replace(vfs.Default, name, write)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// writeInto writes to what is there already.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
