package access

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Reader is who asks. The zero value is anybody.
type Reader struct {
	OnSite  bool       // sits at one of the archive's own addresses
	Address netip.Addr // as far as it is known; the zero value where it is not
}

type readerKey struct{}

// With gives a context whose requests are this reader's.
func With(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// From is whose request a context is: anybody's unless With said otherwise.
func From(ctx context.Context) Reader {
	r, _ := ctx.Value(readerKey{}).(Reader)
	return r
}

// Site knows readers by their addresses.
type Site struct {
	Addresses []netip.Prefix // whose readers are on site
	Proxies   []netip.Prefix // whose word in X-Forwarded-For is taken; nobody else's is
}

// Handler tells next who asks.
func (s *Site) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(With(r.Context(), s.reader(r))))
	})
}

// reader follows X-Forwarded-For from its end, where the nearest proxy wrote, as long as proxies that are trusted speak. The
// first address that is no such proxy's is the reader's; what stands before it anybody may have written.
func (s *Site) reader(r *http.Request) Reader {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Reader{}
	}
	addr := peer.Addr().Unmap().WithZone("")
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(said) {
		if !within(addr, s.Proxies) || strings.TrimSpace(text) == "" {
			break
		}
		if addr, err = netip.ParseAddr(strings.TrimSpace(text)); err != nil {
			return Reader{}
		}
		addr = addr.Unmap().WithZone("")
	}
	return Reader{OnSite: within(addr, s.Addresses) && !within(addr, s.Proxies), Address: addr}
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}
