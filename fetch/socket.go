package fetch

// This file hands over the connection of a WebSocket that a page opens.

import (
	"net/http"

	"kavosh"
)

// socket is a connection after its server agreed to a WebSocket.
type socket struct {
	*conn
	after []byte // what came with the head
}

func (s *socket) Read(b []byte) (int, error) {
	if len(s.after) > 0 {
		n := copy(b, s.after)
		s.after = s.after[n:]
		return n, nil
	}
	return s.conn.Read(b)
}

// opens reports whether the head of x opens a WebSocket that was asked for.
func opens(x *kavosh.Exchange) bool {
	return x.Status == http.StatusSwitchingProtocols && x.Task.Ask != nil && x.Task.Ask.Socket
}
