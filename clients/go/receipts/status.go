package receipts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// StatusMode says how to use the issuer's list of revoked receipts.
type StatusMode int

const (
	// StatusAsk reads the list, and reports an unreadable list.
	StatusAsk StatusMode = iota
	// StatusRequire fails if the list is unreadable.
	StatusRequire
	// StatusSkip does not read the list.
	StatusSkip
)

// Status says whether a receipt is known to be valid. A revoked receipt is the error ReceiptRevoked.
type Status struct {
	// Good says that the list is valid and that the receipt is not on it. Otherwise the status is unknown.
	Good bool
	// Reason is why the status is unknown; otherwise nil.
	Reason *Error
}

var statusShape = shape{
	"type": literal("ReceiptStatusList"), "version": literal(json.Number("1")), "issuer": isIssuer, "issued_at": isTime,
	"valid_until": isTime,
	"revoked":     listOf(shape{"id": isURL, "revoked_at": isTime, "x402_sha256": nullable(isHash)}.check, 0),
}

// hashJWS returns the name of an x402 receipt on the list. X402 receipts have no id.
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
