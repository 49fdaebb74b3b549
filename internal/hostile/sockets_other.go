//go:build !unix

package hostile

import (
	"net"
	"net/netip"
)

// nobody returns a local address where nothing listens.
func nobody() (at netip.AddrPort, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no socket available
	}
	defer l.Close()
	return netip.MustParseAddrPort(l.Addr().String()), func() {}
}

// backlogged is nobody on systems where the queue of a socket cannot be bounded: both accept no connection.
func backlogged() (at netip.AddrPort, stop func()) { return nobody() }
