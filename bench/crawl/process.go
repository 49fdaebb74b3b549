package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// child is a process of this program in another role.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

// startSelf starts this program with other arguments. It ends when its standard input ends, and so with its parent.
func startSelf(args []string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, args...)}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

func (c *child) close() error {
	c.in.Close()
	return c.cmd.Wait()
}

// used is what a process consumed.
type used struct {
	User   float64 `json:"user_seconds"`
	System float64 `json:"system_seconds"`
	Wall   float64 `json:"wall_seconds"`
	RSS    int64   `json:"peak_rss"` // bytes; Linux counts at least what this program had when it started the process, about 20 MB
}

func (u used) cpu() float64 { return u.User + u.System }

// measure runs a command and returns what it used, with its children, as the system counted it. A non-zero exit status
// is not an error: crawlers have many.
func measure(cmd *exec.Cmd) (u used, status int, err error) {
	from := time.Now()
	err = cmd.Run()
	u.Wall = time.Since(from).Seconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return u, 0, err
	}
	r := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	u.User, u.System = time.Duration(r.Utime.Nano()).Seconds(), time.Duration(r.Stime.Nano()).Seconds()
	u.RSS = r.Maxrss << 10
	return u, cmd.ProcessState.ExitCode(), nil
}

// trust stores the server's authority in folder and makes this process and its children trust it, as far as environment
// variables can.
func trust(s *serving, folder string) error {
	if s.CA == "" {
		return nil
	}
	name := filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(name, []byte(s.CA), 0o666); err != nil {
		return err
	}
	return os.Setenv("SSL_CERT_FILE", name)
}
