package tlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// Kind is the subject of an entry.
type Kind string

// The kinds.
const (
	// ReceiptEntry: a receipt was issued. The entry has Receipt, Document, and X402 if there is one.
	ReceiptEntry Kind = "receipt"
	// RevocationEntry: a receipt was revoked. The entry has Receipt and RevokedAt.
	RevocationEntry Kind = "revocation"
	// KeyEntry: the keys that sign receipts changed. The entry has Seq and Entry.
	KeyEntry Kind = "key"
)

// Entry is the content of a leaf: one JSON object in its canonical form (JCS, RFC 8785). Fields of other kinds are empty.
// Hashes are SHA-256, as 0x and 64 lower-case hexadecimal digits.
type Entry struct {
	Kind    Kind   `json:"kind"`
	Version int    `json:"v"`
	Receipt string `json:"receipt,omitempty"`
	// Over JCS of the signed settlement document, its proof included.
	Document string `json:"document,omitempty"`
	// Over the x402 receipt's compact JWS.
	X402 string `json:"x402,omitempty"`
	// In UTC with milliseconds, as in the list of revoked receipts.
	RevokedAt string `json:"revoked_at,omitempty"`
	// The seq of the key log's entry.
	Seq int64 `json:"seq,omitempty"`
	// Over JCS of the key log's entry, its proof included.
	Entry string `json:"entry,omitempty"`
}

const mostEntryBytes = 1024

var (
	hashShape    = regexp.MustCompile(`\A0x[0-9a-f]{64}\z`)
	receiptShape = regexp.MustCompile(`\Arcp_[0-9a-z]{1,64}\z`)
	timeShape    = regexp.MustCompile(`\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z`)
	seqShape     = regexp.MustCompile(`\A[1-9][0-9]*\z`)
	receiptInURL = regexp.MustCompile(`/(rcp_[0-9a-z]{1,64})\z`)
)

// entryShapes has the exact members of each kind.
var entryShapes = map[Kind]map[string]*regexp.Regexp{
	ReceiptEntry:    {"receipt": receiptShape, "document": hashShape, "x402": hashShape},
	RevocationEntry: {"receipt": receiptShape, "revoked_at": timeShape},
	KeyEntry:        {"seq": seqShape, "entry": hashShape},
}

// DecodeEntry reads a leaf's bytes. It returns MalformedEntry for any other form than that of an entry.
func DecodeEntry(leaf []byte) (*Entry, error) {
	if len(leaf) > mostEntryBytes {
		return nil, refuse(MalformedEntry, "it has %d bytes", len(leaf))
	}
	value, err := canonical.ParseWhole(leaf)
	if err != nil {
		return nil, refuse(MalformedEntry, "%v", err)
	}
	members, _ := value.(map[string]any)
	if problem := entryProblem(members); problem != "" {
		return nil, refuse(MalformedEntry, "%s", problem)
	}
	text, err := canonical.Bytes(value)
	if err != nil || !bytes.Equal(text, leaf) {
		return nil, refuse(MalformedEntry, "it is not canonical (RFC 8785)")
	}
	var entry Entry
	if err := json.Unmarshal(leaf, &entry); err != nil {
		return nil, refuse(MalformedEntry, "%v", err)
	}
	return &entry, nil
}

func entryProblem(members map[string]any) string {
	kind, _ := members["kind"].(string)
	shape, isKnown := entryShapes[Kind(kind)]
	if !isKnown || members["v"] != json.Number("1") {
		return "it is of no kind and version that there is"
	}
	for name, value := range members {
		form, isMember := shape[name]
		if name == "kind" || name == "v" {
			continue
		}
		_, isNumber := value.(json.Number)
		if !isMember || isNumber != (name == "seq") || !form.MatchString(fmt.Sprint(value)) {
			return name + " is not one of its members, or not in its form"
		}
	}
	for name := range shape {
		if _, has := members[name]; !has && name != "x402" {
			return name + " is missing"
		}
	}
	return ""
}

// Receipt has a verifier's parts of a receipt: the settlement document, the x402 receipt, or both.
type Receipt struct {
	// ID is the id, rcp_.... Default: the end of the document's own id.
	ID string
	// Document is the received settlement document. A text that is not a JSON object counts as missing, and
	// receipts.VerifyReceipt reports it.
	Document []byte
	// The compact JWS.
	X402 string
}

// parts returns the receipt's id and the hashes of its parts. Each unknown value is empty.
func (r Receipt) parts() (id, document, x402 string) {
	id = r.ID
	value, err := canonical.ParseWhole(r.Document)
	if object, isObject := value.(map[string]any); err == nil && isObject {
		if text, err := canonical.Bytes(object); err == nil {
			document = hashText(text)
		}
		if url, _ := object["id"].(string); id == "" {
			if found := receiptInURL.FindStringSubmatch(url); found != nil {
				id = found[1]
			}
		}
	}
	if r.X402 != "" {
		x402 = hashText([]byte(r.X402))
	}
	return id, document, x402
}

// encodeReceipt returns the leaf of a receipt.
func encodeReceipt(id, document, x402 string) ([]byte, error) {
	members := map[string]any{"kind": string(ReceiptEntry), "v": json.Number("1"), "receipt": id, "document": document}
	if x402 != "" {
		members["x402"] = x402
	}
	if problem := entryProblem(members); problem != "" {
		return nil, refuse(Malformed, "%s", problem)
	}
	return canonical.Bytes(members)
}

func hashText(text []byte) string {
	hash := sha256.Sum256(text)
	return "0x" + hex.EncodeToString(hash[:])
}

// VerifiedEntry is an entry that is in a log.
type VerifiedEntry struct {
	VerifiedProof
	Entry Entry
}

// VerifyReceiptProof checks that a receipt is in a log. The proof's entry has to be about this receipt and have the hashes of
// its parts. The entry has to be in the tree of a trusted checkpoint. A proof without the entry (its extra line) needs
// the document. The signature of the receipt is not checked. The error is an *Error with a code.
func VerifyReceiptProof(proof string, receipt Receipt, trust Trust) (*VerifiedEntry, error) {
	read, err := parseProof(proof)
	if err != nil {
		return nil, err
	}
	id, document, x402 := receipt.parts()
	if document == "" && x402 == "" {
		return nil, refuse(OtherEntry, "nothing of the receipt was given")
	}
	leaf := read.extra
	if leaf == nil {
		if document == "" || id == "" {
			return nil, refuse(MalformedEntry, "the proof has no extra line")
		}
		if leaf, err = encodeReceipt(id, document, x402); err != nil {
			return nil, err
		}
	}
	entry, err := DecodeEntry(leaf)
	if err != nil {
		return nil, err
	}
	switch {
	case entry.Kind != ReceiptEntry:
		return nil, refuse(OtherEntry, "it is a %s", entry.Kind)
	case id != "" && entry.Receipt != id:
		return nil, refuse(OtherEntry, "it is about %s", entry.Receipt)
	case document != "" && entry.Document != document:
		return nil, refuse(OtherEntry, "the hash of the document differs")
	case x402 != "" && entry.X402 != x402:
		return nil, refuse(OtherEntry, "the hash of the x402 receipt differs")
	}
	return read.openEntry(leaf, entry, trust)
}

// VerifyRevocationProof checks that a receipt's revocation is in a log; the proof has the entry in its extra line.
func VerifyRevocationProof(proof, receiptID string, trust Trust) (*VerifiedEntry, error) {
	read, err := parseProof(proof)
	if err != nil {
		return nil, err
	}
	if read.extra == nil {
		return nil, refuse(MalformedEntry, "the proof has no extra line")
	}
	entry, err := DecodeEntry(read.extra)
	if err != nil {
		return nil, err
	}
	if entry.Kind != RevocationEntry || entry.Receipt != receiptID {
		return nil, refuse(OtherEntry, "it is a %s of %s", entry.Kind, entry.Receipt)
	}
	return read.openEntry(read.extra, entry, trust)
}
