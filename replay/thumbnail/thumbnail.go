// Package thumbnail takes small pictures of archived pages. It has a picture rendered when somebody first asks for it,
// one at a time, and keeps it.
package thumbnail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
)

// Renderer renders captures. render.Renderer is one.
type Renderer interface {
	// Render returns pictures and the like of the capture at a path of the replay's origin.
	Render(ctx context.Context, path string, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error)
}

// Bounds on what pictures may cost.
const (
	maxWaiting = 32              // pictures in the queue
	maxWait    = 4 * time.Second // how long Picture waits
	maxPicture = 256 << 10       // bytes of a picture
	maxHeld    = 256             // pictures in memory
	maxTries   = 5               // how often one picture is tried
)

// pause is the time after the first failure of a picture until it is tried again. After each further failure it is four
// times as long.
const pause = 5 * time.Second

// Camera takes pictures of pages. It is safe for concurrent use.
type Camera struct {
	pause time.Duration // after the first failure

	fs       vfs.FS
	renderer Renderer
	trouble  func(string)
	work     chan job
	done     chan struct{}
	stop     context.CancelFunc

	mu struct {
		sync.Mutex
		held   map[string]shot // by key
		asking map[string]bool
	}
}

// shot is a picture, or the failures to take it.
type shot struct {
	picture []byte
	look    *look     // nil until somebody asked for it
	failed  int       // how often it failed
	again   time.Time // when it may be tried again
}

type job struct {
	key, dir, path string
	taken          chan<- shot
}

// New starts a camera whose pictures r renders. It calls trouble when a picture cannot be taken, with the reason. Close
// ends it.
func New(fs vfs.FS, r Renderer, trouble func(string)) *Camera {
	ctx, stop := context.WithCancel(context.Background())
	c := &Camera{fs: fs, renderer: r, trouble: trouble, work: make(chan job, maxWaiting),
		done: make(chan struct{}), stop: stop, pause: pause}
	c.mu.held, c.mu.asking = map[string]shot{}, map[string]bool{}
	go c.run(ctx)
	return c
}

// Close ends the camera, and waits until no picture is being taken.
func (c *Camera) Close() {
	c.stop()
	<-c.done
}

// Picture returns a JPEG picture of the page at path, which begins with "/". If it returns nil, coming says whether a
// later call may succeed. Pictures are kept in the folder dir, or only in memory if dir is "".
func (c *Camera) Picture(ctx context.Context, dir, path string) (picture []byte, coming bool) {
	key := keyOf(path)
	c.mu.Lock()
	held := c.mu.held[key]
	asking := c.mu.asking[key]
	c.mu.Unlock()
	switch {
	case held.picture != nil:
		return held.picture, false
	case held.failed == maxTries:
		return nil, false
	case asking || held.failed > 0 && time.Now().Before(held.again):
		return nil, true
	}
	if picture := c.read(dir, key); picture != nil {
		c.hold(key, picture)
		return picture, false
	}
	taken := make(chan shot, 1)
	c.mu.Lock()
	c.mu.asking[key] = true
	c.mu.Unlock()
	select {
	case c.work <- job{key, dir, path, taken}:
	default:
		c.mu.Lock()
		delete(c.mu.asking, key)
		c.mu.Unlock()
		return nil, true
	}
	wait := time.NewTimer(maxWait)
	defer wait.Stop()
	select {
	case l := <-taken:
		return l.picture, l.picture == nil && l.failed < maxTries
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil, true
}

func keyOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// hold keeps a picture in memory, in place of another one when there are too many. A nil picture counts as a failure.
func (c *Camera) hold(key string, picture []byte) shot {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.mu.asking, key)
	now := shot{picture: picture}
	if picture == nil {
		before := c.mu.held[key].failed
		now.failed, now.again = before+1, time.Now().Add(c.pause<<(2*before))
	}
	for other := range c.mu.held {
		if len(c.mu.held) < maxHeld {
			break
		}
		delete(c.mu.held, other)
	}
	c.mu.held[key] = now
	return now
}

// run takes the pictures in the queue one after the other.
func (c *Camera) run(ctx context.Context) {
	defer close(c.done)
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-c.work:
			picture, err := c.take(ctx, j.path)
			if err != nil && ctx.Err() == nil {
				c.trouble("thumbnail of " + j.path + ": " + err.Error())
			}
			c.write(j, picture)
			j.taken <- c.hold(j.key, picture)
		}
	}
}

// take has a picture made of the page at a path.
func (c *Camera) take(ctx context.Context, path string) ([]byte, error) {
	made, err := c.renderer.Render(ctx, path, kavosh.ThumbnailPicture)
	switch {
	case err != nil:
		return nil, err
	case len(made) != 1 || len(made[0].Data) > maxPicture:
		return nil, errors.New("the picture is too large")
	}
	return made[0].Data, nil
}

// place returns where a picture is stored. The file is named by the first digits of its key, so that a folder has at
// most 65,536 files; a picture replaces another one with the same first digits. The file begins with the whole key and
// a line feed, which tells the two apart.

func place(fs vfs.FS, dir, key string) (folder, name string) {
	folder = fs.PathJoin(dir, key[:2])
	return folder, fs.PathJoin(folder, key[2:4]+".jpg")
}

func (c *Camera) read(dir, key string) []byte {
	if dir == "" {
		return nil
	}
	_, name := place(c.fs, dir, key)
	data, err := disk.ReadFile(c.fs, name)
	if err != nil {
		return nil
	}
	picture, ok := bytes.CutPrefix(data, []byte(key+"\n"))
	if !ok {
		return nil
	}
	return picture
}

func (c *Camera) write(j job, picture []byte) {
	if j.dir == "" || picture == nil {
		return
	}
	folder, name := place(c.fs, j.dir, j.key)
	err := errors.Join(disk.MkdirAll(c.fs, folder), disk.WriteFile(c.fs, name, append([]byte(j.key+"\n"), picture...)))
	if err != nil {
		c.trouble("thumbnails are not kept: " + err.Error())
	}
}
