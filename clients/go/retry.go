package earnest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	firstWait      = 500 * time.Millisecond
	longestBackoff = 8 * time.Second
)

// waitBeforeRetry returns the wait before the next try, and whether there is one.
//
// Retries follow a connection error, 408 or 5xx if the call may be repeated. A 429 is always retried, because it had no
// effect.
// A retry follows a 409 with Retry-After: the same write is still running under its key.
// The wait is Retry-After with a little jitter. Without the header, it is a random part of 0.5 s, 1 s, 2 s and so on (full
// jitter).
func waitBeforeRetry(failure error, mayRepeat bool, attempt int, rules settings) (time.Duration, bool) {
	if attempt > rules.maxRetries || !isRetryable(failure, mayRepeat) {
		return 0, false
	}
	var refusal *Error
	if errors.As(failure, &refusal) && refusal.RetryAfter != nil {
		if *refusal.RetryAfter > rules.maxWait {
			return 0, false
		}
		return min(*refusal.RetryAfter+rand.N(firstWait), rules.maxWait), true
	}
	backoff := longestBackoff
	if attempt < 5 {
		backoff = min(longestBackoff, firstWait<<(attempt-1))
	}
	return min(rand.N(backoff), rules.maxWait), true
}

func isRetryable(failure error, mayRepeat bool) bool {
	var refusal *Error
	if !errors.As(failure, &refusal) {
		var connection *ConnectionError
		return mayRepeat && errors.As(failure, &connection)
	}
	switch refusal.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusConflict:
		return mayRepeat && refusal.RetryAfter != nil
	default:
		return mayRepeat && (refusal.Status == http.StatusRequestTimeout || refusal.Status >= 500)
	}
}

// pause waits. It returns false if the context ends, and at once if the context would end before the wait.
func pause(ctx context.Context, wait time.Duration) bool {
	if deadline, has := ctx.Deadline(); has && time.Until(deadline) < wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
