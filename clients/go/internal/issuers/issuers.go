// Package issuers reads the names of services that sign receipts.
package issuers

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var (
	hostShape    = regexp.MustCompile(`\A[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\z`)
	segmentShape = regexp.MustCompile(`\A[A-Za-z0-9_-][A-Za-z0-9._-]*\z`)
	portShape    = regexp.MustCompile(`\A(?:0|[1-9][0-9]{0,4})\z`)
	numberLabel  = regexp.MustCompile(`\A(?:[0-9]+|0x[0-9a-f]*)\z`)
)

const longestIssuer = 512

// Locate returns the issuer's own URL without a final slash. It returns false if the name is not a did:web name in normal form.
func Locate(issuer string) (string, bool) {
	rest, isWeb := strings.CutPrefix(issuer, "did:web:")
	if !isWeb || len(issuer) > longestIssuer {
		return "", false
	}
	segments := strings.Split(rest, ":")
	host, port, hasPort := strings.Cut(segments[0], "%3A")
	scheme, usualPort := "https", "443"
	if host == "localhost" || host == "127.0.0.1" {
		scheme, usualPort = "http", "80"
	}
	if !isHost(host) {
		return "", false
	}
	base := scheme + "://" + host
	if hasPort {
		number, err := strconv.Atoi(port)
		if !portShape.MatchString(port) || err != nil || number > 65535 || port == usualPort {
			return "", false
		}
		base += ":" + port
	}
	for _, segment := range segments[1:] {
		if !segmentShape.MatchString(segment) {
			return "", false
		}
		base += "/" + segment
	}
	return base, true
}

// isHost reports whether a text is a host as a URL writes it. A host whose last label is a number has to be a full IPv4
// address.
func isHost(host string) bool {
	if !hostShape.MatchString(host) {
		return false
	}
	labels := strings.Split(host, ".")
	if !numberLabel.MatchString(labels[len(labels)-1]) {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Is4()
}
