package earnest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Version is the version of this client.
const Version = "0.1.0-rc.1"

// apiPath is the path of the API below the service's own address.
const apiPath = "/api/v1"

const mostAnswerBytes = 64 << 20

// RawResponse is the unparsed response.
type RawResponse struct {
	Status int
	Header http.Header
	// The body, whole.
	Body []byte
	// The number of attempts, including this one.
	Attempts int
	// RequestID is the header X-Request-ID. Quote it in reports.
	RequestID string
	// IdempotencyKey is the key of the write.
	IdempotencyKey string
}

// transport sends calls: authentication, retries under one idempotency key, timeouts, errors.
type transport struct {
	// Without a slash at the end, and with /api/v1.
	base     *url.URL
	settings settings
	// session is the token of a session that this client began; nil: the settings name the token.
	session atomic.Pointer[string]
}

type sender = *transport

func newTransport(baseURL string, opts []Option) (*transport, error) {
	base, err := url.Parse(baseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("earnest: %q is no http or https address without user, query and fragment", baseURL)
	}
	base.Path = strings.TrimRight(base.Path, "/")
	if !strings.HasSuffix(base.Path, apiPath) {
		base.Path += apiPath
	}
	base.RawPath = ""
	settings, err := defaultSettings().with(opts)
	if err != nil {
		return nil, err
	}
	if settings.idempotencyKey != "" || settings.ifMatch != "" || settings.response != nil {
		return nil, errors.New("earnest: WithIdempotencyKey, WithIfMatch and WithResponse are of one call, not of the client")
	}
	if settings.httpClient == nil {
		settings.httpClient = &http.Client{CheckRedirect: refuseRedirect}
	}
	return &transport{base: base, settings: settings}, nil
}

// send sends a call and reads the response.
func send[T any](ctx context.Context, t *transport, c call, opts []Option) (*T, error) {
	value := new(T)
	if err := t.sendInto(ctx, c, opts, value); err != nil {
		return nil, err
	}
	return value, nil
}

// sendFor is send without a pointer.
func sendFor[T any](ctx context.Context, t *transport, c call, opts []Option) (T, error) {
	var value T
	return value, t.sendInto(ctx, c, opts, &value)
}

// sendForText is send for a response that is not JSON.
func sendForText(ctx context.Context, t *transport, c call, opts []Option) (string, error) {
	response, err := t.do(ctx, c, opts)
	if err != nil {
		return "", err
	}
	return string(response.Body), nil
}

// sendForFile is send for a response that is a file.
func sendForFile(ctx context.Context, t *transport, c call, opts []Option) ([]byte, error) {
	response, err := t.do(ctx, c, opts)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

func (t *transport) sendInto(ctx context.Context, c call, opts []Option, into any) error {
	response, err := t.do(ctx, c, opts)
	if err != nil {
		return err
	}
	return readAnswer(c, response, into)
}

func readAnswer(c call, response *RawResponse, into any) error {
	if err := json.Unmarshal(response.Body, into); err != nil {
		return &AnswerError{Operation: c.operation, RequestID: response.RequestID, IdempotencyKey: response.IdempotencyKey, Err: err}
	}
	return nil
}

// do sends a call until a response comes, or until no try is left.
func (t *transport) do(ctx context.Context, c call, opts []Option) (*RawResponse, error) {
	rules, err := t.settings.with(opts)
	if err != nil {
		return nil, err
	}
	request, err := t.write(c, rules)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		report := RequestReport{Operation: c.operation, Verb: c.verb, URL: request.url, Attempt: attempt, IdempotencyKey: request.key}
		response, err := t.try(ctx, c, rules, request, report)
		if response != nil && rules.response != nil {
			*rules.response = *response
		}
		if err == nil {
			return response, nil
		}
		wait, again := waitBeforeRetry(err, !c.once, attempt, rules)
		if !again || ctx.Err() != nil {
			return nil, err
		}
		rules.reportRetry(ctx, report, wait, err)
		if !pause(ctx, wait) {
			return nil, err
		}
	}
}

// try sends the request once. The response is nil if none came whole.
func (t *transport) try(ctx context.Context, c call, rules settings, made *request, report RequestReport) (*RawResponse, error) {
	fail := func(err error, timeout bool) error {
		return &ConnectionError{Operation: c.operation, IdempotencyKey: made.key, Attempts: report.Attempt, Err: err, timeout: timeout}
	}
	bounded, cancel := context.WithTimeout(ctx, rules.timeout)
	defer cancel()
	sent, err := t.prepare(bounded, c, rules, made)
	if err != nil {
		return nil, err
	}
	rules.reportRequest(ctx, report)
	begin := time.Now()
	answer, err := rules.httpClient.Do(sent)
	if err != nil {
		return nil, fail(withoutURL(err), ctx.Err() == nil && bounded.Err() != nil)
	}
	defer answer.Body.Close()
	// The body belongs to the try: a cut body is not a response.
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswerBytes+1))
	if err != nil {
		return nil, fail(err, ctx.Err() == nil && bounded.Err() != nil)
	}
	response := &RawResponse{
		Status: answer.StatusCode, Header: answer.Header, Body: body, Attempts: report.Attempt,
		RequestID: answer.Header.Get("X-Request-ID"), IdempotencyKey: made.key,
	}
	rules.reportResponse(ctx, report, response, time.Since(begin))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return response, refusalOf(response)
	}
	if len(body) > mostAnswerBytes || c.accept == "" && !json.Valid(body) {
		return nil, fail(errors.New("the body is no whole JSON"), false)
	}
	return response, nil
}

// prepare returns the request of one try, with its token.
func (t *transport) prepare(ctx context.Context, c call, rules settings, made *request) (*http.Request, error) {
	sent, err := http.NewRequestWithContext(ctx, c.verb, made.url, bytes.NewReader(made.body))
	if err != nil {
		return nil, fmt.Errorf("earnest: %s: %w", c.operation, err)
	}
	sent.Header = made.header.Clone()
	// Without this, net/http could send a write again by itself, beyond the limit and unseen by the hooks.
	sent.GetBody = nil
	if made.body == nil {
		sent.Body, sent.ContentLength = http.NoBody, 0
	}
	token, err := t.token(ctx, c, rules)
	if err != nil {
		return nil, fmt.Errorf("earnest: no token: %w", err)
	}
	if token != "" && sent.Header.Get("Authorization") == "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	return sent, nil
}

const mostRefusalBytes = 64 << 10

// open sends a read once and returns the response as soon as it begins. The context bounds it. The caller closes the body.
func (t *transport) open(ctx context.Context, c call, opts []Option) (*http.Response, error) {
	rules, err := t.settings.with(opts)
	if err != nil {
		return nil, err
	}
	made, err := t.write(c, rules)
	if err != nil {
		return nil, err
	}
	// Compression would delay events in the compressor's buffer.
	made.header.Set("Accept-Encoding", "identity")
	sent, err := t.prepare(ctx, c, rules, made)
	if err != nil {
		return nil, err
	}
	report := RequestReport{Operation: c.operation, Verb: c.verb, URL: made.url, Attempt: 1}
	rules.reportRequest(ctx, report)
	begin := time.Now()
	// A timeout of the whole body would cut an endless response.
	endless := *rules.httpClient
	endless.Timeout = 0
	answer, err := endless.Do(sent)
	if err != nil {
		return nil, &ConnectionError{Operation: c.operation, Attempts: 1, Err: withoutURL(err)}
	}
	response := &RawResponse{Status: answer.StatusCode, Header: answer.Header, Attempts: 1, RequestID: answer.Header.Get("X-Request-ID")}
	rules.reportResponse(ctx, report, response, time.Since(begin))
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	if response.Body, err = io.ReadAll(io.LimitReader(answer.Body, mostRefusalBytes)); err != nil {
		return nil, &ConnectionError{Operation: c.operation, Attempts: 1, Err: err}
	}
	return nil, refusalOf(response)
}

func (t *transport) token(ctx context.Context, c call, rules settings) (string, error) {
	if c.open {
		return "", nil
	}
	if session := t.session.Load(); session != nil && !rules.isOwnToken {
		return *session, nil
	}
	if rules.token == nil {
		return "", nil
	}
	return rules.token(ctx)
}

// withoutURL removes the address from an error of net/http, which repeats it.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
