package receipts

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

// method is a verification method of a DID document.
type method struct {
	id, kind, controller string
	multibase            *string
	jwk                  map[string]any
	from, until, revoked time.Time
}

// keySet has the keys and the services of an issuer's DID document.
type keySet struct {
	issuer  string
	base    string
	methods []method
	// purposes has the names of the methods, or the methods, by purpose.
	purposes map[string][]any
	services []any
}

// issuerKey is a public key of the issuer, and the time of its valid signatures. A zero time is no bound.
type issuerKey struct {
	id                              string
	bytes                           ed25519.PublicKey
	validFrom, validUntil, leakedAt time.Time
}

var methodShape = map[string]check{
	"id": isText, "type": isText, "controller": isText,
}
var optionalMethodShape = map[string]check{
	"publicKeyMultibase": isText, "validFrom": isTime, "validUntil": isTime, "revoked": isTime,
	"publicKeyJwk": func(value any) bool {
		jwk, isObject := value.(map[string]any)
		return isObject && isText(jwk["kty"]) && isTextOrNone(jwk, "crv") && isTextOrNone(jwk, "x")
	},
}

func isText(value any) bool {
	_, isText := value.(string)
	return isText
}

func isTextOrNone(object map[string]any, name string) bool {
	value, has := object[name]
	return !has || isText(value)
}

func (s *session) fetchKeySet() (*keySet, error) {
	text, err := s.fetch(didDocumentURL(s.options.Issuer), mostDIDBytes)
	if err != nil {
		return nil, refuse(KeysUnavailable, "%v", err)
	}
	value, err := parseJSON(text)
	document, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, refuse(InvalidKeyDocument, "it is no DID document")
	}
	if textOf(document, "id") != s.options.Issuer {
		return nil, refuse(InvalidKeyDocument, "it describes %v", document["id"])
	}
	listed, hasMethods := document["verificationMethod"].([]any)
	assertions, hasAssertions := document[assertion].([]any)
	authentications, _ := document[authentication].([]any)
	if !hasMethods || !hasAssertions {
		return nil, refuse(InvalidKeyDocument, "it lists no methods that can be read")
	}
	set := &keySet{
		issuer: s.options.Issuer, base: s.base,
		purposes: map[string][]any{assertion: assertions, authentication: authentications},
	}
	set.services, _ = document["service"].([]any)
	for _, one := range listed {
		read, isGood := readMethod(one)
		if !isGood {
			return nil, refuse(InvalidKeyDocument, "it lists a method that cannot be read")
		}
		set.methods = append(set.methods, read)
	}
	return set, nil
}

func readMethod(value any) (method, bool) {
	object, isObject := value.(map[string]any)
	if !isObject {
		return method{}, false
	}
	for name, isGood := range methodShape {
		if !isGood(object[name]) {
			return method{}, false
		}
	}
	for name, isGood := range optionalMethodShape {
		if member, has := object[name]; has && !isGood(member) {
			return method{}, false
		}
	}
	read := method{
		id: textOf(object, "id"), kind: textOf(object, "type"), controller: textOf(object, "controller"),
		from: timeOf(object, "validFrom"), until: timeOf(object, "validUntil"), revoked: timeOf(object, "revoked"),
	}
	read.jwk, _ = object["publicKeyJwk"].(map[string]any)
	if text, has := object["publicKeyMultibase"].(string); has {
		read.multibase = &text
	}
	return read, true
}

// requireOwn refuses a method whose name is not the issuer's, so nothing is fetched for another issuer.
func requireOwn(issuer, methodID string) error {
	if !strings.HasPrefix(methodID, issuer+"#") {
		return refuse(ForeignKey, "it is %s", methodID)
	}
	return nil
}

const (
	jsonWebKey = "JsonWebKey"
	multikey   = "Multikey"

	assertion = "assertionMethod"
	// The keys that sign requests have this purpose.
	authentication = "authentication"
)

// find takes the named method from the issuer's own. The name may come from a receipt: it only chooses among them, and each
// kind of receipt uses one form of key.
func (k *keySet) find(methodID, form, purpose string) (*issuerKey, error) {
	named, err := k.method(methodID)
	if err != nil {
		return nil, err
	}
	if named != nil && slices.Contains(k.purposes[purpose], any(methodID)) {
		return k.read(named, form)
	}
	// A compromised key has no purpose, and is listed as a Multikey only.
	as, err := k.method(methodID + "-mb")
	if err != nil {
		return nil, err
	}
	if named != nil && !named.revoked.IsZero() {
		return k.read(named, form)
	}
	if as != nil && !as.revoked.IsZero() {
		found, err := k.read(as, multikey)
		if err != nil {
			return nil, err
		}
		found.id = methodID
		return found, nil
	}
	return nil, refuse(UnknownKey, "it is %s", methodID)
}

func (k *keySet) method(id string) (*method, error) {
	var found *method
	for at := range k.methods {
		if k.methods[at].id != id {
			continue
		}
		if found != nil {
			return nil, refuse(InvalidKeyDocument, "it lists %s twice", id)
		}
		found = &k.methods[at]
	}
	return found, nil
}

func (k *keySet) read(m *method, form string) (*issuerKey, error) {
	if m.kind != form || m.controller != k.issuer {
		return nil, refuse(UnknownKey, "%s is no %s of the issuer's own", m.id, form)
	}
	var bytes []byte
	if form == multikey && m.multibase != nil {
		bytes = decodeMultikey(*m.multibase)
	} else if form == jsonWebKey && textOf(m.jwk, "kty") == "OKP" && textOf(m.jwk, "crv") == "Ed25519" {
		bytes = decodeBase64url(textOf(m.jwk, "x"))
	}
	if len(bytes) != ed25519.PublicKeySize {
		return nil, refuse(InvalidKeyDocument, "%s is no Ed25519 key", m.id)
	}
	return &issuerKey{id: m.id, bytes: bytes, validFrom: m.from, validUntil: m.until, leakedAt: m.revoked}, nil
}

// service returns the address of a service of the issuer, or "" if the document names none on the issuer's own host.
func (k *keySet) service(kind string) string {
	for _, value := range k.services {
		service, _ := value.(map[string]any)
		endpoint, isText := service["serviceEndpoint"].(string)
		kinds, isList := service["type"].([]any)
		if !isList {
			kinds = []any{service["type"]}
		}
		if !isText || !slices.Contains(kinds, any(kind)) {
			continue
		}
		if strings.HasPrefix(endpoint, k.base+"/") {
			return endpoint
		}
		return ""
	}
	return ""
}

// requireValidAt refuses a signature from outside the key's time. Both ends belong to the time.
func (k *issuerKey) requireValidAt(at time.Time) error {
	if !k.validFrom.IsZero() && at.Before(k.validFrom) {
		return refuse(KeyNotYetValid, "%s is valid from %s", k.id, k.validFrom.Format(time.RFC3339Nano))
	}
	if !k.validUntil.IsZero() && at.After(k.validUntil) {
		return refuse(KeyRetired, "%s was retired at %s", k.id, k.validUntil.Format(time.RFC3339Nano))
	}
	return nil
}

// requireUncompromised refuses signatures of a compromised key, which prove nothing alone.
func (k *issuerKey) requireUncompromised() error {
	if k.leakedAt.IsZero() {
		return nil
	}
	return refuse(KeyCompromised, "%s is compromised since %s", k.id, k.leakedAt.Format(time.RFC3339Nano))
}

// decodeMultikey returns the 32 bytes of an Ed25519 Multikey, or nil.
func decodeMultikey(text string) []byte {
	rest, isBase58 := strings.CutPrefix(text, "z")
	if !isBase58 || len(text) > 64 {
		return nil
	}
	bytes := decodeBase58(rest)
	if len(bytes) != 34 || bytes[0] != 0xed || bytes[1] != 0x01 {
		return nil
	}
	return bytes[2:]
}

// decodeBase64url accepts the only spelling of some bytes, without padding and line breaks. It returns nil for any other text.
func decodeBase64url(text string) []byte {
	if strings.ContainsAny(text, "\r\n") {
		return nil
	}
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return bytes
}
