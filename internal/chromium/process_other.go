//go:build !linux

package chromium

import (
	"os"
	"os/exec"
)

// On other systems memory is not looked at.

// Memory returns 0.
func (b *Browser) Memory() int64 { return 0 }

// EndLargest returns false.
func (b *Browser) EndLargest() bool { return false }

// FreeMemory returns that it is not known.
func FreeMemory() (n int64, ok bool) { return 0, false }

// On other systems nothing tells the folders of killed processes from others, so they stay.

func profileFolders() []string     { return nil }
func lock(string) (*os.File, bool) { return nil, true }
func give(string) (int, error)     { return 0, nil }
func group(*exec.Cmd, int)         {}
func endGroup(*exec.Cmd)           {}
