package tlog

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/earnest-market/earnest-go/internal/issuers"
)

// answerTimeout is the time for each response.
const answerTimeout = 5 * time.Second

// LookupOptions say where to look up a receipt, and whom to trust.
type LookupOptions struct {
	// Trust is the log's key, a policy, or both. Without either, the issuer's host names the key.
	Trust
	// The did:web name of the service that issued the receipt, as you know it: receipts.IssuerOf its URL.
	Issuer string
	// Memory has the checkpoints of earlier lookups. Without it, nothing is compared.
	Memory Memory
	// HTTPClient sends the requests. Default: a new http.Client. Redirects are never followed.
	HTTPClient *http.Client
}

// Lookup is a receipt in its issuer's log. The log agrees with all earlier checkpoints.
type Lookup struct {
	VerifiedEntry
	// Pinned says that the caller gave the log's key or a policy.
	Pinned bool
	// Seen compares the log with the memory; empty without a memory.
	Seen Seen
}

// LookUpReceipt looks up a receipt in its issuer's log. It fetches the proof and checks it against the log's key or the policy.
// It also checks that the log only grew since the last lookup. receipts.VerifyReceipt checks the receipt's signature. The error
// is an *Error. Its Outcome distinguishes a contradiction, a missing receipt and an unavailable log. Another error is about
// the issuer's name or the memory.
func LookUpReceipt(ctx context.Context, receipt Receipt, options LookupOptions) (*Lookup, error) {
	base, isName := issuers.Locate(options.Issuer)
	if !isName {
		return nil, fmt.Errorf("tlog: %q is no did:web name: give it as in did:web:example.com", options.Issuer)
	}
	if receipt.ID, _, _ = receipt.parts(); receipt.ID == "" {
		return nil, refuse(NoReceiptID, "give its id, or its document")
	}
	prefix, trust := base+"/log", options.Trust
	pinned := trust.Key != nil || trust.Policy != nil
	if !pinned {
		var err error
		if trust.Key, err = fetchKey(ctx, prefix, options.HTTPClient); err != nil {
			return nil, err
		}
	}
	address := prefix + "/proofs/" + url.PathEscape(receipt.ID)
	text, err := fetchText(ctx, options.HTTPClient, address, mostProofLength)
	if err != nil {
		return nil, err
	}
	verified, err := VerifyReceiptProof(text, receipt, trust)
	if err != nil {
		return nil, err
	}
	found := &Lookup{VerifiedEntry: *verified, Pinned: pinned}
	if options.Memory == nil {
		return found, nil
	}
	_, note, _ := strings.Cut(text, "\n\n")
	memory := MemoryOptions{Memory: options.Memory, Fetch: FetchFrom(prefix, options.HTTPClient)}
	remembered, err := CheckMemory(ctx, note, trust, memory)
	if err != nil {
		return nil, err
	}
	found.Seen = remembered.Seen
	return found, nil
}

// fetchKey returns the log's key from the issuer's host. It must be the key of this issuer's log.
func fetchKey(ctx context.Context, prefix string, client *http.Client) (*Key, error) {
	text, err := fetchText(ctx, client, prefix+"/vkey", mostNoteLength)
	if err != nil {
		return nil, err
	}
	if err := requireText(text, mostNoteLength); err != nil {
		return nil, err
	}
	key, err := ParseKey(strings.TrimRightFunc(text, unicode.IsSpace))
	if err != nil {
		return nil, err
	}
	if _, expected, _ := strings.Cut(prefix, "://"); key.Name != expected {
		return nil, refuse(ForeignOrigin, "it is %q", key.Name)
	}
	return key, nil
}

func fetchText(ctx context.Context, client *http.Client, address string, most int64) (string, error) {
	status, body, err := fetch(ctx, client, address, most)
	switch {
	case err != nil:
		return "", unavailable(LogUnavailable, address, err)
	case status == http.StatusNotFound:
		return "", refuse(NotLogged, "%s answers 404", address)
	case status != http.StatusOK:
		return "", refuse(LogUnavailable, "%s answers %d", address, status)
	}
	return string(body), nil
}

// FetchFrom reads a log over HTTP: no redirects, a bounded time and size. Default client: a new http.Client.
func FetchFrom(prefix string, client *http.Client) Fetch {
	base := strings.TrimRight(prefix, "/") + "/"
	return func(ctx context.Context, path string, most int64) ([]byte, error) {
		status, body, err := fetch(ctx, client, base+path, most)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("it answers %d", status)
		}
		return body, err
	}
}

// fetch reads one bounded response of any status. It reads the body only of a successful response.
func fetch(ctx context.Context, client *http.Client, address string, most int64) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	own := http.Client{}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := own.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return response.StatusCode, body, err
}
