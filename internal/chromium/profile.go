package chromium

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// profile is a folder in the temporary directory that holds all that one browser writes: its profile, its home and its
// temporary files. While the browser may run it is locked, and the lock ends with this process, so that what a killed one
// left is told from what is in use, and removed by the next that starts.
type profile struct {
	dir  string
	lock *os.File // dir, open; nil where folders are not locked
	cmd  *exec.Cmd
}

// profilePrefix begins the folders' names.
const profilePrefix = "kavosh-chromium-"

// preferences let nothing be downloaded, whatever tab it is asked in.
const preferences = `{"download_restrictions": 3, "download": {"prompt_for_download": false}, "profile": {"default_content_setting_values": {"automatic_downloads": 2}}}`

// newProfile makes a folder for a browser, and removes those that killed processes left.
func newProfile() (*profile, error) {
	for _, dir := range left() {
		if f, ok := lock(dir); ok {
			_ = os.RemoveAll(dir) // what cannot be removed is tried again another time
			f.Close()
		}
	}
	for range 100 {
		dir, err := os.MkdirTemp("", profilePrefix)
		if err != nil {
			return nil, err
		}
		if f, ok := lock(dir); ok { // else another process took it for one that was left
			p := &profile{dir: dir, lock: f}
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
	return errors.Join(os.MkdirAll(defaults, 0o700), os.Mkdir(p.home(), 0o700), os.WriteFile(filepath.Join(defaults, "Preferences"), []byte(preferences), 0o600))
}

// kept are the variables of our environment that Chromium is given. What else is there may be secret.
var kept = [...]string{"PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH"}

// run makes cmd write into the folder alone.
func (p *profile) run(cmd *exec.Cmd) {
	for _, name := range kept {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Env, "HOME="+p.home(), "TMPDIR=.") // relative: Chromium bears no long names there
	p.cmd = cmd
	group(cmd)
}

// remove removes the folder of a browser that has ended, and what is left of its processes, which may still be writing.
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
