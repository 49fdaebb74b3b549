//go:build !linux

package chromium

import (
	"os"
	"os/exec"
)

// On other systems nothing tells the folders of killed processes from others, so they stay.

func profileFolders() []string     { return nil }
func lock(string) (*os.File, bool) { return nil, true }
func give(string) (int, error)     { return 0, nil }
func group(*exec.Cmd, int)         {}
func endGroup(*exec.Cmd)           {}
