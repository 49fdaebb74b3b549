// Package debian unpacks Debian packages without installing them, for tools that make data out of what others published.
package debian

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Unpack unpacks a package into the folder dir. It is NAME, or NAME=VERSION for one version alone. The folder packages
// keeps what was downloaded; what it lacks comes by apt-get download.
func Unpack(name, packages, dir string) error {
	if err := os.MkdirAll(packages, 0o755); err != nil {
		return err
	}
	short, version, _ := strings.Cut(name, "=")
	pattern := filepath.Join(packages, short+"_"+strings.ReplaceAll(version, ":", "%3a")+"*.deb")
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		cmd := exec.Command("apt-get", "download", "-qq", name)
		cmd.Dir = packages
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get download %s: %w: %s: perhaps apt-get update helps", name, err, bytes.TrimSpace(text))
		}
		if files, err = filepath.Glob(pattern); err != nil || len(files) == 0 {
			return fmt.Errorf("apt-get download %s left no package in %s", name, packages)
		}
	}
	if text, err := exec.Command("dpkg", "-x", files[0], dir).CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg -x %s: %w: %s: remove it and try again", files[0], err, bytes.TrimSpace(text))
	}
	return nil
}
