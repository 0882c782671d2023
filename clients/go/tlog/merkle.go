package tlog

import sumdb "golang.org/x/mod/sumdb/tlog"

// Hash is a SHA-256.
type Hash = sumdb.Hash

const (
	// No size or index is larger.
	mostSafe = 1<<53 - 1
	// No tree of 2^53 leaves has longer proofs, which come with two more hashes.
	mostHashes = 64
)

// emptyRoot is the root of a tree without leaves (RFC 6962, section 2.1).
var emptyRoot, _ = sumdb.TreeHash(0, nil)

// HashLeaf is the hash of a leaf.
func HashLeaf(entry []byte) Hash { return sumdb.RecordHash(entry) }

// VerifyInclusion reports whether a proof leads from a leaf's hash at an index to the root of a tree of a size (RFC 9162, section
// 2.1.3.2).
func VerifyInclusion(leaf Hash, index, size int64, root Hash, proof []Hash) bool {
	if index < 0 || size > mostSafe || index >= size || len(proof) > mostHashes {
		return false
	}
	return sumdb.CheckRecord(proof, size, root, index, leaf) == nil
}

// VerifyConsistency reports whether a proof shows that a tree continues an older one (RFC 9162, section 2.1.4.2).
func VerifyConsistency(oldSize int64, oldRoot Hash, size int64, root Hash, proof []Hash) bool {
	if oldSize < 0 || size > mostSafe || oldSize > size || len(proof) > mostHashes || (size == 0 && root != emptyRoot) {
		return false
	}
	// Every tree continues the empty one, of which the library knows nothing.
	if oldSize == 0 {
		return len(proof) == 0 && oldRoot == emptyRoot
	}
	return sumdb.CheckTree(proof, size, root, oldSize, oldRoot) == nil
}
