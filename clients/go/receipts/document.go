package receipts

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// SettlementDocument says that a step of an order's money is in a log of a chain.
type SettlementDocument struct {
	// Schema is the URL of this version's JSON Schema; empty in version 1.
	Schema        string `json:"$schema"`
	ID            string `json:"id"`
	Type          string `json:"type"`
	Version       int    `json:"version"`
	Issuer        string `json:"issuer"`
	IssuedAt      string `json:"issued_at"`
	OrderID       string `json:"order_id"`
	AgreementHash string `json:"agreement_hash"`
	// funded, part_released, released or refunded. The amount of released counts all parts again.
	Claim       string `json:"claim"`
	Chain       string `json:"chain"`
	Contract    string `json:"contract"`
	EscrowID    string `json:"escrow_id"`
	Transaction string `json:"transaction"`
	BlockNumber int64  `json:"block_number"`
	BlockHash   string `json:"block_hash"`
	LogIndex    int64  `json:"log_index"`
	Buyer       string `json:"buyer"`
	Provider    string `json:"provider"`
	Token       string `json:"token"`
	// Base units of the token that this claim's event moved.
	Amount string `json:"amount"`
	// Nil if nothing was delivered.
	OutputHash *string `json:"output_hash"`
	// The sum of the parts up to this one; nil for any claim but part_released.
	ReleasedSoFar *string `json:"released_so_far"`
	// Nil in version 1.
	Terms *Terms `json:"terms"`
}

// Terms are the other terms of which the escrow's id is the hash. Amounts are base units, windows are seconds.
type Terms struct {
	Amount           string `json:"amount"`
	FundBy           int64  `json:"fund_by"`
	DeliveryWindow   int64  `json:"delivery_window"`
	AcceptanceWindow int64  `json:"acceptance_window"`
	DisputeWindow    int64  `json:"dispute_window"`
	AppealWindow     int64  `json:"appeal_window"`
	Arbiter          string `json:"arbiter"`
}

const (
	mostDocumentCharacters = 65_536
	mostSeconds            = 0xffff_ffff
)

var termsShape = shape{
	"amount": isAmount, "fund_by": wholeNumber(0, 0xffff_ffff_ffff), "delivery_window": wholeNumber(0, mostSeconds),
	"acceptance_window": wholeNumber(0, mostSeconds), "dispute_window": wholeNumber(0, mostSeconds),
	"appeal_window": wholeNumber(0, mostSeconds), "arbiter": isAddress,
}

var commonShape = shape{
	"id": isURL, "type": literal("SettlementDocument"), "issuer": isIssuer, "issued_at": isTime,
	"order_id": pattern(`ord_[0-9a-z]{1,64}`), "agreement_hash": isHash, "claim": oneOf("funded", "released", "refunded"),
	"chain": isChain, "contract": isAddress, "escrow_id": isHash, "transaction": isHash,
	"block_number": wholeNumber(0, mostSafe), "block_hash": isHash, "log_index": wholeNumber(0, mostSafe),
	"buyer": isAddress, "provider": isAddress, "token": isAddress, "amount": isAmount, "output_hash": nullable(isHash),
}

var documentShapes = map[json.Number]shape{
	json.Number("1"): commonShape.with(shape{"version": literal(json.Number("1"))}),
	json.Number("2"): commonShape.with(shape{
		"version": literal(json.Number("2")), "$schema": isURL, "terms": termsShape.check,
		"claim": oneOf("funded", "part_released", "released", "refunded"), "released_so_far": nullable(isAmount),
	}),
}

var compactJWS = regexp.MustCompile(`\A\s*[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*\s*\z`)

// readDocument reads a settlement document from its text into its statement and its proof.
func readDocument(text []byte) (statement, proof map[string]any, err error) {
	statement, signed, err := readStatement(text, "SettlementDocument")
	if err != nil {
		return nil, nil, err
	}
	version, _ := statement["version"].(json.Number)
	shape, known := documentShapes[version]
	if !known {
		return nil, nil, refuse(InvalidShape, "its version is %v", statement["version"])
	}
	if problem := shape.problem(statement); problem != "" {
		return nil, nil, refuse(InvalidShape, "%s", problem)
	}
	if (statement["claim"] == "part_released") == (statement["released_so_far"] == nil) {
		return nil, nil, refuse(InvalidShape, "released_so_far belongs to the claim part_released")
	}
	proof, err = readProof(signed)
	return statement, proof, err
}

// readStatement reads a text of one type that has a proof of its own.
func readStatement(text []byte, kind string) (statement map[string]any, proof any, err error) {
	if len(text) <= mostDocumentCharacters && compactJWS.Match(text) {
		return nil, nil, refuse(WrongKind, "it is a compact JWS")
	}
	document, err := readTyped(text, kind, mostDocumentCharacters)
	if err != nil {
		return nil, nil, err
	}
	statement, proof = splitProof(document)
	return statement, proof, nil
}

// into fills a struct from a value that was checked.
func into[T any](value any) (T, error) {
	var filled T
	text, err := canonical.Bytes(value)
	if err == nil {
		err = json.Unmarshal(text, &filled)
	}
	if err != nil {
		return filled, refuse(Malformed, "%v", err)
	}
	return filled, nil
}

// VerifiedDocument is a document with a good signature: the issuer signed this. Only the chain proves that money moved
// (ConfirmOnChain).
type VerifiedDocument struct {
	Document SettlementDocument
	Issuer   string
	// The DID URL of the signing key.
	KeyID  string
	Status Status
	// CompromisedSince is the time from which others may have had the signing key, if it is known. Then only the chain confirms
	// the document, and members that the event does not have may be forged.
	CompromisedSince *time.Time
}
