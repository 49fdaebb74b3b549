package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// widthOf returns how many characters a line of a console has, or an error if f is no console.
func widthOf(f *os.File) (int, error) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0, err
	}
	return int(info.Window.Right-info.Window.Left) + 1, nil
}
