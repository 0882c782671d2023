package earnest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// errPrivateAddress says that a provider's endpoint is in a private network, which the caller did not allow.
var errPrivateAddress = errors.New("the endpoint is in a private network, which the provider chose: set AllowPrivate if you trust it")

// specialNetworks are no part of the public Internet, beside those that netip knows. The first has the metadata server of a cloud.
var specialNetworks = func() (networks []netip.Prefix) {
	for _, network := range []string{
		"168.63.129.16/32", "0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b:1::/48", "2002::/16",
		"fec0::/10",
	} {
		networks = append(networks, netip.MustParsePrefix(network))
	}
	return networks
}()

func isPublic(address netip.Addr) bool {
	address = address.Unmap()
	isSpecial := slices.ContainsFunc(specialNetworks, func(network netip.Prefix) bool { return network.Contains(address) })
	return address.IsGlobalUnicast() && !address.IsPrivate() && !isSpecial
}

// isPrivateHost reports whether a URL's host is in a private network by itself: localhost, a name without a dot, or such an address.
func isPrivateHost(base *url.URL) bool {
	host := base.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		return !isPublic(address)
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}

// endpointClient returns a client that follows no redirects. Unless allowed, it connects to no private address, and uses no proxy,
// which would look up names by itself.
func endpointClient(allowPrivate bool) *http.Client {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if allowPrivate {
		return client
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, ControlContext: requirePublic}
	client.Transport = &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
	}
	return client
}

// requirePublic refuses a connection to a private address. The address is the one that is connected to, so DNS cannot change it.
func requirePublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err == nil && !isPublic(target.Addr()) {
		err = fmt.Errorf("%s: %w", address, errPrivateAddress)
	}
	return err
}
