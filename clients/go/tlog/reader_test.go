package tlog_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/earnest-market/earnest-go/tlog"
)

const sampleOrigin = "log.example/log"

// Proofs that are read from tiles hold in all small trees, and in some of several tiles; a proof that is changed does not.
func TestProofsFromTilesHoldInTreesOfAnySize(t *testing.T) {
	log, chance := newSampleLog(sampleOrigin), rand.New(rand.NewPCG(21, 1))
	sizes := []int{255, 256, 257, 511, 513, 1000}
	for size := range 40 {
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	for _, size := range sizes {
		log.append(numbered("", len(log.entries), size)...)
		tree, leaves := log.checkpoint(), log.leaves()
		reader := tlog.NewReader(tree, fetchOf(log.served))
		tries := make([]int64, 0, 40)
		for i := range min(size, 40) {
			tries = append(tries, int64(i), int64(chance.IntN(size)))
		}
		for _, at := range tries {
			proof, err := reader.ProveInclusion(t.Context(), at)
			if err != nil || !tlog.VerifyInclusion(leaves[at], at, tree.Size, tree.Root, proof) {
				t.Fatalf("entry %d of %d: %v", at, size, err)
			}
			for _, wrong := range changedProofs(chance, proof) {
				if tlog.VerifyInclusion(leaves[at], at, tree.Size, tree.Root, wrong) {
					t.Fatalf("entry %d of %d: a changed proof holds", at, size)
				}
			}
			if tlog.VerifyInclusion(leaves[at], at+1, tree.Size, tree.Root, proof) {
				t.Fatalf("entry %d of %d: the proof holds at another index", at, size)
			}
			old, oldRoot := at+1, rootOf(leaves[:at+1])
			if root, err := reader.RootAt(t.Context(), old); err != nil || root != oldRoot {
				t.Fatalf("the root at %d of %d: %v", old, size, err)
			}
			proof, err = reader.ProveConsistency(t.Context(), old)
			if err != nil || !tlog.VerifyConsistency(old, oldRoot, tree.Size, tree.Root, proof) {
				t.Fatalf("%d after %d: %v", size, old, err)
			}
			for _, wrong := range changedProofs(chance, proof) {
				if tlog.VerifyConsistency(old, oldRoot, tree.Size, tree.Root, wrong) {
					t.Fatalf("%d after %d: a changed proof holds", size, old)
				}
			}
		}
	}
}

// changedProofs have a hash more, a hash less, or a bit changed.
func changedProofs(chance *rand.Rand, proof []tlog.Hash) [][]tlog.Hash {
	changed := [][]tlog.Hash{append(slices.Clone(proof), tlog.Hash{})}
	if len(proof) > 0 {
		bit := slices.Clone(proof)
		bit[chance.IntN(len(bit))][chance.IntN(32)] ^= 1 << chance.IntN(8)
		changed = append(changed, proof[1:], bit)
	}
	return changed
}

func TestAReaderGivesAllEntriesInOrderFromAnyIndexOn(t *testing.T) {
	log := newSampleLog(sampleOrigin)
	log.append(numbered("", 0, 600)...)
	reader := tlog.NewReader(log.checkpoint(), fetchOf(log.served))
	for _, from := range []int64{0, 255, 256, 599, 600} {
		var found [][]byte
		for entry, err := range reader.Entries(t.Context(), from) {
			if err != nil || entry.Index != from+int64(len(found)) {
				t.Fatal(entry, err)
			}
			found = append(found, entry.Bytes)
		}
		if !slices.EqualFunc(found, log.entries[from:], slices.Equal) {
			t.Errorf("other entries from %d on", from)
		}
	}
	if entry, err := reader.ReadEntry(t.Context(), 300); err != nil || string(entry) != "300" {
		t.Errorf("%s, %v", entry, err)
	}
	if _, err := reader.ReadEntry(t.Context(), 600); err == nil {
		t.Error("an entry beyond the tree")
	}
}

// A changed bit or a missing file never leads to a wrong result.
func TestAReaderBelievesNoTileThatDoesNotLeadToTheRoot(t *testing.T) {
	log, chance := newSampleLog(sampleOrigin), rand.New(rand.NewPCG(21, 2))
	log.append(numbered("", 0, 600)...)
	tree := log.checkpoint()
	refused := map[tlog.Code]int{}
	for path := range log.served {
		for _, change := range []func([]byte) []byte{
			func(bytes []byte) []byte { bytes[chance.IntN(len(bytes))] ^= 1 << chance.IntN(8); return bytes },
			func(bytes []byte) []byte { return bytes[:len(bytes)-1] },
			func(bytes []byte) []byte { return append(bytes, 0) },
			func([]byte) []byte { return nil },
		} {
			fetch := func(_ context.Context, asked string, _ int64) ([]byte, error) {
				bytes, has := log.served[asked]
				if !has {
					return nil, errors.New("it is not there")
				}
				if asked == path {
					return change(slices.Clone(bytes)), nil
				}
				return bytes, nil
			}
			reader, count := tlog.NewReader(tree, fetch), 0
			for entry, err := range reader.Entries(t.Context(), 0) {
				var refusal *tlog.Error
				if errors.As(err, &refusal) {
					refused[refusal.Code]++
				} else if err != nil || !slices.Equal(entry.Bytes, log.entries[count]) {
					t.Fatalf("%s: entry %d is %q, %v", path, count, entry.Bytes, err)
				}
				count++
			}
		}
	}
	if refused[tlog.WrongTile] < 10 || refused[tlog.WrongEntries] < 10 {
		t.Errorf("too little was refused: %v", refused)
	}
}

func TestAPartialTileThatIsGoneIsReadFromTheFullOne(t *testing.T) {
	log := newSampleLog(sampleOrigin)
	log.append(numbered("", 0, 300)...)
	small := log.checkpoint()
	partial := []string{pathOf("0", 1, 44), pathOf("entries", 1, 44)}
	log.append(numbered("", 300, 600)...)
	for _, path := range partial {
		delete(log.served, path)
	}
	entry, err := tlog.NewReader(small, fetchOf(log.served)).ReadEntry(t.Context(), 299)
	if err != nil || string(entry) != "299" {
		t.Errorf("%q, %v", entry, err)
	}
	_, err = tlog.NewReader(small, fetchOf(nil)).ReadEntry(t.Context(), 299)
	if !errors.Is(err, tlog.TileUnavailable) {
		t.Error(err)
	}
}
