package earnest

import (
	"context"
	"time"
)

// RequestReport describes a try to the hooks. It holds no token and no body.
type RequestReport struct {
	Operation string
	Verb      string
	URL       string
	// 1 for the first try.
	Attempt        int
	IdempotencyKey string
}

// Hooks observe each try. Any of them may be nil.
type Hooks struct {
	OnRequest  func(RequestReport)
	OnResponse func(report RequestReport, status int, requestID string, took time.Duration)
	// A try failed, and another one follows after the wait.
	OnRetry func(report RequestReport, wait time.Duration, err error)
}

func (s *settings) reportRequest(ctx context.Context, report RequestReport) {
	if s.logger != nil {
		s.logger.DebugContext(ctx, "earnest: request", "operation", report.Operation, "attempt", report.Attempt)
	}
	if s.hooks.OnRequest != nil {
		s.hooks.OnRequest(report)
	}
}

func (s *settings) reportResponse(ctx context.Context, report RequestReport, response *RawResponse, took time.Duration) {
	if s.logger != nil {
		s.logger.DebugContext(ctx, "earnest: answer", "operation", report.Operation, "attempt", report.Attempt,
			"status", response.Status, "request_id", response.RequestID, "took", took)
	}
	if s.hooks.OnResponse != nil {
		s.hooks.OnResponse(report, response.Status, response.RequestID, took)
	}
}

func (s *settings) reportRetry(ctx context.Context, report RequestReport, wait time.Duration, err error) {
	if s.logger != nil {
		s.logger.WarnContext(ctx, "earnest: trying again", "operation", report.Operation, "attempt", report.Attempt,
			"wait", wait, "error", err)
	}
	if s.hooks.OnRetry != nil {
		s.hooks.OnRetry(report, wait, err)
	}
}
