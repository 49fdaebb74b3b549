package engine

// This file is the socket between a running crawl and the commands to it.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

// socketName is the name of the socket in a crawl's folder.
const socketName = "control.sock"

// longestSocket is the length in bytes of the longest path that all systems accept for a socket.
const longestSocket = 100

// socketIn returns the path of the socket in a crawl's folder. If it is too long for a socket, the path goes through
// the folder's descriptor, which has a short name on Linux. The folder stays open until done is called.
func socketIn(dir string) (path string, done func(), err error) {
	path = filepath.Join(dir, socketName)
	if len(path) <= longestSocket {
		return path, func() {}, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", f.Fd(), socketName), func() { f.Close() }, nil
}

// socket is a listener that also closes the descriptor of its folder.
type socket struct {
	net.Listener
	done func()
}

// Close closes the socket and removes its file.
func (s socket) Close() error {
	defer s.done()
	return s.Listener.Close()
}

// ListenControl opens the socket in a crawl's folder. The caller holds the archive's lock, so a socket that is already
// there belongs to a dead process.
func ListenControl(dir string) (net.Listener, error) {
	path, done, err := socketIn(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		done()
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		done()
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		done()
		return nil, err
	}
	return socket{l, done}, nil
}

// ErrTooLarge is the error of Tell for a command of more than MaxCommand bytes.
var ErrTooLarge = errors.New("that is too much for one command: give the URLs in several")

// answerTime is how long a crawl may take for an answer, or for the next piece of it.
const answerTime = time.Minute

// errNotRunning is the error of dialCrawl for a crawl that does not run.
var errNotRunning = errors.New("the crawl does not run")

// dialCrawl connects to the crawl id of the archive in dir. The error is errNotRunning if it does not run.
func dialCrawl(dir, id string) (net.Conn, error) {
	path, done, err := socketIn(filepath.Join(dir, "crawls", id))
	if err != nil {
		return nil, errNotRunning // the crawl has ended meanwhile
	}
	defer done()
	conn, err := net.DialTimeout("unix", path, 5*time.Second)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("crawl %s of %s was started by somebody else (%w): give the command as that user", id, dir, err)
	}
	if err != nil {
		return nil, errNotRunning // there is no socket, or a dead process has left it
	}
	return conn, nil
}

// Tell sends cmd to the running crawl of the archive in dir, and returns its answer.
func Tell(dir string, cmd *Command) (reply Reply, err error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return reply, err
	}
	for _, info := range slices.Backward(crawls) {
		conn, err := dialCrawl(dir, info.ID)
		if err == errNotRunning {
			continue
		}
		if err != nil {
			return reply, err
		}
		defer conn.Close()
		data, err := json.Marshal(cmd)
		if err != nil {
			return reply, err
		}
		if len(data) >= MaxCommand {
			return reply, ErrTooLarge
		}
		_ = conn.SetDeadline(time.Now().Add(answerTime))
		if _, err := conn.Write(append(data, '\n')); err != nil {
			return reply, fmt.Errorf("crawl %s ended before it answered: %w", info.ID, err)
		}
		line, err := bufio.NewReader(conn).ReadBytes('\n')
		if err != nil {
			return reply, fmt.Errorf("crawl %s gave no answer (%w): kavosh control %s log tells whether it took the command", info.ID, err, dir)
		}
		return reply, json.Unmarshal(line, &reply)
	}
	return reply, noneRuns(dir)
}

func noneRuns(dir string) error {
	return fmt.Errorf("no crawl of %s is running: start or resume one (kavosh crawl --archive %s --resume), then give the command again", dir, dir)
}
