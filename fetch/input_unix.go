//go:build unix

package fetch

import "syscall"

// checkInput says what a kept connection has to read, without reading it.
func (c *conn) checkInput() inputState {
	if c.raw == nil {
		return nothing
	}
	c.found = ended
	if c.look == nil { // once for each connection, because making the function allocates
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
	if err := c.raw.Control(c.look); err != nil { // Control, because Read fails after the last deadline
		return ended
	}
	return c.found
}
