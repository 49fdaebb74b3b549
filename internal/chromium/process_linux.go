package chromium

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// profileFolders returns the profile folders of all browsers, including running ones.
func profileFolders() []string {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), profilePrefix+"*")) // fails only for odd characters in the temporary directory's name
	return dirs
}

// lock locks folder dir. It returns false if another process has the lock, or the folder is gone.
func lock(dir string) (f *os.File, ok bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, false
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		opened, err := f.Stat()
		named, nerr := os.Lstat(dir)
		if err == nil && nerr == nil && os.SameFile(opened, named) {
			return f, true
		}
	}
	f.Close()
	return nil, false
}

// group makes cmd end with this process, and puts its processes into their own process group: Ctrl-C in a terminal goes
// to us, and we end them properly.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// endGroup ends what is left of the process group of cmd, which has ended.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // mostly nothing is left
