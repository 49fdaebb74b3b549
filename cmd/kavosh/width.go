//go:build !windows

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// widthOf returns how many characters a line of a terminal has, or an error if f is no terminal.
func widthOf(f *os.File) (int, error) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, err
	}
	return int(size.Col), nil
}
