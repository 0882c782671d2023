// Package webhooks verifies deliveries of an Earnest service.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/internal/headers"
)

// Tolerance is how far a delivery's time may differ from the verifier's, in both directions.
const Tolerance = 300 * time.Second

// ErrSignature says that a delivery has no valid signature of this secret, or a wrong time. Answer 401, and do nothing else.
var ErrSignature = errors.New("webhooks: the delivery is not signed with the endpoint's secret, or not now")

var digits = regexp.MustCompile(`\A[0-9]+\z`)

// Read verifies a delivery and returns its event. It uses X-Service-Signature, or the headers of Standard Webhooks without it.
// Pass the received bytes of the body. Pass several secrets while a new secret replaces an old one.
//
//	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
//	event, err := webhooks.Read(body, r.Header, time.Now(), secret)
//	if errors.Is(err, webhooks.ErrSignature) {
//		w.WriteHeader(http.StatusUnauthorized)
//	}
func Read(body []byte, header http.Header, now time.Time, secrets ...string) (*earnest.WebhookEvent, error) {
	own := headers.Values(header, "X-Service-Signature")
	isGood := false
	for _, secret := range secrets {
		if len(own) > 0 {
			// A repeated header is refused: a proxy and this verifier may read different values.
			isGood = len(own) == 1 && Verify(body, own[0], secret, now) || isGood
		} else {
			isGood = VerifyStandard(body, header, secret, now) || isGood
		}
	}
	if !isGood {
		return nil, ErrSignature
	}
	event := new(earnest.WebhookEvent)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("webhooks: the delivery is signed and no event: %w", err)
	}
	return event, nil
}

// Verify reports whether a delivery comes from the service: its header X-Service-Signature fits the raw body, the endpoint's
// secret (whsec_...) and the time.
func Verify(body []byte, header, secret string, now time.Time) bool {
	// An empty secret is a forgotten setting, and a key that everybody knows.
	if secret == "" {
		return false
	}
	timestamps, signatures := 0, []string{}
	timestamp := ""
	for _, piece := range strings.Split(header, ",") {
		key, value, isPair := strings.Cut(piece, "=")
		if !isPair {
			return false
		}
		// HTTP allows spaces and tabs here. TrimSpace trims Unicode's spaces too.
		switch strings.Trim(key, " \t") {
		case "t":
			timestamp = value
			timestamps++
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if timestamps != 1 || !isNear(timestamp, now) {
		return false
	}
	expected := hex.EncodeToString(sign([]byte(secret), timestamp+".", body))
	return containsSame(signatures, expected)
}

// VerifyStandard reports whether a delivery's webhook-id, webhook-timestamp and webhook-signature fit the raw body, the secret and
// the time. Source: https://www.standardwebhooks.com
func VerifyStandard(body []byte, header http.Header, secret string, now time.Time) bool {
	id, timestamp, signatures := onceOf(header, "webhook-id"), onceOf(header, "webhook-timestamp"), onceOf(header, "webhook-signature")
	text := strings.TrimPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	// The decoder ignores line ends.
	if err != nil || len(key) == 0 || strings.ContainsAny(text, "\r\n") || id == "" || !isNear(timestamp, now) {
		return false
	}
	// Two headers are joined with a comma and a space.
	if strings.Contains(signatures, ", ") {
		return false
	}
	expected := "v1," + base64.StdEncoding.EncodeToString(sign(key, id+"."+timestamp+".", body))
	return containsSame(strings.Split(signatures, " "), expected)
}

// onceOf returns the value of a header that occurs once; otherwise "".
func onceOf(header http.Header, name string) string {
	if values := headers.Values(header, name); len(values) == 1 {
		return values[0]
	}
	return ""
}

func isNear(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// A number of so many digits is no time, and would overflow below.
	if !digits.MatchString(timestamp) || err != nil || seconds > 1<<40 {
		return false
	}
	distance := now.Unix() - seconds
	return max(distance, -distance) <= int64(Tolerance.Seconds())
}

func sign(key []byte, prefix string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prefix))
	mac.Write(body)
	return mac.Sum(nil)
}

// containsSame compares with each signature, so that the duration does not show which one matches.
func containsSame(supplied []string, expected string) bool {
	found := false
	for _, one := range supplied {
		found = hmac.Equal([]byte(one), []byte(expected)) || found
	}
	return found
}
