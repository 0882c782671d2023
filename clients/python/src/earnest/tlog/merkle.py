"""The Merkle tree of RFC 6962."""

from __future__ import annotations

import hashlib
from typing import Sequence

_MOST_HASHES = 66
_MOST = 2**53 - 1


def hash_leaf(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def verify_inclusion(leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a proof leads from a leaf's hash at an index to the root of a tree of a size (RFC 9162, section 2.1.3.2)."""
    hashes = [leaf, root, *proof]
    if len(hashes) > _MOST_HASHES or any(len(one) != 32 for one in hashes):
        return False
    if not 0 <= index < size <= _MOST:
        return False
    at, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            computed = hash_node(sibling, computed)
            # The last node of an uneven row goes up without a pair.
            while at % 2 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            computed = hash_node(computed, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and computed == root
