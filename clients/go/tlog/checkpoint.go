package tlog

import (
	"slices"
	"strings"
	"time"

	"github.com/transparency-dev/formats/log"
	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is a log's statement about its tree (c2sp.org/tlog-checkpoint).
type Checkpoint struct {
	// Origin is the log's name.
	Origin string
	Size   int64
	Root   Hash
	// Extensions are signed lines without a meaning here.
	Extensions []string
}

// Trust names the trusted log by its key, a policy, or both. If both are given, both must hold.
type Trust struct {
	Key    *Key
	Policy *Policy
}

// Cosignature is a witness's statement that it saw the checkpoint (c2sp.org/tlog-cosignature).
type Cosignature struct {
	// Witness is the witness's name in the policy.
	Witness string
	// Name is the name of the witness's key.
	Name string
	At   time.Time
}

// VerifiedCheckpoint is a trusted checkpoint.
type VerifiedCheckpoint struct {
	Checkpoint Checkpoint
	// Cosignatures are the valid ones of the policy's witnesses.
	Cosignatures []Cosignature
}

// ParseCheckpoint reads the text of a checkpoint's note, without its signatures. It checks no signature.
func ParseCheckpoint(text string) (*Checkpoint, error) {
	var read log.Checkpoint
	rest, err := read.Unmarshal([]byte(text))
	if err != nil {
		return nil, refuse(Malformed, "%v", err)
	}
	// The library accepts more than one spelling of a size and of base64.
	if string(read.Marshal())+string(rest) != text || len(read.Hash) != sumdb.HashSize {
		return nil, refuse(Malformed, "a size has no leading zeros, and a root is base64 of 32 bytes")
	}
	var extensions []string
	if body, isWhole := strings.CutSuffix(string(rest), "\n"); isWhole {
		extensions = strings.Split(body, "\n")
	}
	if (len(rest) > 0 && len(extensions) == 0) || slices.Contains(extensions, "") {
		return nil, refuse(Malformed, "a checkpoint has no empty line, and ends in a newline")
	}
	if read.Size > mostSafe {
		return nil, refuse(SizeTooLarge, "it is %d", read.Size)
	}
	return &Checkpoint{read.Origin, int64(read.Size), Hash(read.Hash), extensions}, nil
}

// VerifyCheckpoint checks a checkpoint: that it is well formed, that a trusted log signed it under its own name, and that the
// policy's quorum of witnesses cosigned it. A bad signature of a trusted key refuses it all. The error is an *Error with a code.
func VerifyCheckpoint(signed string, trust Trust) (*VerifiedCheckpoint, error) {
	logs, err := trust.logs()
	if err != nil {
		return nil, err
	}
	text, err := noteText(signed)
	if err != nil {
		return nil, err
	}
	checkpoint, err := ParseCheckpoint(text)
	if err != nil {
		return nil, err
	}
	var witnesses []witness
	if trust.Policy != nil {
		witnesses = trust.Policy.witnesses
	}
	keys := slices.Clone(logs)
	for _, one := range witnesses {
		keys = append(keys, one.key)
	}
	signatures, err := openNote(signed, keys)
	if err != nil {
		return nil, err
	}
	if err := requireLog(signatures, checkpoint.Origin, logs); err != nil {
		return nil, err
	}
	verified := &VerifiedCheckpoint{Checkpoint: *checkpoint}
	if trust.Policy == nil {
		return verified, nil
	}
	var names []string
	for _, one := range witnesses {
		signature := signatureOf(one.key, signatures)
		if signature == nil {
			continue
		}
		at, err := formats.CoSigV1Timestamp(*signature)
		if err != nil || at.Unix() < 0 || at.Unix() > mostSafe {
			return nil, refuse(InvalidSignature, "its time is none")
		}
		names = append(names, one.name)
		verified.Cosignatures = append(verified.Cosignatures, Cosignature{one.name, one.key.Name, at})
	}
	if !trust.Policy.IsQuorum(names) {
		return nil, refuse(QuorumNotMet, "%d of them did", len(names))
	}
	return verified, nil
}

// requireLog refuses a checkpoint that no trusted log signed under the checkpoint's own name.
func requireLog(signatures []note.Signature, origin string, logs []*Key) error {
	signed := false
	for _, key := range logs {
		if signatureOf(key, signatures) == nil {
			continue
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

// logs returns the given key alone, which must be one of the policy's if the policy lists any; otherwise the policy's logs.
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
