package tlog

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"
)

// Hash is a SHA-256.
type Hash [sha256.Size]byte

const (
	// No size or index is larger.
	mostSafe = 1<<53 - 1
	// No tree of 2^53 leaves has longer proofs, which come with two more hashes.
	mostHashes = 64
)

// leaves are those from begin on and before end.
type leaves struct{ begin, end int64 }

// subtree is the one over the 2^level leaves from index * 2^level on.
type subtree struct {
	level int
	index int64
}

// emptyRoot is the root of a tree without leaves (RFC 6962, section 2.1).
var emptyRoot = Hash(sha256.Sum256(nil))

// HashLeaf is the hash of a leaf.
func HashLeaf(entry []byte) Hash {
	return sha256.Sum256(append([]byte{0}, entry...))
}

func hashNode(left, right Hash) Hash {
	var node [1 + 2*sha256.Size]byte
	node[0] = 1
	copy(node[1:], left[:])
	copy(node[1+sha256.Size:], right[:])
	return sha256.Sum256(node[:])
}

// VerifyInclusion says whether a proof leads from a leaf's hash at an index to the root of a tree of a size (RFC 9162, section
// 2.1.3.2).
func VerifyInclusion(leaf Hash, index, size int64, root Hash, proof []Hash) bool {
	if index < 0 || size > mostSafe || index >= size || len(proof) > mostHashes {
		return false
	}
	at, last, computed := index, size-1, leaf
	for _, sibling := range proof {
		if last == 0 {
			return false
		}
		if at%2 == 1 || at == last {
			computed = hashNode(sibling, computed)
			at, last = skipUnpaired(at, last)
		} else {
			computed = hashNode(computed, sibling)
		}
		at, last = at/2, last/2
	}
	return last == 0 && computed == root
}

// VerifyConsistency says whether a proof shows that a tree continues an older one (RFC 9162, section 2.1.4.2).
func VerifyConsistency(oldSize int64, oldRoot Hash, size int64, root Hash, proof []Hash) bool {
	if oldSize < 0 || size > mostSafe || oldSize > size || len(proof) > mostHashes || (size == 0 && root != emptyRoot) {
		return false
	}
	if oldSize == size {
		return len(proof) == 0 && oldRoot == root
	}
	if oldSize == 0 {
		return len(proof) == 0 && oldRoot == emptyRoot
	}
	if oldSize&(oldSize-1) == 0 {
		proof = slices.Insert(slices.Clone(proof), 0, oldRoot)
	}
	if len(proof) == 0 {
		return false
	}
	at, last := oldSize-1, size-1
	for at%2 == 1 {
		at, last = at/2, last/2
	}
	older, newer := proof[0], proof[0]
	for _, sibling := range proof[1:] {
		if last == 0 {
			return false
		}
		if at%2 == 1 || at == last {
			older, newer = hashNode(sibling, older), hashNode(sibling, newer)
			at, last = skipUnpaired(at, last)
		} else {
			newer = hashNode(newer, sibling)
		}
		at, last = at/2, last/2
	}
	return last == 0 && older == oldRoot && newer == root
}

// skipUnpaired goes up with the last node of uneven rows, until it is a right child or the root.
func skipUnpaired(at, last int64) (int64, int64) {
	for at != 0 && at%2 == 0 {
		at, last = at/2, last/2
	}
	return at, last
}

// inclusionRanges are the ranges whose hashes prove a leaf's inclusion, in the proof's order.
func inclusionRanges(index, size int64) ([]leaves, error) {
	if index < 0 || index >= size {
		return nil, fmt.Errorf("tlog: a tree of %d leaves has no leaf %d", size, index)
	}
	var ranges []leaves
	for begin, end := int64(0), size; end-begin > 1; {
		middle := begin + splitOf(end-begin)
		if index < middle {
			ranges, end = append(ranges, leaves{middle, end}), middle
		} else {
			ranges, begin = append(ranges, leaves{begin, middle}), middle
		}
	}
	slices.Reverse(ranges)
	return ranges, nil
}

// consistencyRanges are the ranges whose hashes prove that a tree continues one of an older size, in the proof's order.
func consistencyRanges(oldSize, size int64) ([]leaves, error) {
	if oldSize < 0 || oldSize > size {
		return nil, fmt.Errorf("tlog: a tree of %d leaves continues none of %d", size, oldSize)
	}
	if oldSize == 0 {
		return nil, nil
	}
	var ranges []leaves
	begin, end := int64(0), size
	for end != oldSize {
		middle := begin + splitOf(end-begin)
		if oldSize <= middle {
			ranges, end = append(ranges, leaves{middle, end}), middle
		} else {
			ranges, begin = append(ranges, leaves{begin, middle}), middle
		}
	}
	// Who has the old root has the hash of a range from the first leaf on.
	if begin != 0 {
		ranges = append(ranges, leaves{begin, end})
	}
	slices.Reverse(ranges)
	return ranges, nil
}

// subtrees are the complete ones of a range that begins where a tree splits, from the largest, which is the leftmost, on.
func (l leaves) subtrees() []subtree {
	var found []subtree
	for at := l.begin; at < l.end; {
		level := bits.Len64(uint64(l.end-at)) - 1
		found = append(found, subtree{level, at >> level})
		at += 1 << level
	}
	return found
}

// joinSubtrees is the hash over neighbouring subtrees, given from the left; of none, the empty tree's.
func joinSubtrees(hashes []Hash) Hash {
	if len(hashes) == 0 {
		return emptyRoot
	}
	right := hashes[len(hashes)-1]
	for _, left := range slices.Backward(hashes[:len(hashes)-1]) {
		right = hashNode(left, right)
	}
	return right
}

// hashComplete is the root over a power of two of hashes.
func hashComplete(hashes []Hash) Hash {
	row := slices.Clone(hashes)
	for len(row) > 1 {
		for i := range len(row) / 2 {
			row[i] = hashNode(row[2*i], row[2*i+1])
		}
		row = row[:len(row)/2]
	}
	return row[0]
}

// splitOf is the largest power of two below a size of more than one.
func splitOf(size int64) int64 {
	return 1 << (bits.Len64(uint64(size-1)) - 1)
}
