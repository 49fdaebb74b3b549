package chromium

import (
	"errors"
	"fmt"
	"io/fs"
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

// Users as which Chromium runs for root: of the range that systemd keeps for users that exist while a service runs, or
// nobody where that range is not mapped, as in some containers.
const (
	firstUser = 61184
	users     = 4336
	nobody    = 65534
)

// give gives a folder with all in it to a user without rights, and returns that user. It returns 0 if this process is not
// root: then Chromium runs as the same user. Browsers of other processes mostly run as other users.
func give(dir string) (user int, err error) {
	if os.Geteuid() != 0 {
		return 0, nil
	}
	for _, user = range [...]int{firstUser + os.Getpid()%users, nobody} {
		err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, user, user))
		})
		if err == nil {
			return user, nil
		}
	}
	return 0, fmt.Errorf("%w (%w)", ErrUnsandboxed, err)
}

// group makes cmd end with this process, and puts its processes into their own process group: Ctrl-C in a terminal goes
// to us, and we end them properly. user is the one as which it runs; 0 means this process's.
func group(cmd *exec.Cmd, user int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if user != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
	}
}

// endGroup ends what is left of the process group of cmd, which has ended.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // mostly nothing is left
