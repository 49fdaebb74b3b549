//go:build !unix

package fetch

// checkInput cannot look on this system. A dead connection shows at its first use; then a new one is made.
func (c *conn) checkInput() inputState { return nothing }
