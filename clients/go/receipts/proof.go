package receipts

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// clockSkew is how far another clock may be ahead of ours.
const clockSkew = time.Minute

var proofShape = shape{
	"type": literal("DataIntegrityProof"), "cryptosuite": literal("eddsa-jcs-2022"), "created": isTime,
	"verificationMethod": shortText(640), "proofPurpose": literal("assertionMethod"), "proofValue": shortText(128),
}

// readTyped reads a signed document from its text.
func readTyped(text []byte, kind string, most int) (map[string]any, error) {
	if charactersOf(string(text)) > most {
		return nil, refuse(TooLarge, "it has more than %d characters", most)
	}
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	object, isObject := value.(map[string]any)
	if !isObject || object["type"] != kind {
		return nil, refuse(WrongKind, "its type is not %s", kind)
	}
	return object, nil
}

// splitProof takes the proof out of a document.
func splitProof(document map[string]any) (statement map[string]any, proof any) {
	statement = maps.Clone(document)
	delete(statement, "proof")
	return statement, document["proof"]
}

// readProof accepts a proof of our one form.
func readProof(value any) (map[string]any, error) {
	if value == nil {
		return nil, refuse(MissingProof, "it carries no proof")
	}
	proof, isObject := value.(map[string]any)
	if !isObject {
		return nil, refuse(InvalidProof, "it is not one object")
	}
	if proof["type"] != "DataIntegrityProof" || proof["cryptosuite"] != "eddsa-jcs-2022" {
		return nil, refuse(UnsupportedCryptosuite, "it is no DataIntegrityProof of eddsa-jcs-2022")
	}
	if proof["proofPurpose"] != "assertionMethod" {
		return nil, refuse(WrongProofPurpose, "it is for %v", proof["proofPurpose"])
	}
	if problem := proofShape.problem(proof); problem != "" {
		return nil, refuse(InvalidProof, "%s", problem)
	}
	return proof, nil
}

// requireProof refuses unless the proof (eddsa-jcs-2022) is of the key and of this statement. The signature covers the hash of
// the proof without its value, and the hash of the document without its proof. Source: https://www.w3.org/TR/vc-di-eddsa/
func requireProof(statement, proof map[string]any, key ed25519.PublicKey, keyID string) error {
	value, isBase58 := strings.CutPrefix(textOf(proof, "proofValue"), "z")
	signature := decodeBase58(value)
	if !isBase58 || len(signature) != ed25519.SignatureSize {
		return refuse(InvalidEncoding, "proofValue is not base58btc of 64 bytes")
	}
	options := maps.Clone(proof)
	delete(options, "proofValue")
	var message []byte
	for _, part := range []map[string]any{options, statement} {
		text, err := canonical.Bytes(part)
		if err != nil {
			return refuse(Malformed, "%v", err)
		}
		hash := sha256.Sum256(text)
		message = append(message, hash[:]...)
	}
	return requireSignature(signature, message, key, keyID)
}

func requireSignature(signature, message []byte, key ed25519.PublicKey, keyID string) error {
	if !ed25519.Verify(key, message, signature) {
		return refuse(InvalidSignature, "the key is %s", keyID)
	}
	return nil
}

// requirePast refuses a time in the future, beyond the clock skew.
func requirePast(at, now time.Time) error {
	if at.After(now.Add(clockSkew)) {
		return refuse(IssuedInFuture, "it is %s", at.Format(time.RFC3339Nano))
	}
	return nil
}

const base58Letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// decodeBase58 reads Bitcoin's alphabet. It returns nil for any other text.
func decodeBase58(text string) []byte {
	number, radix := new(big.Int), big.NewInt(58)
	for _, letter := range text {
		digit := strings.IndexRune(base58Letters, letter)
		if digit < 0 {
			return nil
		}
		number.Add(number.Mul(number, radix), big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, "1"))
	return append(bytes.Repeat([]byte{0}, zeros), number.Bytes()...)
}

func encodeBase58(data []byte) string {
	number, radix, digit := new(big.Int).SetBytes(data), big.NewInt(58), new(big.Int)
	var letters []byte
	for number.Sign() > 0 {
		number.DivMod(number, radix, digit)
		letters = append(letters, base58Letters[digit.Int64()])
	}
	for _, one := range data {
		if one != 0 {
			break
		}
		letters = append(letters, '1')
	}
	slices.Reverse(letters)
	return string(letters)
}
