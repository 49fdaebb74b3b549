//go:build unix

package fetch

import "syscall"

// waits says what waits to be read on a kept connection. It takes nothing.
func (c *conn) waits() waiting {
	if c.raw == nil {
		return nothing
	}
	c.found = ended
	if c.look == nil { // once a connection, as a function made here is an allocation
		c.look = func(fd uintptr) {
			n, _, err := syscall.Recvfrom(int(fd), c.peeked[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			switch {
			case err == syscall.EAGAIN || err == syscall.EWOULDBLOCK:
				c.found = nothing
			case err == nil && n > 0:
				c.found = bytesWait
			}
		}
	}
	if err := c.raw.Control(c.look); err != nil { // Control, as Read fails once the last deadline is past
		return ended
	}
	return c.found
}
