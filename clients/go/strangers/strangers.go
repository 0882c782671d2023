// Package strangers checks the log of receipts with other people's libraries alone: the Go project's own signed notes
// and trees, and those of the transparency.dev project. Nothing of Earnest is imported.
package strangers

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/transparency-dev/formats/log"
	formatsnote "github.com/transparency-dev/formats/note"
	formatsproof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

// Verifier reads a verifier key: a log's (type 1), or a witness's (type 4).
func Verifier(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) == 3 {
		key, err := base64.StdEncoding.DecodeString(parts[2])
		if err == nil && len(key) > 0 && key[0] == 4 {
			return formatsnote.NewVerifierForCosignatureV1(vkey)
		}
	}
	return note.NewVerifier(vkey)
}

// OpenCheckpoint checks a checkpoint's signature by the log, and the cosignatures of witnesses.
// It returns the tree, and the names of the witnesses who cosigned it.
func OpenCheckpoint(text, vkey string, witnesses ...string) (*log.Checkpoint, []string, error) {
	verifier, err := Verifier(vkey)
	if err != nil {
		return nil, nil, err
	}
	var others []note.Verifier
	for _, each := range witnesses {
		other, err := Verifier(each)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, other)
	}
	checkpoint, _, opened, err := log.ParseCheckpoint([]byte(text), verifier.Name(), verifier, others...)
	if err != nil {
		return nil, nil, err
	}
	var cosigners []string
	for _, signature := range opened.Sigs {
		if signature.Hash != verifier.KeyHash() {
			cosigners = append(cosigners, signature.Name)
		}
	}
	return checkpoint, cosigners, nil
}

// OpenProof checks a proof that an entry's bytes are in the log, and returns the entry's index.
func OpenProof(text string, entry []byte, vkey string, witnesses ...string) (uint64, error) {
	var read formatsproof.TLogProof
	if err := read.Unmarshal([]byte(text)); err != nil {
		return 0, err
	}
	checkpoint, _, err := OpenCheckpoint(string(read.Checkpoint), vkey, witnesses...)
	if err != nil {
		return 0, err
	}
	hashes := make([][]byte, len(read.Hashes))
	for i := range read.Hashes {
		hashes[i] = read.Hashes[i][:]
	}
	hasher := rfc6962.DefaultHasher
	if err := proof.VerifyInclusion(hasher, read.Index, checkpoint.Size, hasher.HashLeaf(entry), hashes, checkpoint.Hash); err != nil {
		return 0, fmt.Errorf("entry %d of %d: %w", read.Index, checkpoint.Size, err)
	}
	return read.Index, nil
}
