package tlog

import formats "github.com/transparency-dev/formats/proof"

const (
	// No proof is longer.
	mostProofLength = mostNoteLength + 98_304
	mostProofHashes = 63
)

// proof shows that an entry is in a log, without a connection (c2sp.org/tlog-proof).
type proof struct {
	// extra is the entry's own bytes; nil if the proof does not have them.
	extra []byte
	index int64
	// From the leaf's sibling to the root's child.
	hashes []Hash
	// The signed note.
	checkpoint string
}

// VerifiedProof shows that an entry is in the tree of a trusted checkpoint.
type VerifiedProof struct {
	VerifiedCheckpoint
	// The entry's place in the log.
	Index int64
}

// VerifyProof checks that the log's checkpoint is trusted and that an entry's bytes are in its tree. The error is an *Error
// with a code.
func VerifyProof(proof string, entry []byte, trust Trust) (*VerifiedProof, error) {
	read, err := parseProof(proof)
	if err != nil {
		return nil, err
	}
	return read.open(entry, trust)
}

// parseProof reads a proof without checking anything.
func parseProof(text string) (*proof, error) {
	if err := requireText(text, mostProofLength); err != nil {
		return nil, err
	}
	var read formats.TLogProof
	if err := read.Unmarshal([]byte(text)); err != nil {
		return nil, refuse(Malformed, "%v", err)
	}
	// The library accepts more than one spelling of a number, of base64 and of a line's end.
	if string(read.Marshal()) != text {
		return nil, refuse(Malformed, "it is not written as c2sp.org/tlog-proof says")
	}
	if len(read.Hashes) > mostProofHashes {
		return nil, refuse(TooLarge, "it has %d hashes", len(read.Hashes))
	}
	if read.Index > mostSafe {
		return nil, refuse(SizeTooLarge, "it is %d", read.Index)
	}
	found := &proof{extra: read.ExtraData, index: int64(read.Index), checkpoint: string(read.Checkpoint)}
	for _, hash := range read.Hashes {
		found.hashes = append(found.hashes, hash)
	}
	return found, nil
}

func (p *proof) open(entry []byte, trust Trust) (*VerifiedProof, error) {
	verified, err := VerifyCheckpoint(p.checkpoint, trust)
	if err != nil {
		return nil, err
	}
	tree := verified.Checkpoint
	if !VerifyInclusion(HashLeaf(entry), p.index, tree.Size, tree.Root, p.hashes) {
		return nil, refuse(NotIncluded, "it is to be entry %d of %d", p.index, tree.Size)
	}
	return &VerifiedProof{*verified, p.index}, nil
}

func (p *proof) openEntry(leaf []byte, entry *Entry, trust Trust) (*VerifiedEntry, error) {
	verified, err := p.open(leaf, trust)
	if err != nil {
		return nil, err
	}
	return &VerifiedEntry{*verified, *entry}, nil
}
