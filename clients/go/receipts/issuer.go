package receipts

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/earnest-market/earnest-go/internal/issuers"
)

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
	base, isName := issuers.Locate(name)
	if !isName || !strings.HasPrefix(base, address.Scheme+"://") {
		return "", fmt.Errorf("receipts: did:web cannot name %s: give https://host[:port][/path]", publicURL)
	}
	return name, nil
}

func isIssuer(value any) bool {
	text, isText := value.(string)
	_, isName := issuers.Locate(text)
	return isText && isName
}

// expectedIssuer is the own URL of the issuer that a caller expects.
func expectedIssuer(issuer string) (string, error) {
	base, isName := issuers.Locate(issuer)
	if !isName {
		return "", refuse(InvalidIssuer, "give the name as in did:web:example.com or did:web:host%%3A8080")
	}
	return base, nil
}

// didDocumentURL is where the issuer's keys are.
func didDocumentURL(issuer string) string {
	base, _ := issuers.Locate(issuer)
	if strings.Count(issuer, ":") > 2 {
		return base + "/did.json"
	}
	return base + "/.well-known/did.json"
}

// isBelow reports whether a URL lies below the issuer's own, as text and as it is resolved: dots in its path must not lead out.
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
