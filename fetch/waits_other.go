//go:build !unix

package fetch

// waits cannot tell here: a dead connection shows at the first use, and the request is made once more on a new one.
func (c *conn) waits() waiting { return nothing }
