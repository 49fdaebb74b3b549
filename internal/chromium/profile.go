package chromium

// This file gives each browser a temporary folder of its own, and removes it afterwards.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// profile is a temporary folder for everything that one browser writes: its profile, home and temporary files. It is
// locked while the browser may run, and the lock ends with this process. So the next process can tell leftovers of a
// killed one from folders in use, and removes them.
type profile struct {
	dir  string
	lock *os.File // dir, opened; nil where folders are not locked
	user int      // who owns it; 0 means the user of this process
	zone string   // the time zone of the browser; "" means this machine's
	cmd  *exec.Cmd
}

// profilePrefix begins the folders' names.
const profilePrefix = "kavosh-chromium-"

// preferences forbid downloads in all tabs, and deny what a page must ask a person for: there is nobody.
const preferences = `{"download_restrictions": 3, "download": {"prompt_for_download": false}, "profile": {"default_content_setting_values": {
	"automatic_downloads": 2, "popups": 2, "geolocation": 2, "notifications": 2, "media_stream_camera": 2, "media_stream_mic": 2, "clipboard": 2,
	"midi_sysex": 2, "midi": 2, "sensors": 2, "serial_guard": 2, "usb_guard": 2, "bluetooth_guard": 2, "bluetooth_scanning": 2, "hid_guard": 2,
	"file_system_write_guard": 2, "idle_detection": 2, "local_fonts": 2, "payment_handler": 2, "ar": 2, "vr": 2, "window_placement": 2,
	"background_sync": 2, "protocol_handlers": 2, "captured_surface_control": 2}}}`

// newProfile creates a folder for a browser whose time zone is zone, and removes the leftovers of killed processes.
func newProfile(zone string) (*profile, error) {
	for _, dir := range profileFolders() {
		if f, ok := lock(dir); ok {
			_ = os.RemoveAll(dir) // whatever cannot be removed is tried again later
			f.Close()
		}
	}
	for range 100 {
		dir, err := os.MkdirTemp("", profilePrefix)
		if err != nil {
			return nil, err
		}
		if f, ok := lock(dir); ok { // otherwise another process took it for a leftover
			p := &profile{dir: dir, zone: zone, lock: f}
			if err := p.fill(); err != nil {
				p.remove()
				return nil, err
			}
			return p, nil
		}
	}
	return nil, errors.New("no folder for the browser in " + os.TempDir() + ": other processes remove it")
}

func (p *profile) data() string { return filepath.Join(p.dir, "profile") }
func (p *profile) home() string { return filepath.Join(p.dir, "home") }

func (p *profile) fill() error {
	defaults := filepath.Join(p.data(), "Default")
	err := errors.Join(os.MkdirAll(defaults, 0o700), os.Mkdir(p.home(), 0o700),
		os.WriteFile(filepath.Join(defaults, "Preferences"), []byte(preferences), 0o600))
	if err == nil {
		p.user, err = give(p.dir)
	}
	return err
}

// why adds the likely cause to the error with which a browser did not start.
func (p *profile) why(err error) error {
	switch {
	case p.user != 0 && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; for root Chromium runs as user %d, who must be allowed to enter %s", err, p.user, filepath.Dir(p.dir))
	case strings.Contains(strings.ToLower(err.Error()), "sandbox"): // it has printed so
		return fmt.Errorf("%w (%w)", ErrUnsandboxed, err)
	}
	return err
}

// keptEnvironment are the environment variables that Chromium gets. Others may be secret.
var keptEnvironment = [...]string{"PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH"}

// run makes cmd write only into the folder.
func (p *profile) run(cmd *exec.Cmd) {
	for _, name := range keptEnvironment {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Env, "HOME="+p.home(), "TMPDIR=.") // relative, because Chromium does not support long names there
	if p.zone != "" {
		cmd.Env = append(cmd.Env, "TZ="+p.zone) // the last one counts
	}
	p.cmd = cmd
	group(cmd, p.user)
}

// remove removes the folder of a browser that has ended, after ending leftover processes, which may still be writing.
func (p *profile) remove() {
	if p.cmd != nil && p.cmd.Process != nil {
		endGroup(p.cmd)
	}
	for range 100 {
		if os.RemoveAll(p.dir) == nil {
			time.Sleep(10 * time.Millisecond)
			if _, err := os.Lstat(p.dir); err != nil {
				break
			}
		}
	}
	p.lock.Close()
}
