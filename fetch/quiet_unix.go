//go:build unix

package fetch

import "syscall"

// quiet reports whether nothing waits to be read on a kept connection: neither an end nor bytes. It takes nothing.
func (c *conn) quiet() bool {
	if c.raw == nil {
		return true
	}
	quiet := false
	err := c.raw.Control(func(fd uintptr) { // Control, as Read fails once the last deadline is past
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
	})
	return err == nil && quiet
}
