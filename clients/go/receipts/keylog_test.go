package receipts_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/earnest-market/earnest-go/internal/canonical"
	"github.com/earnest-market/earnest-go/receipts"
)

const issuer = "did:web:market.example"

type key struct {
	kid     string
	private ed25519.PrivateKey
}

func newKey(kid string) key {
	seed := sha256.Sum256([]byte(kid))
	return key{kid, ed25519.NewKeyFromSeed(seed[:])}
}

func (k key) public() []byte { return k.private.Public().(ed25519.PublicKey) }

func (k key) multikey() string { return base58(append([]byte{0xed, 0x01}, k.public()...)) }

func base58(data []byte) string {
	const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	number, digit, text := new(big.Int).SetBytes(data), new(big.Int), []byte{}
	for number.Sign() > 0 {
		number.DivMod(number, big.NewInt(58), digit)
		text = append(text, letters[digit.Int64()])
	}
	slices.Reverse(text)
	return "z" + string(text)
}

func hashOf(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := canonical.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	written, err := canonical.Bytes(parsed)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(written)
	return sum[:]
}

type entry = map[string]any

// log writes entries one after another, each signed by a key.
type log struct {
	t       *testing.T
	entries []entry
}

func (l *log) add(signer key, fields entry) *log {
	one := entry{"seq": len(l.entries) + 1, "retired_at": nil, "compromised_since": nil, "previous": nil}
	if len(l.entries) > 0 {
		one["previous"] = "0x" + hex.EncodeToString(hashOf(l.t, l.entries[len(l.entries)-1]))
	}
	for name, value := range fields {
		one[name] = value
	}
	proof := entry{
		"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "created": one["at"], "proofPurpose": "assertionMethod",
		"verificationMethod": "did:key:" + signer.multikey() + "#" + signer.multikey(),
	}
	message := append(hashOf(l.t, proof), hashOf(l.t, one)...)
	proof["proofValue"] = base58(ed25519.Sign(signer.private, message))
	one["proof"] = proof
	l.entries = append(l.entries, one)
	return l
}

func (l *log) text() []byte {
	text, err := json.Marshal(entry{"type": "KeyLog", "version": 1, "issuer": issuer, "entries": l.entries})
	if err != nil {
		l.t.Fatal(err)
	}
	return text
}

type state struct {
	key                  key
	from, until, revoked string
}

func didDocument(t *testing.T, states ...state) string {
	t.Helper()
	var methods []entry
	var assertions []string
	for _, s := range states {
		id := issuer + "#" + s.key.kid
		times := entry{"controller": issuer, "validFrom": s.from}
		if s.until != "" {
			times["validUntil"] = s.until
		}
		with := func(more entry) entry {
			for name, value := range times {
				more[name] = value
			}
			return more
		}
		multikey := with(entry{"id": id + "-mb", "type": "Multikey", "publicKeyMultibase": s.key.multikey()})
		methods = append(methods, multikey)
		if s.revoked != "" {
			multikey["revoked"] = s.revoked
			continue
		}
		x := base64.RawURLEncoding.EncodeToString(s.key.public())
		methods = append(methods, with(entry{"id": id, "type": "JsonWebKey", "publicKeyJwk": entry{"kty": "OKP", "crv": "Ed25519", "x": x}}))
		assertions = append(assertions, id, id+"-mb")
	}
	text, err := json.Marshal(entry{"id": issuer, "verificationMethod": methods, "assertionMethod": assertions,
		"service": []any{entry{"type": "KeyLog", "serviceEndpoint": "https://market.example/log.json"}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func day(n int) string { return fmt.Sprintf("2026-11-%02dT00:00:00.000Z", n) }

func TestKeyLogs(t *testing.T) {
	one, two, thief := newKey("key-1"), newKey("key-2"), newKey("thief")
	addOne := entry{"at": day(1), "action": "add", "kid": "key-1", "public_key": one.multikey(), "not_before": day(1)}
	addTwo := entry{"at": day(2), "action": "add", "kid": "key-2", "public_key": two.multikey(), "not_before": day(3)}
	retireOne := entry{"at": day(2), "action": "retire", "kid": "key-1", "public_key": one.multikey(), "not_before": day(1), "retired_at": day(4)}
	leakOne := entry{"at": day(5), "action": "compromise", "kid": "key-1", "public_key": one.multikey(), "not_before": day(1),
		"retired_at": day(4), "compromised_since": day(2)}
	changed := func(fields entry, name string, value any) entry {
		all := entry{}
		for name, value := range fields {
			all[name] = value
		}
		all[name] = value
		return all
	}
	start := func() *log { return (&log{t: t}).add(one, addOne) }
	rotated := func() *log { return start().add(one, addTwo).add(one, retireOne) }
	leaked := func() *log { return rotated().add(two, leakOne) }
	didOne := didDocument(t, state{key: one, from: day(1)})
	didRotated := didDocument(t, state{key: one, from: day(1), until: day(4)}, state{key: two, from: day(3)})
	didLeaked := didDocument(t, state{key: one, from: day(1), until: day(4), revoked: day(2)}, state{key: two, from: day(3)})
	tampered := rotated()
	tampered.entries[1]["at"] = day(1)
	cut := rotated()
	cut.entries = cut.entries[1:]

	cases := map[string]struct {
		did  string
		log  *log
		code receipts.Code
	}{
		"one key":                                {didOne, start(), ""},
		"a rotation":                             {didRotated, rotated(), ""},
		"a compromised key":                      {didLeaked, leaked(), ""},
		"a DID document behind the log":          {didOne, rotated(), receipts.KeyLogDiffers},
		"a DID document that keeps a leaked key": {didRotated, leaked(), receipts.KeyLogDiffers},
		"the first entry cut off":                {didRotated, cut, receipts.KeyLogBroken},
		"an entry that was changed":              {didRotated, tampered, receipts.InvalidProof},
		"an entry out of time":                   {didRotated, start().add(one, changed(addTwo, "at", "2026-10-31T00:00:00.000Z")), receipts.KeyLogBroken},
		"a first key that is another's":          {didOne, (&log{t: t}).add(thief, addOne), receipts.KeyLogForeignSigner},
		"a thief who adds a key":                 {didRotated, start().add(thief, addTwo), receipts.KeyLogForeignSigner},
		"a leaked key that reports itself":       {didLeaked, rotated().add(one, leakOne), receipts.KeyLogForeignSigner},
		"a key twice":                            {didRotated, start().add(one, changed(addTwo, "public_key", one.multikey())), receipts.KeyLogBadChange},
		"a kid twice":                            {didRotated, start().add(one, changed(addTwo, "kid", "key-1")), receipts.KeyLogBadChange},
		"a key that began before it was added":   {didRotated, start().add(one, changed(addTwo, "not_before", day(1))), receipts.KeyLogBadChange},
		"a key that nobody added is retired":     {didOne, start().add(one, changed(retireOne, "kid", "key-9")), receipts.KeyLogBadChange},
		"a key retired in the past":              {didOne, start().add(one, changed(retireOne, "retired_at", day(1))), receipts.KeyLogBadChange},
		"a retirement that changes more":         {didOne, start().add(one, changed(retireOne, "not_before", day(2))), receipts.KeyLogBadChange},
		"a compromise in the future":             {didLeaked, rotated().add(two, changed(leakOne, "compromised_since", day(9))), receipts.KeyLogBadChange},
		"an entry of the future":                 {didRotated, start().add(one, changed(changed(addTwo, "at", "2027-01-01T00:00:00.000Z"), "not_before", "2027-01-01T00:00:00.000Z")), receipts.IssuedInFuture},
		"an entry with a member more":            {didOne, (&log{t: t}).add(one, changed(addOne, "more", 1)), receipts.InvalidShape},
		"a Multikey form for a name":             {didOne, (&log{t: t}).add(one, changed(addOne, "kid", "key-1-mb")), receipts.InvalidShape},
		"an action that is none":                 {didOne, (&log{t: t}).add(one, changed(addOne, "action", "forget")), receipts.InvalidShape},
	}
	for name, one := range cases {
		t.Run(name, func(t *testing.T) {
			pages := map[string]page{"did": {Status: 200, Body: one.did}, "log": {Status: 200, Body: string(one.log.text())}}
			addresses := map[string]string{"https://market.example/.well-known/did.json": "did", "https://market.example/log.json": "log"}
			now, _ := time.Parse(time.RFC3339, day(20))
			options := receipts.Options{Issuer: issuer, Now: now, HTTPClient: &http.Client{Transport: network{addresses, pages}}}
			found, err := receipts.VerifyKeyLog(t.Context(), nil, options, "")
			if one.code != "" {
				if !errors.Is(err, one.code) {
					t.Errorf("%v instead of %s", err, one.code)
				}
				return
			}
			if err != nil || found.Entries != len(one.log.entries) {
				t.Fatalf("%+v, %v", found, err)
			}
			if wanted := map[bool][]int{true: {2, 3}, false: nil}[name == "a compromised key"]; !slices.Equal(found.Doubtful, wanted) {
				t.Errorf("doubtful: %v", found.Doubtful)
			}
			for at := range one.log.entries {
				pin := "0x" + hex.EncodeToString(hashOf(t, one.log.entries[at]))
				if _, err := receipts.VerifyKeyLog(t.Context(), one.log.text(), options, pin); err != nil {
					t.Errorf("pinned to entry %d: %v", at+1, err)
				}
			}
			if _, err := receipts.VerifyKeyLog(t.Context(), nil, options, "0x00"); !errors.Is(err, receipts.KeyLogRewritten) {
				t.Errorf("another history: %v", err)
			}
		})
	}
}

func TestNoTextMakesAVerifierPanic(t *testing.T) {
	texts := []string{"", "null", "1", `""`, "[]", "{}", `{"type": {}}`, `{"type": "SettlementDocument", "version": {}}`,
		`{"type": "SettlementDocument", "version": [1], "proof": []}`, `{"type": "KeyLog"}`, "a.b.c", "..", "\xff", `{"format": "jws", "signature": 1}`}
	pages := map[string]page{"did": {Status: 200, Body: `{"id": "did:web:market.example", "verificationMethod": [[]], "assertionMethod": [{}]}`}}
	options := receipts.Options{Issuer: issuer, HTTPClient: &http.Client{Transport: network{map[string]string{"https://market.example/.well-known/did.json": "did"}, pages}}}
	for _, text := range texts {
		_, first := receipts.VerifyReceipt(t.Context(), []byte(text), options)
		_, second := receipts.VerifyX402Receipt(t.Context(), []byte(text), options, receipts.X402Receipt{})
		_, third := receipts.VerifyX402Offer(t.Context(), []byte(text), options, receipts.X402Offer{})
		_, fourth := receipts.VerifyKeyLog(t.Context(), []byte(text), options, "")
		for _, err := range []error{first, second, third, fourth} {
			var refusal *receipts.Error
			if !errors.As(err, &refusal) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}
