package tlog

import (
	"context"
	"fmt"
)

// Memory keeps the newest checkpoint of each log that was seen, as the signed note, by the log's origin.
type Memory interface {
	// Get is empty, without an error, where nothing was seen of the log.
	Get(ctx context.Context, origin string) (checkpoint string, err error)
	Set(ctx context.Context, origin, checkpoint string) error
}

// Seen is what was remembered of a log, beside its checkpoint.
type Seen string

// The remembered tree: none, the same, a smaller or a larger one.
const (
	SeenNothing Seen = "nothing"
	SeenSame    Seen = "same"
	SeenSmaller Seen = "smaller"
	SeenLarger  Seen = "larger"
)

// MemoryOptions say what a checkpoint is held against.
type MemoryOptions struct {
	Memory Memory
	// Reads the log's tiles: FetchFrom its prefix.
	Fetch Fetch
	// Whether the checkpoint is what the log shows now; one of an older proof may be older than what is remembered.
	IsNewest bool
}

// RememberedCheckpoint is a checkpoint that fits what was seen of its log before.
type RememberedCheckpoint struct {
	VerifiedCheckpoint
	Seen Seen
}

// CheckMemory checks a checkpoint, compares it with the newest remembered checkpoint of its log, and remembers the newer one.
// Forked has both as Evidence. It needs tiles of the larger checkpoint's root which prove that the smaller one is not part
// of it. RolledBack means that the newest checkpoint is smaller than the remembered one. The error is an *Error with a code,
// or the memory's own error.
func CheckMemory(ctx context.Context, given string, trust Trust, options MemoryOptions) (*RememberedCheckpoint, error) {
	verified, err := VerifyCheckpoint(given, trust)
	if err != nil {
		return nil, err
	}
	checkpoint := verified.Checkpoint
	remembered, err := options.Memory.Get(ctx, checkpoint.Origin)
	if err != nil {
		return nil, err
	}
	seen := SeenNothing
	if remembered != "" {
		known, err := readRemembered(remembered, checkpoint.Origin)
		if err != nil {
			return nil, err
		}
		if seen, err = compare(ctx, known, checkpoint, options); err != nil {
			if refusal, isOwn := err.(*Error); isOwn && (refusal.Code == Forked || refusal.Code == RolledBack) {
				refusal.Evidence = &Evidence{remembered, given}
			}
			return nil, err
		}
	}
	if seen == SeenNothing || seen == SeenSmaller {
		if err := options.Memory.Set(ctx, checkpoint.Origin, given); err != nil {
			return nil, err
		}
	}
	return &RememberedCheckpoint{*verified, seen}, nil
}

// compare is how a known checkpoint stands to the given one, of the same history.
func compare(ctx context.Context, known, given Checkpoint, options MemoryOptions) (Seen, error) {
	if known.Size == given.Size {
		if known.Root != given.Root {
			return "", refuse(Forked, "both have %d entries", known.Size)
		}
		return SeenSame, nil
	}
	smaller, larger, seen := known, given, SeenSmaller
	if known.Size > given.Size {
		smaller, larger, seen = given, known, SeenLarger
	}
	root, err := NewReader(larger, options.Fetch).RootAt(ctx, smaller.Size)
	if err != nil {
		return "", err
	}
	if root != smaller.Root {
		return "", refuse(Forked, "one has %d entries, the other %d", smaller.Size, larger.Size)
	}
	if seen == SeenLarger && options.IsNewest {
		return "", refuse(RolledBack, "it was of %d entries, and is of %d", known.Size, given.Size)
	}
	return seen, nil
}

// readRemembered fails by an error without a code: what the memory holds says nothing of the log.
func readRemembered(remembered, origin string) (Checkpoint, error) {
	text, err := noteText(remembered)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("tlog: what is remembered of %s is no checkpoint: %v", origin, err)
	}
	known, err := ParseCheckpoint(text)
	if err != nil || known.Origin != origin {
		return Checkpoint{}, fmt.Errorf("tlog: what is remembered of %s is no checkpoint of it", origin)
	}
	return *known, nil
}
