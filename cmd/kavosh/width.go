//go:build !windows

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// widthOf is how many characters a line of a terminal has; an error for what is no terminal.
func widthOf(f *os.File) (int, error) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, err
	}
	return int(size.Col), nil
}
