package chromium

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// left are the folders of all browsers, those that run included.
func left() []string {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), profilePrefix+"*")) // a temporary directory with odd letters: none
	return dirs
}

// lock locks the folder dir; it is false when another has it, or it is no more.
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

// group makes cmd end with this process, and puts its processes into a group of their own: Ctrl-C in a terminal is for us, who
// end them in good order.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// endGroup ends what is left of the group of cmd, which has ended.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // mostly nothing is left
