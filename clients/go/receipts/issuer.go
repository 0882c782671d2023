package receipts

import (
	"fmt"
	"net/netip"
	"net/url"
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

// IssuerOf is the did:web name of the service behind a public URL: did:web:host[%3Aport][:path]. Source:
// https://w3c-ccg.github.io/did-method-web/
func IssuerOf(publicURL string) (string, error) {
	address, err := url.Parse(publicURL)
	if err != nil || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return "", fmt.Errorf("receipts: did:web cannot name %s: give https://host[:port][/path]", publicURL)
	}
	host, port := strings.ToLower(address.Hostname()), address.Port()
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[address.Scheme] {
		host += "%3A" + port
	}
	name := "did:web:" + host
	if path := strings.Trim(address.Path, "/"); path != "" {
		name += ":" + strings.ReplaceAll(path, "/", ":")
	}
	base, isName := locateIssuer(name)
	if !isName || !strings.HasPrefix(base, address.Scheme+"://") {
		return "", fmt.Errorf("receipts: did:web cannot name %s: give https://host[:port][/path]", publicURL)
	}
	return name, nil
}

// locateIssuer is the issuer's own URL, without a slash at its end; false for what is no did:web name in its normal form.
func locateIssuer(issuer string) (string, bool) {
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

// isHost takes a host as a URL writes it: one whose last label is a number has to be an IPv4 address, fully written.
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

func isIssuer(value any) bool {
	text, isText := value.(string)
	_, isName := locateIssuer(text)
	return isText && isName
}

// expectedIssuer is the own URL of the issuer that a caller expects.
func expectedIssuer(issuer string) (string, error) {
	base, isName := locateIssuer(issuer)
	if !isName {
		return "", refuse(InvalidIssuer, "give the name as in did:web:example.com or did:web:host%%3A8080")
	}
	return base, nil
}

// didDocumentURL is where the issuer's keys are.
func didDocumentURL(issuer string) string {
	base, _ := locateIssuer(issuer)
	if strings.Count(issuer, ":") > 2 {
		return base + "/did.json"
	}
	return base + "/.well-known/did.json"
}

// isBelow says whether a URL lies below the issuer's own, as text and as it is resolved: dots in its path must not lead out.
func isBelow(base, address string) bool {
	if !strings.HasPrefix(address, base+"/") {
		return false
	}
	begin := strings.Index(address, "://") + len("://")
	origin := begin + strings.Index(address[begin:], "/")
	path := address[origin:]
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	return strings.HasPrefix(address[:origin]+resolveDots(path), base+"/")
}

// resolveDots resolves the segments . and .. of a path, and what a URL takes for them, as the URL standard does.
func resolveDots(path string) string {
	parts := strings.Split(path, "/")[1:]
	var kept []string
	for at, part := range parts {
		last := at == len(parts)-1
		switch strings.ReplaceAll(strings.ToLower(part), "%2e", ".") {
		case ".":
			if last {
				kept = append(kept, "")
			}
		case "..":
			kept = kept[:max(0, len(kept)-1)]
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, part)
		}
	}
	return "/" + strings.Join(kept, "/")
}
