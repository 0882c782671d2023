package receipts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

const (
	mostDIDBytes  = 65_536
	mostListBytes = 1_048_576
	pageTimeout   = 5 * time.Second
)

// Options say what to compare a receipt with.
type Options struct {
	// Issuer is the did:web name of the expected issuer. Use your own knowledge: the receipt's own name for it is not trusted.
	Issuer string
	// Whether to check the issuer's list of revoked receipts. Default: StatusAsk.
	Status StatusMode
	// Now is the time of the check. Default: the current time.
	Now time.Time
	// HTTPClient fetches the issuer's pages. Default: a new http.Client. Redirects are never followed.
	HTTPClient *http.Client
	// Witness is used only if the signing key is compromised. An older document is then valid if the chain confirms it by an
	// event before the compromise.
	Witness *Witness
}

func (o Options) now() time.Time {
	if o.Now.IsZero() {
		return time.Now()
	}
	return o.Now
}

// session is one check, or several checks of one issuer. It caches the issuer's pages.
type session struct {
	ctx     context.Context
	options Options
	base    string
	keys    func() (*keySet, error)
	list    func() (map[string]any, error)
}

func begin(ctx context.Context, options Options) (*session, error) {
	base, err := expectedIssuer(options.Issuer)
	if err != nil {
		return nil, err
	}
	s := &session{ctx: ctx, options: options, base: base}
	s.keys = once(s.fetchKeySet)
	s.list = once(s.fetchStatusList)
	return s, nil
}

// once stores the result of a function.
func once[T any](do func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := false
	return func() (T, error) {
		if !done {
			value, err = do()
			done = true
		}
		return value, err
	}
}

// fetch reads a small page: no redirects, a limited size and time.
func (s *session) fetch(address string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.ctx, pageTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	client := http.Client{}
	if s.options.HTTPClient != nil {
		client = *s.options.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", address, most)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not UTF-8", address)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}
