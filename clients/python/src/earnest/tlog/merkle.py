"""The Merkle tree of RFC 6962, and the tiles of c2sp.org/tlog-tiles that it is served in."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Mapping, Sequence

from typing_extensions import TypeAlias

from .errors import LogRejection

Range: TypeAlias = "tuple[int, int]"
"""Leaves from the first on and before the second."""

EMPTY_ROOT = hashlib.sha256().digest()
TILE_WIDTH = 256
_MOST_HASHES = 66
_MOST = 2**53 - 1


@dataclass(frozen=True)
class Tile:
    """A tile of hashes: `width` of them, from the `index * 256`th of its level on."""

    level: int
    index: int
    width: int

    @property
    def path(self) -> str:
        """Where it is served, below the log's prefix: `tile/0/x001/234.p/5`."""
        digits = str(self.index)
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        place = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
        return f"tile/{self.level}/{place}" + ("" if self.width == TILE_WIDTH else f".p/{self.width}")

    @property
    def whole(self) -> Tile:
        return Tile(self.level, self.index, TILE_WIDTH)


def hash_leaf(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def verify_inclusion(leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a proof leads from a leaf's hash at an index to the root of a tree of a size (RFC 9162, section 2.1.3.2)."""
    if not (0 <= index < size <= _MOST and _are_hashes([leaf, root, *proof])):
        return False
    at, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            computed = hash_node(sibling, computed)
            # The last of an uneven row goes up unpaired.
            while at % 2 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            computed = hash_node(computed, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and computed == root


def verify_consistency(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that a tree continues an older one (RFC 9162, section 2.1.4.2)."""
    if not (0 <= old_size <= size <= _MOST and _are_hashes([old_root, root, *proof])):
        return False
    if size == 0 and root != EMPTY_ROOT:
        return False
    if old_size == size:
        return not proof and old_root == root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    if not path:
        return False
    at, last = old_size - 1, size - 1
    while at % 2 == 1:
        at, last = at >> 1, last >> 1
    older = newer = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            older, newer = hash_node(sibling, older), hash_node(sibling, newer)
            while at % 2 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            newer = hash_node(newer, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and older == old_root and newer == root


def tiles_of(ranges: Sequence[Range], size: int) -> list[Tile]:
    """The tiles that the hashes of ranges are in, each once."""
    found = {_locate(*subtree, size)[0]: None for one in ranges for subtree in _subtrees_of(one)}
    return list(found)


def hash_range(within: Range, size: int, tiles: Mapping[Tile, bytes]) -> bytes:
    """The hash of a range of leaves, from the tiles of a tree of a size."""
    hashes = []
    for subtree in _subtrees_of(within):
        tile, first, count = _locate(*subtree, size)
        hashes.append(hash_complete(split_tile(tiles[tile], tile.width)[first : first + count]))
    if not hashes:
        return EMPTY_ROOT
    joined = hashes.pop()
    for left in reversed(hashes):
        joined = hash_node(left, joined)
    return joined


def split_tile(content: bytes, width: int) -> list[bytes]:
    """A tile's hashes. Raises `wrong_tile` unless its bytes are so many."""
    if len(content) != width * 32:
        raise LogRejection("wrong_tile", f"It has {len(content)} bytes, not {width * 32}.")
    return [content[at : at + 32] for at in range(0, len(content), 32)]


def hash_complete(hashes: list[bytes]) -> bytes:
    """The root over a power of two of hashes."""
    while len(hashes) > 1:
        hashes = [hash_node(hashes[at], hashes[at + 1]) for at in range(0, len(hashes), 2)]
    return hashes[0]


def width_of(level: int, index: int, size: int) -> int:
    """How many hashes a tile has in a tree of a size: 0 where there is no such tile."""
    hashes = size >> 8 * level
    return max(0, min(TILE_WIDTH, hashes - index * TILE_WIDTH))


def _locate(level: int, index: int, size: int) -> tuple[Tile, int, int]:
    """The tile that has a complete subtree, and which of its hashes that spans: the first, and how many."""
    tile_level, within = divmod(level, 8)
    count = 1 << within
    tile_index, first = divmod(index * count, TILE_WIDTH)
    return Tile(tile_level, tile_index, width_of(tile_level, tile_index, size)), first, count


def _subtrees_of(within: Range) -> list[tuple[int, int]]:
    """The complete subtrees of a range that begins where a tree splits, each by level and index, from the largest on."""
    at, end = within
    subtrees = []
    while at < end:
        level = (end - at).bit_length() - 1
        subtrees.append((level, at >> level))
        at += 1 << level
    return subtrees


def _are_hashes(hashes: Sequence[bytes]) -> bool:
    return len(hashes) <= _MOST_HASHES and all(len(one) == 32 for one in hashes)
