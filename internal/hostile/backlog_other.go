//go:build !unix

package hostile

import "net/netip"

// backlogged is nobody where the queue of a socket cannot be bounded: both are no connection.
func backlogged() (netip.AddrPort, func()) { return nobody() }
