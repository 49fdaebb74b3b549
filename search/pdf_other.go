//go:build !linux

package search

import "os/exec"

// withoutNetwork changes nothing: this system has no means to run a process without network.
func withoutNetwork(*exec.Cmd) {}
