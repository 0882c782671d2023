package tlog

import "strings"

const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	// No proof is longer.
	mostProofLength = mostNoteLength + 98_304
	mostProofHashes = 63
)

// proof says that an entry is in a log, to be checked offline (c2sp.org/tlog-proof).
type proof struct {
	// The entry's own bytes, as this log gives them; nil where the proof does not have them.
	extra []byte
	index int64
	// From the leaf's sibling to the root's child.
	hashes []Hash
	// The signed note.
	checkpoint string
}

// VerifiedProof is that an entry is in the tree of a checkpoint that is to be trusted.
type VerifiedProof struct {
	VerifiedCheckpoint
	// The entry's place in the log.
	Index int64
}

// VerifyProof checks that the log's checkpoint is to be trusted and that an entry's bytes are in its tree. The error is an *Error
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
	body, checkpoint, hasBlank := strings.Cut(text, "\n\n")
	if !hasBlank {
		return nil, refuse(Malformed, "no blank line comes before the checkpoint")
	}
	lines := strings.Split(body, "\n")
	if lines[0] != proofHeader {
		return nil, refuse(Malformed, "it does not begin with %s", proofHeader)
	}
	read, lines := &proof{checkpoint: checkpoint}, lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		extra, err := decodeBase64(lines[0][len("extra "):])
		if err != nil {
			return nil, err
		}
		// An empty line is an entry of no bytes, and not none.
		read.extra, lines = append([]byte{}, extra...), lines[1:]
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "index ") {
		return nil, refuse(Malformed, "it has no index line")
	}
	if len(lines)-1 > mostProofHashes {
		return nil, refuse(TooLarge, "it has %d hashes", len(lines)-1)
	}
	var err error
	if read.index, err = parseDecimal(lines[0][len("index "):]); err != nil {
		return nil, err
	}
	for _, line := range lines[1:] {
		hash, err := decodeHash(line)
		if err != nil {
			return nil, err
		}
		read.hashes = append(read.hashes, hash)
	}
	return read, nil
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
