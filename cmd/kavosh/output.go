package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// writeTo makes or replaces the named file when everything is written. If write fails or is interrupted, no part of it
// stays. A pipe or a device is written to directly.
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

// writeInto writes to a file that exists already.
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
