//go:build unix

package hostile

import (
	"net"
	"net/netip"
	"syscall"
	"time"
)

// nobody returns a local address where nothing listens. The port stays taken until stop: no other server gets it.
func nobody() (at netip.AddrPort, stop func()) {
	fd, at := bound()
	return at, func() { _ = syscall.Close(fd) }
}

// backlogged opens a socket that accepts no connection and whose queue is full: a client gets no answer.
func backlogged() (at netip.AddrPort, stop func()) {
	fd, at := bound()
	if err := syscall.Listen(fd, 0); err != nil {
		panic(err)
	}
	var kept []net.Conn
	for range 8 { // until the queue is full
		c, err := net.DialTimeout("tcp", at.String(), 100*time.Millisecond)
		if err != nil {
			break
		}
		kept = append(kept, c)
	}
	return at, func() {
		for _, c := range kept {
			c.Close()
		}
		_ = syscall.Close(fd)
	}
}

// bound opens a socket that has a port of its own and does not listen: the system refuses every connection to it.
func bound() (fd int, at netip.AddrPort) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		panic(err) // no socket available
	}
	sa, err := syscall.Getsockname(fd)
	if err != nil {
		panic(err)
	}
	return fd, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(sa.(*syscall.SockaddrInet4).Port))
}
