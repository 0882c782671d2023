package receipts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// KeyState is the state of a key at the end of the log. A nil time is none.
type KeyState struct {
	KID string
	// Multikey.
	PublicKey        string
	NotBefore        time.Time
	RetiredAt        *time.Time
	CompromisedSince *time.Time
}

// VerifiedKeyLog is a whole log that agrees with the issuer's DID document.
type VerifiedKeyLog struct {
	Issuer string
	// Head is the hash of the newest entry. Use it as the pin of the next check.
	Head    string
	Entries int
	Keys    []KeyState
	// Doubtful has the seq of each entry that a key signed after its compromise. A thief could have made these entries.
	Doubtful []int
}

var keyLogEntry = shape{
	"seq": wholeNumber(1, mostSafe), "at": isTime, "action": oneOf("add", "retire", "compromise"), "kid": isKID,
	"public_key": shortText(64), "not_before": isTime, "retired_at": nullable(isTime), "compromised_since": nullable(isTime),
	"previous": nullable(isHash), "proof": proofShape.check,
}

var keyLogShape = shape{
	"type": literal("KeyLog"), "version": literal(json.Number("1")), "issuer": isIssuer, "entries": listOf(keyLogEntry.check, 1),
}

var kidShape = pattern(`[A-Za-z0-9][A-Za-z0-9._-]{0,63}`)

func isKID(value any) bool { return kidShape(value) && !strings.HasSuffix(value.(string), "-mb") }

// VerifyKeyLog checks an issuer's key log. Each entry follows the previous one and is signed by the right key. The keys of the
// DID document are those at the log's end. With a pin (the Head of an earlier check), the log was only extended. Pass the
// log's text, or nil to fetch it from the URL in the DID document.
func VerifyKeyLog(ctx context.Context, text []byte, options Options, pin string) (*VerifiedKeyLog, error) {
	s, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	if text == nil {
		if text, err = s.fetchKeyLog(keys); err != nil {
			return nil, err
		}
	}
	log, err := readTyped(text, "KeyLog", mostListBytes)
	if err != nil {
		return nil, err
	}
	if problem := keyLogShape.problem(log); problem != "" {
		return nil, refuse(InvalidShape, "%s", problem)
	}
	if log["issuer"] != options.Issuer {
		return nil, refuse(ForeignIssuer, "it is %v", log["issuer"])
	}
	entries := log["entries"].([]any)
	history, err := followKeyLog(entries)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if err := requirePast(timeOf(entry.(map[string]any), "at"), options.now()); err != nil {
			return nil, err
		}
	}
	if pin != "" && !slices.Contains(history.hashes, pin) {
		return nil, refuse(KeyLogRewritten, "it does not contain the entry %s", pin)
	}
	if err := requireSameKeys(keys, history.keys); err != nil {
		return nil, err
	}
	return &VerifiedKeyLog{
		Issuer: options.Issuer, Head: history.hashes[len(history.hashes)-1], Entries: len(entries), Keys: history.keys,
		Doubtful: history.doubtful(),
	}, nil
}

func (s *session) fetchKeyLog(keys *keySet) ([]byte, error) {
	address := keys.service("KeyLog")
	if address == "" {
		return nil, refuse(KeyLogUnavailable, "the DID document names none on the issuer's own host")
	}
	text, err := s.fetch(address, mostListBytes)
	if err != nil {
		return nil, refuse(KeyLogUnavailable, "%v", err)
	}
	return text, nil
}

// requireSameKeys refuses unless the DID document's methods are exactly those that the log's keys make.
func requireSameKeys(set *keySet, keys []KeyState) error {
	var expected, published []string
	for _, key := range keys {
		isGood := key.CompromisedSince == nil
		times := [3]time.Time{key.NotBefore, valueOf(key.RetiredAt), valueOf(key.CompromisedSince)}
		if isGood {
			expected = append(expected, describe(key.KID, jsonWebKey, key.PublicKey, times, true))
		}
		expected = append(expected, describe(key.KID+"-mb", multikey, key.PublicKey, times, isGood))
	}
	for _, method := range set.methods {
		name := method.id
		if method.controller == set.issuer {
			name = strings.TrimPrefix(name, set.issuer+"#")
		}
		times := [3]time.Time{method.from, method.until, method.revoked}
		isForAssertions := slices.Contains(set.purposes[assertion], any(method.id))
		published = append(published, describe(name, method.kind, publicKeyOf(method), times, isForAssertions))
	}
	for _, method := range published {
		if !slices.Contains(expected, method) {
			return refuse(KeyLogDiffers, "the log does not have %s", method)
		}
	}
	for _, method := range expected {
		if !slices.Contains(published, method) {
			return refuse(KeyLogDiffers, "the DID document does not have %s", method)
		}
	}
	if len(published) != len(expected) {
		return refuse(KeyLogDiffers, "the DID document does not have each key once")
	}
	return nil
}

func describe(fragment, kind, publicKey string, times [3]time.Time, isForAssertions bool) string {
	written := [3]string{}
	for at, one := range times {
		written[at] = "-"
		if !one.IsZero() {
			written[at] = one.UTC().Format(time.RFC3339Nano)
		}
	}
	return fmt.Sprintf("#%s (%s) %s, %s to %s, revoked %s, for assertions: %t", fragment, kind, publicKey, written[0], written[1], written[2], isForAssertions)
}

func publicKeyOf(m method) string {
	if m.multibase != nil {
		return *m.multibase
	}
	bytes := decodeBase64url(textOf(m.jwk, "x"))
	if textOf(m.jwk, "crv") != "Ed25519" || bytes == nil {
		return "of another kind"
	}
	return "z" + encodeBase58(append([]byte{0xed, 0x01}, bytes...))
}

func valueOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
