//go:build unix

package hostile

import (
	"net"
	"net/netip"
	"syscall"
	"time"
)

// backlogged opens a socket that accepts no connection and whose queue is full: a client gets no answer.
func backlogged() (netip.AddrPort, func()) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = syscall.Listen(fd, 0)
	}
	if err != nil {
		panic(err) // no socket available
	}
	sa, err := syscall.Getsockname(fd)
	if err != nil {
		panic(err)
	}
	to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(sa.(*syscall.SockaddrInet4).Port))
	var kept []net.Conn
	for range 8 { // until the queue is full
		c, err := net.DialTimeout("tcp", to.String(), 100*time.Millisecond)
		if err != nil {
			break
		}
		kept = append(kept, c)
	}
	return to, func() {
		for _, c := range kept {
			c.Close()
		}
		_ = syscall.Close(fd)
	}
}
