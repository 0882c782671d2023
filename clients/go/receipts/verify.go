package receipts

import (
	"context"
	"strings"
	"time"
)

// VerifyReceipt checks a settlement document: its exact form, its eddsa-jcs-2022 proof, the expected issuer's key at the time
// of signing, and its revocation. Pass the received text. The error is an *Error with a code.
func VerifyReceipt(ctx context.Context, text []byte, options Options) (*VerifiedDocument, error) {
	s, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return s.document(text)
}

// Result is the result for one receipt of VerifyReceipts: a document, an x402 receipt, or the error.
type Result struct {
	Document    *VerifiedDocument
	X402Receipt *VerifiedX402Receipt
	Err         error
}

// VerifyReceipts checks many receipts of one issuer: settlement documents and x402 receipts in any order. It fetches the
// issuer's keys and list of revoked receipts once. The results are in the order of the receipts.
func VerifyReceipts(ctx context.Context, texts [][]byte, options Options) []Result {
	results := make([]Result, len(texts))
	s, err := begin(ctx, options)
	for at, text := range texts {
		result := &results[at]
		switch {
		case err != nil:
			result.Err = err
		case isJWS(text):
			result.X402Receipt, result.Err = s.x402Receipt(text, X402Receipt{})
		default:
			result.Document, result.Err = s.document(text)
		}
	}
	return results
}

// isJWS reports whether a value is a JWS: it is not an object, or it is x402's envelope.
func isJWS(text []byte) bool {
	if !strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), "{") {
		return true
	}
	_, err := unwrapJWS(text, true)
	return err == nil
}

func (s *session) document(text []byte) (*VerifiedDocument, error) {
	statement, proof, err := readDocument(text)
	if err != nil {
		return nil, err
	}
	key, times, err := s.requireSigner(statement, proof)
	if err != nil {
		return nil, err
	}
	status, err := s.askStatus("id", textOf(statement, "id"))
	if err != nil {
		return nil, err
	}
	document, err := into[SettlementDocument](statement)
	if err != nil {
		return nil, err
	}
	verified := &VerifiedDocument{Document: document, Issuer: s.options.Issuer, KeyID: key.id, Status: status}
	if !key.leakedAt.IsZero() {
		verified.CompromisedSince = &key.leakedAt
		if err := s.requireWitness(verified, key, times); err != nil {
			return nil, err
		}
	}
	return verified, nil
}

// requireSigner refuses a document that the expected issuer did not sign, or that has a wrong time. It returns the key and the
// times of signing.
func (s *session) requireSigner(statement, proof map[string]any) (*issuerKey, []time.Time, error) {
	methodID := textOf(proof, "verificationMethod")
	if statement["issuer"] != s.options.Issuer {
		return nil, nil, refuse(ForeignIssuer, "it is %v", statement["issuer"])
	}
	if err := requireOwn(s.options.Issuer, methodID); err != nil {
		return nil, nil, err
	}
	keys, err := s.keys()
	if err != nil {
		return nil, nil, err
	}
	key, err := keys.find(methodID, multikey, assertion)
	if err != nil {
		return nil, nil, err
	}
	if err := requireProof(statement, proof, key.bytes, key.id); err != nil {
		return nil, nil, err
	}
	times := []time.Time{timeOf(statement, "issued_at"), timeOf(proof, "created")}
	return key, times, s.requireSigningTimes(key, times...)
}

// requireSigningTimes refuses a time out of the key's window, or in the future.
func (s *session) requireSigningTimes(key *issuerKey, times ...time.Time) error {
	for _, at := range times {
		if err := key.requireValidAt(at); err != nil {
			return err
		}
		if err := requirePast(at, s.options.now()); err != nil {
			return err
		}
	}
	return nil
}

// requireWitness refuses a document of a compromised key unless the chain confirms it. A thief can write any time into a
// document, so only an event of the known contract before the compromise counts.
func (s *session) requireWitness(verified *VerifiedDocument, key *issuerKey, times []time.Time) error {
	for _, at := range times {
		if !at.Before(key.leakedAt) {
			return key.requireUncompromised()
		}
	}
	witness := s.options.Witness
	if witness == nil {
		return key.requireUncompromised()
	}
	answer := ConfirmOnChain(s.ctx, verified, witness.Chain, ChainOptions{Contract: witness.Contract, Confirmations: witness.Confirmations})
	if !answer.Agrees {
		return refuse(KeyCompromised, "the chain does not bear it out: %v", answer.Err)
	}
	at, err := witness.Chain.BlockTime(s.ctx, verified.Document.BlockHash)
	if err != nil {
		return refuse(KeyCompromised, "the chain did not tell the block's time: %v", err)
	}
	if !at.Before(key.leakedAt) {
		return refuse(KeyCompromised, "the event is not from before the key was compromised")
	}
	return nil
}
