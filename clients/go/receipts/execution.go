package receipts

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/earnest-market/earnest-go/internal/headers"
)

// The reasons to refuse a request, beside the codes of keys and signatures.
const (
	MissingSignature Code = "missing_signature"
	WrongSignature   Code = "wrong_signature"
	WrongDigest      Code = "wrong_digest"
	ForeignAgent     Code = "foreign_agent"
	Expired          Code = "expired"
)

// ExecutionVerifier checks the requests by which the service has orders executed at your endpoint (RFC 9421). It is safe for
// use by several goroutines, and keeps the issuer's keys for five minutes: make one, and use it for all requests.
type ExecutionVerifier struct {
	// Options has Issuer, Now and HTTPClient. Its other fields are for receipts.
	Options Options
	// Endpoint is your endpoint exactly as the service shows it. A path that a proxy rewrote does not count.
	Endpoint string
	// The ids of your agents. Anybody can name your endpoint for a service of their own.
	Agents []string

	mutex  sync.Mutex
	kept   *keySet
	keptAt time.Time
}

// ExecutionOrder is an order to execute.
type ExecutionOrder struct {
	ExecutionID string `json:"execution_id"`
	// Attempt counts the tries, from 1.
	Attempt        int             `json:"attempt"`
	OrderID        string          `json:"order_id"`
	Reference      string          `json:"reference"`
	AgentID        string          `json:"agent_id"`
	ServiceID      string          `json:"service_id"`
	Quantity       int64           `json:"quantity"`
	InputPayload   json.RawMessage `json:"input_payload"`
	OrderHash      string          `json:"order_hash"`
	ChainID        uint64          `json:"chain_id"`
	EscrowContract string          `json:"escrow_contract"`
	EscrowID       string          `json:"escrow_id"`
	DeliverBy      *time.Time      `json:"deliver_by"`
	AnswerBy       time.Time       `json:"answer_by"`
	// Revision is set if the buyer requested changes of a delivery.
	Revision *struct {
		Reason *string `json:"reason"`
	} `json:"revision"`
	// DeliveryRecord is signed by the payout wallet once outputHash is added. It is null if nothing can be recorded.
	DeliveryRecord json.RawMessage `json:"delivery_record"`
}

// VerifiedExecution is a request of the service for an order of your own agent.
type VerifiedExecution struct {
	Order ExecutionOrder
	// IdempotencyKey is the same for each try: do the work once, and give the same answer again.
	IdempotencyKey string
	// Nonce differs between the tries.
	Nonce string
	// The DID URL of the signing key.
	KeyID string
}

const (
	validSeconds    = 300
	keysKept        = 5 * time.Minute
	keysAskedAgain  = 10 * time.Second
	mostSignedField = 8192
	coveredFields   = `"@method" "@target-uri" "content-digest" "content-type" "idempotency-key"`
)

var (
	// This is our member of Signature-Input. A plain quotation mark cannot be part of another member's text.
	inputMember = regexp.MustCompile(
		`(?:^|,)[ \t]*earnest=(\(([a-z"@ -]*)\)((?:;[a-z]+=(?:[0-9]{1,15}|"[!#-\[\]-~ ]{0,512}"))*))[ \t]*(,|$)`)
	signatureMember = regexp.MustCompile(`(?:^|,)[ \t]*earnest=:([A-Za-z0-9+/=]{88}):[ \t]*(,|$)`)
	inputParameter  = regexp.MustCompile(`;([a-z]+)=(?:([0-9]+)|"([^"]*)")`)
)

// Verify checks a request to your endpoint. The signature covers method, endpoint, body and Idempotency-Key. It is at most
// five minutes old, by an authentication key of the issuer's DID document, and for an order of your own agent. Pass the body's
// received bytes. The error is an *Error with a code: answer 401 and do nothing else.
//
//	checked, err := verifier.Verify(r.Context(), r.Method, r.Header, body)
func (v *ExecutionVerifier) Verify(ctx context.Context, method string, header http.Header, body []byte) (*VerifiedExecution, error) {
	s, err := begin(ctx, v.Options)
	if err != nil {
		return nil, err
	}
	input, err := readInput(header)
	if err != nil {
		return nil, err
	}
	signature, err := readSignature(header)
	if err != nil {
		return nil, err
	}
	if err := requireOwn(v.Options.Issuer, input.keyID); err != nil {
		return nil, err
	}
	distance := v.Options.now().Unix() - input.created
	if max(distance, -distance) > validSeconds || input.expires < input.created {
		return nil, refuse(Expired, "the request was not signed within the last five minutes")
	}
	hash := sha256.Sum256(body)
	if fieldOf(header, "content-digest") != "sha-256=:"+base64.StdEncoding.EncodeToString(hash[:])+":" {
		return nil, refuse(WrongDigest, "the body is not the one that Content-Digest names")
	}
	base, err := signatureBase(input.params, method, v.Endpoint, header)
	if err != nil {
		return nil, err
	}
	key, err := v.findKey(s, input.keyID)
	if err != nil {
		return nil, err
	}
	if err := key.requireUncompromised(); err != nil {
		return nil, err
	}
	if err := key.requireValidAt(time.Unix(input.created, 0)); err != nil {
		return nil, err
	}
	if err := requireSignature(signature, []byte(base), key.bytes, key.id); err != nil {
		return nil, err
	}
	checked := &VerifiedExecution{IdempotencyKey: fieldOf(header, "idempotency-key"), Nonce: input.nonce, KeyID: key.id}
	if err := json.Unmarshal(body, &checked.Order); err != nil {
		return nil, refuse(Malformed, "%v", err)
	}
	if !slices.Contains(v.Agents, checked.Order.AgentID) {
		return nil, refuse(ForeignAgent, "the order is of the agent %s, which is not yours", checked.Order.AgentID)
	}
	return checked, nil
}

// findKey reads the issuer's keys again if it does not know the key, which may be new. Made-up names cause few of these reads.
func (v *ExecutionVerifier) findKey(s *session, keyID string) (*issuerKey, error) {
	key, err := v.findKept(s, keyID, keysKept)
	if errors.Is(err, UnknownKey) {
		return v.findKept(s, keyID, keysAskedAgain)
	}
	return key, err
}

func (v *ExecutionVerifier) findKept(s *session, keyID string, mostAge time.Duration) (*issuerKey, error) {
	keys, err := v.keys(s, mostAge)
	if err != nil {
		return nil, err
	}
	return keys.find(keyID, jsonWebKey, authentication)
}

func (v *ExecutionVerifier) keys(s *session, mostAge time.Duration) (*keySet, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.kept != nil && v.kept.issuer == v.Options.Issuer && time.Since(v.keptAt) < mostAge {
		return v.kept, nil
	}
	keys, err := s.fetchKeySet()
	if err == nil {
		v.kept, v.keptAt = keys, time.Now()
	}
	return keys, err
}

// signedInput is our signature's entry of Signature-Input.
type signedInput struct {
	params           string
	created, expires int64
	nonce, keyID     string
}

func readInput(header http.Header) (signedInput, error) {
	member, isOne := onlyMember(inputMember, fieldOf(header, "signature-input"))
	if !isOne {
		return signedInput{}, refuse(MissingSignature, "the request has no one signature named earnest")
	}
	values := map[string]string{}
	numbers := map[string]int64{}
	for _, one := range inputParameter.FindAllStringSubmatch(member[3], -1) {
		name, number := one[1], one[2]
		delete(values, name)
		delete(numbers, name)
		if number == "" {
			values[name] = one[3]
		} else {
			// At most 15 digits.
			numbers[name], _ = strconv.ParseInt(number, 10, 64)
		}
	}
	created, hasCreated := numbers["created"]
	expires, hasExpires := numbers["expires"]
	nonce, hasNonce := values["nonce"]
	keyID, hasKeyID := values["keyid"]
	isWhole := hasCreated && hasExpires && hasNonce && hasKeyID
	if !isWhole || member[2] != coveredFields || values["alg"] != "ed25519" || values["tag"] != "earnest-execution" {
		return signedInput{}, refuse(WrongSignature, "the signature is not of the form that executions have")
	}
	return signedInput{member[1], created, expires, nonce, keyID}, nil
}

func readSignature(header http.Header) ([]byte, error) {
	member, isOne := onlyMember(signatureMember, fieldOf(header, "signature"))
	if !isOne {
		return nil, refuse(MissingSignature, "the request has no Signature of the service's")
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(member[1])
	if err != nil {
		return nil, refuse(Malformed, "%v", err)
	}
	return signature, nil
}

// onlyMember returns our member of a list, unless the list has none or several.
func onlyMember(member *regexp.Regexp, field string) ([]string, bool) {
	field = field[:min(len(field), mostSignedField)]
	found := member.FindStringSubmatchIndex(field)
	if found == nil {
		return nil, false
	}
	parts := make([]string, len(found)/2)
	for at := range parts {
		if found[2*at] >= 0 {
			parts[at] = field[found[2*at]:found[2*at+1]]
		}
	}
	// The next member begins at the comma that ends this member.
	comma := found[len(found)-2]
	return parts, !member.MatchString(field[comma:])
}

// signatureBase is the text that is signed (RFC 9421, 2.5).
func signatureBase(params, method, endpoint string, header http.Header) (string, error) {
	var lines []string
	for _, quoted := range strings.Split(coveredFields, " ") {
		name := strings.Trim(quoted, `"`)
		value := map[string]string{"@method": method, "@target-uri": endpoint}[name]
		if !strings.HasPrefix(name, "@") {
			if len(headers.Values(header, name)) == 0 {
				return "", refuse(WrongSignature, "the request has no %s", name)
			}
			value = strings.Trim(fieldOf(header, name), " \t")
		}
		if strings.ContainsAny(value, "\r\n") {
			return "", refuse(WrongSignature, "the header %s has a line break in it", name)
		}
		lines = append(lines, quoted+": "+value)
	}
	return strings.Join(append(lines, `"@signature-params": `+params), "\n"), nil
}

// fieldOf returns the value of a field. Repeated fields are one list.
func fieldOf(header http.Header, name string) string {
	return strings.Join(headers.Values(header, name), ", ")
}
