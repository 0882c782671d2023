package tlog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Checkpoint is what a log says of its tree (c2sp.org/tlog-checkpoint).
type Checkpoint struct {
	// The log's name.
	Origin string
	Size   int64
	Root   Hash
	// Lines that are signed and mean nothing here.
	Extensions []string
}

// Trust is whom a verifier trusts: a log by its key, or a policy, or both, of which both have to hold.
type Trust struct {
	Key    *Key
	Policy *Policy
}

// Cosignature is a witness's statement that it saw the checkpoint (c2sp.org/tlog-cosignature).
type Cosignature struct {
	// The witness's name in the policy.
	Witness string
	// The name that its key has.
	Name string
	At   time.Time
}

// VerifiedCheckpoint is a checkpoint that is to be trusted.
type VerifiedCheckpoint struct {
	Checkpoint Checkpoint
	// The good ones of the policy's witnesses.
	Cosignatures []Cosignature
}

// ParseCheckpoint reads the text of a checkpoint's note, without its signatures and checking none.
func ParseCheckpoint(text string) (*Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[len(lines)-1] != "" {
		return nil, refuse(Malformed, "a checkpoint has three lines, and ends in a newline")
	}
	extensions := lines[3 : len(lines)-1]
	if lines[0] == "" || slices.Contains(extensions, "") {
		return nil, refuse(Malformed, "a checkpoint has no empty line")
	}
	size, err := parseDecimal(lines[1])
	if err != nil {
		return nil, err
	}
	root, err := decodeHash(lines[2])
	if err != nil {
		return nil, err
	}
	return &Checkpoint{lines[0], size, root, extensions}, nil
}

// VerifyCheckpoint checks a checkpoint: that it is well formed, that a trusted log signed it under its own name, and that the
// policy's quorum of witnesses cosigned it. A bad signature of a trusted key refuses it all. The error is an *Error with a code.
func VerifyCheckpoint(signed string, trust Trust) (*VerifiedCheckpoint, error) {
	logs, err := trust.logs()
	if err != nil {
		return nil, err
	}
	note, err := parseNote(signed)
	if err != nil {
		return nil, err
	}
	checkpoint, err := ParseCheckpoint(note.text)
	if err != nil {
		return nil, err
	}
	if err := requireLog(note, checkpoint.Origin, logs); err != nil {
		return nil, err
	}
	verified := &VerifiedCheckpoint{Checkpoint: *checkpoint}
	if trust.Policy == nil {
		return verified, nil
	}
	var names []string
	for _, one := range trust.Policy.witnesses {
		signature := note.find(one.key)
		if signature == nil {
			continue
		}
		at, err := openCosignature(note.text, signature, one.key)
		if err != nil {
			return nil, err
		}
		names = append(names, one.name)
		verified.Cosignatures = append(verified.Cosignatures, Cosignature{one.name, one.key.Name, at})
	}
	if !trust.Policy.IsQuorum(names) {
		return nil, refuse(QuorumNotMet, "%d of them did", len(names))
	}
	return verified, nil
}

// requireLog refuses what no trusted log signed, or one under another name than the checkpoint's.
func requireLog(note *note, origin string, logs []*Key) error {
	signed := false
	for _, key := range logs {
		signature := note.find(key)
		if signature == nil {
			continue
		}
		if err := key.requireSignature(signature.bytes, note.text); err != nil {
			return err
		}
		if key.Name != origin {
			return refuse(ForeignOrigin, "it is %q", origin)
		}
		signed = true
	}
	if !signed {
		return refuse(UnknownLog, "its origin is %q", origin)
	}
	return nil
}

// openCosignature is when a cosignature was made.
func openCosignature(text string, signature *signature, key *Key) (time.Time, error) {
	if len(signature.bytes) != 72 {
		return time.Time{}, refuse(InvalidSignature, "the key is %s's", key.Name)
	}
	at := binary.BigEndian.Uint64(signature.bytes)
	if at > mostSafe {
		return time.Time{}, refuse(InvalidSignature, "its time is none")
	}
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", at, text)
	return time.Unix(int64(at), 0), key.requireSignature(signature.bytes[8:], message)
}

// logs are the key alone if it is given, which then has to be one of the policy's if it lists any; else the policy's.
func (t Trust) logs() ([]*Key, error) {
	var listed []*Key
	if t.Policy != nil {
		listed = t.Policy.logs
	}
	if t.Key == nil {
		if len(listed) == 0 {
			return nil, refuse(NoTrustedLog, "give the log's key, or a policy that lists a log")
		}
		return listed, nil
	}
	if t.Key.Type != LogKey {
		return nil, refuse(UnsupportedKey, "a log's key is of type 1")
	}
	if len(listed) > 0 && !slices.ContainsFunc(listed, t.Key.isSame) {
		return nil, refuse(NoTrustedLog, "the policy lists other logs than the key's")
	}
	return []*Key{t.Key}, nil
}
