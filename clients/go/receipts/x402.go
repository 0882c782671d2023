package receipts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// X402Receipt is the payload of an x402 receipt: paid and delivered.
type X402Receipt struct {
	Version int    `json:"version"`
	Network string `json:"network"`
	// ResourceURL is the order's own URL.
	ResourceURL string `json:"resourceUrl"`
	Payer       string `json:"payer"`
	// IssuedAt is in Unix seconds.
	IssuedAt    int64  `json:"issuedAt"`
	Transaction string `json:"transaction"`
}

// X402Offer is the payload of an x402 offer: the terms of a 402 response.
type X402Offer struct {
	Version     int    `json:"version"`
	ResourceURL string `json:"resourceUrl"`
	Scheme      string `json:"scheme"`
	Network     string `json:"network"`
	Asset       string `json:"asset"`
	PayTo       string `json:"payTo"`
	// Base units.
	Amount string `json:"amount"`
	// Unix seconds.
	ValidUntil int64 `json:"validUntil"`
}

// VerifiedX402Receipt is a receipt with a good signature.
type VerifiedX402Receipt struct {
	Receipt X402Receipt
	Issuer  string
	KeyID   string
	Status  Status
}

// VerifiedX402Offer is an unexpired offer with a good signature.
type VerifiedX402Offer struct {
	Offer  X402Offer
	Issuer string
	KeyID  string
}

const (
	mostJWSCharacters = 16_384
	mostUnixSeconds   = 253_402_300_799
)

var receiptPayload = shape{
	"version": literal(json.Number("1")), "network": isChain, "resourceUrl": isURL, "payer": isAddress,
	"issuedAt": wholeNumber(1, mostUnixSeconds), "transaction": isHash,
}

var offerPayload = shape{
	"version": literal(json.Number("1")), "resourceUrl": isURL, "scheme": pattern(`[a-z0-9-]{1,32}`), "network": isChain,
	"asset": isAddress, "payTo": isAddress, "amount": isAmount, "validUntil": wholeNumber(1, mostUnixSeconds),
}

var (
	jwsHeader     = shape{"alg": literal("EdDSA"), "kid": shortText(640)}
	jwsEnvelope   = shape{"format": literal("jws"), "signature": isText}
	offerEnvelope = jwsEnvelope.with(shape{"acceptIndex": wholeNumber(0, mostSafe)})
)

// VerifyX402Receipt checks an x402 receipt: a compact JWS, or x402's {"format": "jws", "signature": ...}. The fields of known
// that are not empty must be the signed ones.
func VerifyX402Receipt(ctx context.Context, text []byte, options Options, known X402Receipt) (*VerifiedX402Receipt, error) {
	s, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return s.x402Receipt(text, known)
}

func (s *session) x402Receipt(text []byte, known X402Receipt) (*VerifiedX402Receipt, error) {
	expected := map[string]string{
		"network": known.Network, "resourceUrl": known.ResourceURL, "payer": known.Payer, "transaction": known.Transaction,
	}
	payload, key, jws, err := s.readJWS(text, true, expected)
	if err != nil {
		return nil, err
	}
	receipt, err := into[X402Receipt](payload)
	if err != nil {
		return nil, err
	}
	if err := s.requireSigningTimes(key, time.Unix(receipt.IssuedAt, 0)); err != nil {
		return nil, err
	}
	if err := key.requireUncompromised(); err != nil {
		return nil, err
	}
	status, err := s.askStatus("x402_sha256", hashJWS(jws))
	if err != nil {
		return nil, err
	}
	return &VerifiedX402Receipt{Receipt: receipt, Issuer: s.options.Issuer, KeyID: key.id, Status: status}, nil
}

// VerifyX402Offer checks an x402 offer and its expiry. An offer has no time of signing, so its key must be valid at the time of
// the check.
func VerifyX402Offer(ctx context.Context, text []byte, options Options, known X402Offer) (*VerifiedX402Offer, error) {
	s, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	expected := map[string]string{
		"network": known.Network, "resourceUrl": known.ResourceURL, "scheme": known.Scheme, "asset": known.Asset,
		"payTo": known.PayTo, "amount": known.Amount,
	}
	payload, key, _, err := s.readJWS(text, false, expected)
	if err != nil {
		return nil, err
	}
	offer, err := into[X402Offer](payload)
	if err != nil {
		return nil, err
	}
	if err := key.requireValidAt(s.options.now()); err != nil {
		return nil, err
	}
	if err := key.requireUncompromised(); err != nil {
		return nil, err
	}
	if until := time.Unix(offer.ValidUntil, 0); s.options.now().After(until) {
		return nil, refuse(OfferExpired, "it stood until %s", until.UTC().Format(time.RFC3339))
	}
	return &VerifiedX402Offer{Offer: offer, Issuer: s.options.Issuer, KeyID: key.id}, nil
}

// readJWS reads a compact JWS of one kind. It checks that the expected issuer's key signed it, about a resource of the issuer.
// It does not check the key's time.
func (s *session) readJWS(text []byte, isReceipt bool, expected map[string]string) (map[string]any, *issuerKey, string, error) {
	fail := func(err error) (map[string]any, *issuerKey, string, error) { return nil, nil, "", err }
	jws, err := unwrapJWS(text, isReceipt)
	if err != nil {
		return fail(err)
	}
	parts := strings.Split(jws, ".")
	if len(parts) != 3 {
		return fail(refuse(Malformed, "a compact JWS has three parts"))
	}
	kid, err := readHeader(parts[0])
	if err != nil {
		return fail(err)
	}
	content, err := decodePart(parts[1], "payload")
	if err != nil {
		return fail(err)
	}
	payload, _ := content.(map[string]any)
	wanted := offerPayload
	if isReceipt {
		wanted = receiptPayload
	}
	if kindOf(payload) != map[bool]string{true: "receipt", false: "offer"}[isReceipt] {
		return fail(refuse(WrongKind, "it is another kind of JWS"))
	}
	if problem := wanted.problem(payload); problem != "" {
		return fail(refuse(InvalidShape, "%s", problem))
	}
	if resource := textOf(payload, "resourceUrl"); !isBelow(s.base, resource) {
		return fail(refuse(ForeignResource, "it is %s", resource))
	}
	signature := decodeBase64url(parts[2])
	if len(signature) != 64 {
		return fail(refuse(InvalidEncoding, "the signature is not base64url of 64 bytes"))
	}
	if err := requireOwn(s.options.Issuer, kid); err != nil {
		return fail(err)
	}
	keys, err := s.keys()
	if err != nil {
		return fail(err)
	}
	key, err := keys.find(kid, jsonWebKey, assertion)
	if err != nil {
		return fail(err)
	}
	if err := requireSignature(signature, []byte(parts[0]+"."+parts[1]), key.bytes, key.id); err != nil {
		return fail(err)
	}
	for name, value := range expected {
		if signed := fmt.Sprint(payload[name]); value != "" && value != signed {
			return fail(refuse(UnexpectedValue, "%s is %s, expected %s", name, signed, value))
		}
	}
	return payload, key, jws, nil
}

// unwrapJWS takes the JWS out of x402's envelope, where there is one.
func unwrapJWS(text []byte, isReceipt bool) (string, error) {
	jws := string(text)
	if strings.HasPrefix(strings.TrimLeft(jws, " \t\r\n"), "{") {
		value, err := canonical.Parse(text)
		envelope, _ := value.(map[string]any)
		_, indexed := envelope["acceptIndex"]
		isGood := jwsEnvelope.check(value) || (!isReceipt && indexed && offerEnvelope.check(value))
		if err != nil || !isGood {
			return "", refuse(WrongKind, "it is a JSON document, not a compact JWS")
		}
		jws = textOf(envelope, "signature")
		if strings.HasPrefix(strings.TrimLeft(jws, " \t\r\n"), "{") {
			return "", refuse(WrongKind, "it is a JSON document, not a compact JWS")
		}
	}
	if charactersOf(jws) > mostJWSCharacters {
		return "", refuse(TooLarge, "it has more than %d characters", mostJWSCharacters)
	}
	return jws, nil
}

// readHeader returns the kid of the header. It refuses every other member: no embedded key, no typ, no crit.
func readHeader(part string) (string, error) {
	value, err := decodePart(part, "header")
	if err != nil {
		return "", err
	}
	header, isObject := value.(map[string]any)
	_, isList := value.([]any)
	if _, has := header["crit"]; has {
		return "", refuse(UnsupportedCriticalHeader, "it names critical header parameters")
	}
	if (isObject || isList) && header["alg"] != "EdDSA" {
		return "", refuse(UnsupportedAlgorithm, "it is %v", header["alg"])
	}
	if problem := jwsHeader.problem(value); problem != "" {
		return "", refuse(InvalidShape, "%s", problem)
	}
	return textOf(header, "kid"), nil
}

func decodePart(part, name string) (any, error) {
	text := decodeBase64url(part)
	if text == nil {
		return nil, refuse(InvalidEncoding, "the %s is not canonical base64url", name)
	}
	if !utf8.Valid(text) {
		return nil, refuse(Malformed, "the %s is not UTF-8", name)
	}
	return parseJSON(text)
}

// kindOf tells offers and receipts apart: they share one form of JWS without a type, so their own fields must.
func kindOf(payload map[string]any) string {
	has := func(names ...string) bool {
		for _, name := range names {
			if _, has := payload[name]; has {
				return true
			}
		}
		return false
	}
	switch {
	case has("scheme", "payTo", "validUntil"):
		return "offer"
	case has("payer", "issuedAt"):
		return "receipt"
	default:
		return ""
	}
}
