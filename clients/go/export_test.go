package earnest

import (
	"testing"
	"time"
)

// SetLongestSilence shortens the time after which a silent stream is cut.
func SetLongestSilence(t *testing.T, silence time.Duration) {
	before := longestSilence
	longestSilence = silence
	t.Cleanup(func() { longestSilence = before })
}

// SetMostMessageBytes lowers the bound of a message.
func SetMostMessageBytes(t *testing.T, most int) {
	before := mostMessageBytes
	mostMessageBytes = most
	t.Cleanup(func() { mostMessageBytes = before })
}

// ReadRetryAfter reads the header at a given time.
var ReadRetryAfter = readRetryAfter

// NameOf is nameOf, for the tests.
var NameOf = nameOf

// ChooseQuantity is chooseQuantity, for the tests.
var ChooseQuantity = chooseQuantity
