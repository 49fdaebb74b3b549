//go:build !unix

package fetch

// checkInput cannot look on this system. A dead connection shows at its first use; then the request is repeated on a new
// one.
func (c *conn) checkInput() inputState { return nothing }
