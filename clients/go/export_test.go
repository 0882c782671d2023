package earnest

import (
	"testing"
	"time"
)

// SetLongestSilence has streams be cut sooner.
func SetLongestSilence(t *testing.T, silence time.Duration) {
	before := longestSilence
	longestSilence = silence
	t.Cleanup(func() { longestSilence = before })
}

// SetMostMessageBytes has messages be too large sooner.
func SetMostMessageBytes(t *testing.T, most int) {
	before := mostMessageBytes
	mostMessageBytes = most
	t.Cleanup(func() { mostMessageBytes = before })
}

// ReadRetryAfter reads the header by another clock.
var ReadRetryAfter = readRetryAfter
