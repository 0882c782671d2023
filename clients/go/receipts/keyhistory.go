package receipts

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

type keyHistory struct {
	keys    []KeyState
	hashes  []string
	signers []signedEntry
}

type signedEntry struct {
	seq int
	at  time.Time
	kid string
}

// followKeyLog follows a log from its first entry to its end.
func followKeyLog(entries []any) (*keyHistory, error) {
	history := &keyHistory{}
	last := time.Time{}
	for at, value := range entries {
		entry := value.(map[string]any)
		seq := at + 1
		if entry["seq"] != json.Number(fmt.Sprint(seq)) {
			return nil, refuse(KeyLogBroken, "entry %d is numbered %v", seq, entry["seq"])
		}
		var previous any
		if at > 0 {
			previous = history.hashes[at-1]
		}
		if entry["previous"] != previous {
			return nil, refuse(KeyLogBroken, "entry %d names another one before it", seq)
		}
		made := timeOf(entry, "at")
		if made.Before(last) {
			return nil, refuse(KeyLogBroken, "entry %d is older than the one before it", seq)
		}
		last = made
		if err := history.add(entry, seq, made); err != nil {
			return nil, err
		}
	}
	return history, nil
}

func (h *keyHistory) add(entry map[string]any, seq int, made time.Time) error {
	state := KeyState{
		KID: textOf(entry, "kid"), PublicKey: textOf(entry, "public_key"), NotBefore: timeOf(entry, "not_before"),
		RetiredAt: timeOrNil(entry, "retired_at"), CompromisedSince: timeOrNil(entry, "compromised_since"),
	}
	before := slices.IndexFunc(h.keys, func(key KeyState) bool { return key.KID == state.KID })
	var known *KeyState
	if before >= 0 {
		known = &h.keys[before]
	}
	action := textOf(entry, "action")
	if problem := h.changeProblem(action, state, known, made); problem != "" {
		return refuse(KeyLogBadChange, "entry %d: %s", seq, problem)
	}
	signer := h.signerOf(action, state, made)
	if signer == nil {
		return refuse(KeyLogForeignSigner, "no key could sign entry %d", seq)
	}
	if err := requireEntrySigned(entry, seq, *signer); err != nil {
		return err
	}
	h.signers = append(h.signers, signedEntry{seq: seq, at: made, kid: signer.KID})
	if known == nil {
		h.keys = append(h.keys, state)
	} else {
		*known = state
	}
	text, err := canonical.Bytes(entry)
	if err != nil {
		return refuse(Malformed, "%v", err)
	}
	sum := sha256.Sum256(text)
	h.hashes = append(h.hashes, "0x"+hex.EncodeToString(sum[:]))
	return nil
}

// signerOf returns the key that has to sign a change: the current key before the change. The first key signs itself. If a key
// is reported as compromised, the current one of the other keys signs.
func (h *keyHistory) signerOf(action string, own KeyState, at time.Time) *KeyState {
	if len(h.keys) == 0 {
		return &own
	}
	var current *KeyState
	for i := range h.keys {
		key := h.keys[i]
		isOther := action != "compromise" || key.KID != own.KID
		isInUse := key.CompromisedSince == nil && !key.NotBefore.After(at) && (key.RetiredAt == nil || !at.After(*key.RetiredAt))
		// If two keys began at the same time, the last added one counts.
		if isOther && isInUse && (current == nil || !key.NotBefore.Before(current.NotBefore)) {
			current = &key
		}
	}
	return current
}

func (h *keyHistory) changeProblem(action string, state KeyState, before *KeyState, at time.Time) string {
	if action == "add" {
		isKnown := slices.ContainsFunc(h.keys, func(key KeyState) bool { return key.PublicKey == state.PublicKey })
		switch {
		case before != nil || isKnown:
			return "the key is not new"
		case state.RetiredAt != nil || state.CompromisedSince != nil || state.NotBefore.Before(at):
			return "a new key must begin when it is added or later"
		}
		return ""
	}
	if before == nil {
		return "there is no " + state.KID
	}
	isSame := before.PublicKey == state.PublicKey && before.NotBefore.Equal(state.NotBefore)
	if action == "retire" {
		isOver := before.RetiredAt != nil && before.RetiredAt.Before(at)
		switch {
		case !isSame || !sameTime(before.CompromisedSince, state.CompromisedSince):
			return "the entry changes more than the retirement"
		case isOver || state.RetiredAt == nil || state.RetiredAt.Before(at):
			return "only a key in use can be retired, now or later"
		}
		return ""
	}
	since := state.CompromisedSince
	switch {
	case !isSame || !sameTime(before.RetiredAt, state.RetiredAt):
		return "the entry changes more than the retirement"
	case since == nil || since.After(at) || (before.CompromisedSince != nil && !since.Before(*before.CompromisedSince)):
		return "a key must be compromised since the entry's time or earlier"
	}
	return ""
}

func sameTime(a, b *time.Time) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Equal(*b))
}

func timeOrNil(object map[string]any, name string) *time.Time {
	if object[name] == nil {
		return nil
	}
	at := timeOf(object, name)
	return &at
}

// requireEntrySigned refuses unless the entry's proof is its signer's, named as a did:key.
func requireEntrySigned(entry map[string]any, seq int, signer KeyState) error {
	statement, value := splitProof(entry)
	proof, err := readProof(value)
	if err != nil {
		return err
	}
	id := "did:key:" + signer.PublicKey + "#" + signer.PublicKey
	if proof["verificationMethod"] != id {
		return refuse(KeyLogForeignSigner, "entry %d has to be signed by %s", seq, signer.KID)
	}
	bytes := decodeMultikey(signer.PublicKey)
	if bytes == nil {
		return refuse(KeyLogBadChange, "%s is no Ed25519 Multikey", signer.KID)
	}
	if proof["created"] != entry["at"] {
		return refuse(InvalidProof, "it was not made with its entry")
	}
	return requireProof(statement, proof, ed25519.PublicKey(bytes), id)
}

func (h *keyHistory) doubtful() []int {
	var found []int
	for _, entry := range h.signers {
		for _, key := range h.keys {
			if key.KID == entry.kid && key.CompromisedSince != nil && !entry.at.Before(*key.CompromisedSince) {
				found = append(found, entry.seq)
			}
		}
	}
	return found
}
