package receipts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// StatusMode says what to do about the issuer's list of revoked receipts.
type StatusMode int

const (
	// StatusAsk asks, and says when it could not.
	StatusAsk StatusMode = iota
	// StatusRequire makes a list that cannot be had a failure.
	StatusRequire
	// StatusSkip does not ask.
	StatusSkip
)

// Status tells whether a receipt is revoked, as far as it is known. A revoked receipt is the error ReceiptRevoked.
type Status struct {
	// The list is good, and the receipt is not on it. Else nothing is known.
	Good bool
	// Why nothing is known; nil where it is.
	Reason *Error
}

var statusShape = shape{
	"type": literal("ReceiptStatusList"), "version": literal(json.Number("1")), "issuer": isIssuer, "issued_at": isTime,
	"valid_until": isTime,
	"revoked":     listOf(shape{"id": isURL, "revoked_at": isTime, "x402_sha256": nullable(isHash)}.check, 0),
}

// hashJWS is how the list names an x402 receipt, which has no id.
func hashJWS(jws string) string {
	sum := sha256.Sum256([]byte(jws))
	return "0x" + hex.EncodeToString(sum[:])
}

// askStatus looks a receipt up in the list that its issuer's DID document names.
func (s *session) askStatus(member, value string) (Status, error) {
	if s.options.Status == StatusSkip {
		return Status{Reason: &Error{Code: StatusNotAsked, Message: "the list of revoked receipts was not to be asked"}}, nil
	}
	list, err := s.list()
	if err != nil {
		var refusal *Error
		if s.options.Status == StatusRequire || !errors.As(err, &refusal) {
			return Status{}, err
		}
		return Status{Reason: refusal}, nil
	}
	revoked, _ := list["revoked"].([]any)
	for _, one := range revoked {
		entry, _ := one.(map[string]any)
		if entry[member] == value {
			return Status{}, refuse(ReceiptRevoked, "it was taken back at %v", entry["revoked_at"])
		}
	}
	return Status{Good: true}, nil
}

func (s *session) fetchStatusList() (map[string]any, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	address := keys.service("ReceiptStatusList")
	if address == "" {
		return nil, refuse(StatusNotPublished, "the DID document names no list on the issuer's own host")
	}
	text, err := s.fetch(address, mostListBytes)
	if err != nil {
		return nil, refuse(StatusUnavailable, "%v", err)
	}
	list, err := s.readStatusList(keys, text)
	if err == nil || errors.Is(err, StatusExpired) {
		return list, err
	}
	code, message := codeOf(err)
	return nil, refuse(StatusInvalid, "%s: %s", code, message)
}

func (s *session) readStatusList(keys *keySet, text []byte) (map[string]any, error) {
	document, err := readTyped(text, "ReceiptStatusList", mostListBytes)
	if err != nil {
		return nil, err
	}
	list, signed := splitProof(document)
	if problem := statusShape.problem(list); problem != "" {
		return nil, refuse(InvalidShape, "%s", problem)
	}
	proof, err := readProof(signed)
	if err != nil {
		return nil, err
	}
	if list["issuer"] != keys.issuer {
		return nil, refuse(ForeignIssuer, "it is %v", list["issuer"])
	}
	if err := requireOwn(keys.issuer, textOf(proof, "verificationMethod")); err != nil {
		return nil, err
	}
	key, err := keys.find(textOf(proof, "verificationMethod"), multikey, assertion)
	if err != nil {
		return nil, err
	}
	if err := requireProof(list, proof, key.bytes, key.id); err != nil {
		return nil, err
	}
	if err := key.requireUncompromised(); err != nil {
		return nil, err
	}
	if err := s.requireSigningTimes(key, timeOf(list, "issued_at"), timeOf(proof, "created")); err != nil {
		return nil, err
	}
	if s.options.now().After(timeOf(list, "valid_until")) {
		return nil, refuse(StatusExpired, "it was valid until %v", list["valid_until"])
	}
	return list, nil
}
