//go:build !unix

package hostile

import "net/netip"

// backlogged is nobody on systems where the queue of a socket cannot be bounded: both accept no connection.
func backlogged() (netip.AddrPort, func()) { return nobody() }
