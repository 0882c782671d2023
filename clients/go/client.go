// Package earnest is the client of an Earnest service: a method for each operation, safe retries, exact money. The packages
// webhooks, receipts and settlement verify the service's statements and recompute the signed data.
package earnest

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Client is a client of an Earnest service. It is safe for use by several goroutines.
type Client struct {
	resources
}

// NewClient makes a client of the service at an address, which may end in /api/v1.
//
//	client, err := earnest.NewClient("http://localhost:42069", earnest.WithAPIKey(key))
func NewClient(baseURL string, opts ...Option) (*Client, error) {
	transport, err := newTransport(baseURL, opts)
	if err != nil {
		return nil, err
	}
	return &Client{resources: newResources(transport)}, nil
}

// with returns a client of the same service with another token, for the token's own account; "" for none.
func (c *Client) with(token string) *Client {
	settings := c.sender.settings
	settings.token, settings.organisation = nil, ""
	if token != "" {
		settings.token = func(context.Context) (string, error) { return token, nil }
	}
	return &Client{resources: newResources(&transport{base: c.sender.base, settings: settings})}
}

// BaseURL is the service's address, with /api/v1.
func (c *Client) BaseURL() string { return c.sender.base.String() }

// Request is a request for an operation that this client has no method for.
type Request struct {
	// Verb is GET, POST, PUT, PATCH or DELETE.
	Verb string
	// Path is below /api/v1, and escaped.
	Path string
	// Query is a struct or map with the query's fields, by their JSON names.
	Query any
	Body  any
	// Once is for a write that must not be sent twice and that the service stores under no Idempotency-Key.
	Once bool
}

// Do sends a request for an operation that this client has no method for, with the same authentication, retries and errors. It
// reads the response into a pointer.
func (c *Client) Do(ctx context.Context, request Request, into any, opts ...Option) error {
	if !strings.HasPrefix(request.Path, "/") {
		return fmt.Errorf("earnest: the path %q does not begin with a slash", request.Path)
	}
	if into == nil {
		return errors.New("earnest: pass a pointer for the response, for example a *json.RawMessage")
	}
	sent := call{
		operation: request.Verb + " " + request.Path, verb: request.Verb, path: pathText(request.Path),
		query: request.Query, body: request.Body, once: request.Once,
		takesKey: request.Verb != "GET" && !request.Once, takesMatch: request.Verb != "GET",
	}
	return c.sender.sendInto(ctx, sent, opts, into)
}
