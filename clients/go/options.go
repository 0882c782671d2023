package earnest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Option changes how a client, or one call, sends.
type Option func(*settings) error

type settings struct {
	token        func(context.Context) (string, error)
	isOwnToken   bool
	organisation string
	maxRetries   int
	maxWait      time.Duration
	timeout      time.Duration
	header       http.Header
	httpClient   *http.Client
	logger       *slog.Logger
	hooks        Hooks

	// These settings apply to one call.
	idempotencyKey string
	ifMatch        string
	response       *RawResponse
}

func defaultSettings() settings {
	return settings{maxRetries: 2, maxWait: 30 * time.Second, timeout: time.Minute, header: http.Header{}}
}

// with is a copy with the options. Whether the token is its own tells a call's from the client's.
func (s settings) with(opts []Option) (settings, error) {
	s.isOwnToken = false
	s.header = s.header.Clone()
	for _, opt := range opts {
		if err := opt(&s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// WithAPIKey sends an API key (esk_...), which may do what its scopes allow.
func WithAPIKey(key string) Option { return withToken(key) }

// WithAccessToken sends a session's token (est_...).
func WithAccessToken(token string) Option { return withToken(token) }

// WithTokenSource asks for the token before each try.
func WithTokenSource(source func(context.Context) (string, error)) Option {
	return func(s *settings) error {
		s.token, s.isOwnToken = source, true
		return nil
	}
}

func withToken(token string) Option {
	return WithTokenSource(func(context.Context) (string, error) { return token, nil })
}

// WithOrganisation makes a session act for an organisation, as in acc_.... An empty id means the session's own account.
func WithOrganisation(id string) Option {
	return func(s *settings) error {
		s.organisation = id
		return nil
	}
}

// WithMaxRetries sets the most retries of a call. Default: 2.
func WithMaxRetries(times int) Option {
	return func(s *settings) error {
		if times < 0 {
			return fmt.Errorf("earnest: %d retries are not possible", times)
		}
		s.maxRetries = times
		return nil
	}
}

// WithMaxWait sets the longest wait before a retry. Default: 30 seconds. A longer Retry-After fails the call at once.
func WithMaxWait(wait time.Duration) Option {
	return func(s *settings) error {
		s.maxWait = wait
		return nil
	}
}

// WithTimeout sets the timeout of one try. Default: a minute. The context bounds the whole call.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		if timeout <= 0 {
			return fmt.Errorf("earnest: a timeout of %s leaves no time", timeout)
		}
		s.timeout = timeout
		return nil
	}
}

// WithHeader sends one more header, or another value of the client's own.
func WithHeader(name, value string) Option {
	return func(s *settings) error {
		s.header.Set(name, value)
		return nil
	}
}

// WithHTTPClient sets the HTTP client. Default: a new http.Client. Redirects are never followed: they would send the token
// elsewhere.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) error {
		if client == nil {
			return errors.New("earnest: the HTTP client is nil")
		}
		own := *client
		own.CheckRedirect = refuseRedirect
		s.httpClient = &own
		return nil
	}
}

// WithLogger logs each try at debug and each retry at warn. No token and no body is logged.
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) error {
		s.logger = logger
		return nil
	}
}

// WithHooks calls hooks for each try.
func WithHooks(hooks Hooks) Option {
	return func(s *settings) error {
		s.hooks = hooks
		return nil
	}
}

// WithIdempotencyKey sends a write under this key. Use the same key for retries and for calls of the same intent. It applies to
// one call. Default: a random key.
func WithIdempotencyKey(key string) Option {
	return func(s *settings) error {
		if key == "" {
			return errors.New("earnest: the idempotency key is empty")
		}
		s.idempotencyKey = key
		return nil
	}
}

// WithIfMatch sends a change only if the ETag of an earlier response is current. It applies to one call.
func WithIfMatch(etag string) Option {
	return func(s *settings) error {
		s.ifMatch = etag
		return nil
	}
}

// WithResponse stores the raw response. It applies to one call. For a list, it stores the latest page.
func WithResponse(response *RawResponse) Option {
	return func(s *settings) error {
		s.response = response
		return nil
	}
}

func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
