// Package earnest is the client of an Earnest service: a method for each operation, retries that do nothing twice, exact
// money. The packages webhooks, receipts and settlement beside it verify what the service says, and recompute what is signed.
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

// BaseURL is the service's address, with /api/v1.
func (c *Client) BaseURL() string { return c.sender.base.String() }

// Request is a request that no method of this client makes.
type Request struct {
	// GET, POST, PUT, PATCH or DELETE.
	Verb string
	// Below /api/v1, escaped.
	Path string
	// A struct or map with the query's fields, by their JSON names.
	Query any
	Body  any
	// For a write that the service keeps under no Idempotency-Key, and that must not be sent twice.
	Once bool
}

// Do sends a request that no method of this client makes, with the same authentication, retries and errors, and reads the
// answer into a pointer.
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
