package access

// This file tells who sends a request, because some captures are only for readers at the archive's own addresses.

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Reader is the person who sends a request. The zero value is anybody.
type Reader struct {
	OnSite  bool       // the reader uses one of the archive's own addresses
	Address netip.Addr // the zero value if it is not known
}

type readerKey struct{}

// With returns a context for the requests of a reader.
func With(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// From returns the reader of a context: anybody, unless With set one.
func From(ctx context.Context) Reader {
	r, _ := ctx.Value(readerKey{}).(Reader)
	return r
}

// Site recognises readers by their addresses.
type Site struct {
	Addresses []netip.Prefix // addresses of readers on site
	Proxies   []netip.Prefix // proxies whose X-Forwarded-For is trusted
}

// Handler passes requests to next, with the reader in their context.
func (s *Site) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(With(r.Context(), s.reader(r))))
	})
}

// reader reads X-Forwarded-For from its end, where the nearest proxy wrote, while the address before is a trusted
// proxy. The first address that is no trusted proxy is the reader's. All before it could be forged.
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
