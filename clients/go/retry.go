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

// waitBeforeRetry says how long to wait before the next try, and whether there is one.
//
//   - After a connection error, 408 or 5xx where the call may be sent twice; after 429 always, for nothing was done.
//   - After a 409 with Retry-After: the same write is still being carried out under its key.
//   - As long as Retry-After says, and a little more so that clients do not come back together; else up to 0.5 s, 1 s, 2 s
//     and so on, at random (full jitter).
func waitBeforeRetry(failure error, once bool, attempt int, rules settings) (time.Duration, bool) {
	if attempt > rules.maxRetries || !isRetryable(failure, once) {
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

func isRetryable(failure error, once bool) bool {
	var refusal *Error
	if !errors.As(failure, &refusal) {
		var connection *ConnectionError
		return !once && errors.As(failure, &connection)
	}
	switch refusal.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusConflict:
		return !once && refusal.RetryAfter != nil
	default:
		return !once && (refusal.Status == http.StatusRequestTimeout || refusal.Status >= 500)
	}
}

// pause waits; false as soon as the context ends, and at once where it would end before.
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
