package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// widthOf is how many characters a line of a console has; an error for what is no console.
func widthOf(f *os.File) (int, error) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0, err
	}
	return int(info.Window.Right-info.Window.Left) + 1, nil
}
