"""Whether a log shows the history that was seen of it before."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Awaitable, Callable, Literal, Protocol

from typing_extensions import TypeAlias

from .._core.flow import Flow, Run
from .errors import LogRejection
from .merkle import TILE_WIDTH, Tile, hash_complete, hash_range, split_tile, tiles_of, width_of
from .note import (
    Checkpoint,
    VerifiedCheckpoint,
    open_checkpoint,
    parse_checkpoint,
    parse_note,
    read_text,
)

Seen: TypeAlias = Literal["nothing", "same", "smaller", "larger"]
"""What was remembered of a log: nothing, the same tree, a smaller or a larger one."""

FetchTile: TypeAlias = Callable[[str, int], Flow[bytes]]
"""Gives the bytes below a log's prefix, such as `tile/0/000`, up to a size. Raises `tile_unavailable`."""

_MOST_TILE = TILE_WIDTH * 32


class LogMemory(Protocol):
    """What a client keeps of each log: the newest checkpoint that it saw, as the signed note, by the log's origin.

    In an async verifier both may give awaitables.
    """

    def get(self, origin: str) -> str | Awaitable[str | None] | None: ...

    def set(self, origin: str, checkpoint: str) -> Awaitable[None] | None: ...


class FileMemory:
    """Remembers logs in a JSON file, which the programs of all languages share.

    Raises:
        ValueError: the file is there and holds something else: what was seen must not be forgotten in silence
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        self.path = Path(path) if path is not None else Path(state) / "earnest" / "logs.json"

    def get(self, origin: str) -> str | None:
        return self._read().get(origin)

    def set(self, origin: str, checkpoint: str) -> None:
        known = {**self._read(), origin: checkpoint}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        draft.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n", "utf-8")
        draft.replace(self.path)

    def _read(self) -> dict[str, str]:
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return {}
        try:
            known = json.loads(text)
        except ValueError:
            known = None
        if not isinstance(known, dict) or not all(isinstance(note, str) for note in known.values()):
            raise ValueError(f"{self.path} should hold the checkpoints of logs that were seen, and does not.")
        return known


@dataclass(frozen=True)
class RememberedCheckpoint(VerifiedCheckpoint):
    """A checkpoint that fits what was seen of its log before."""

    seen: Seen = "nothing"


def check_memory(
    given: str | bytes,
    vkey: str | None,
    policy: str | None,
    memory: LogMemory,
    fetch: FetchTile,
    is_newest: bool = False,
) -> Flow[RememberedCheckpoint]:
    """Checks a checkpoint, and that it belongs to the history that is remembered of its log; remembers the newer of the two.

    Raises `forked` with both notes as evidence where tiles that lead to the larger checkpoint's root show that the smaller one
    is no part of it, and `rolled_back`, of the newest alone, where it is smaller than what is remembered.
    """
    found = open_checkpoint(given, vkey, policy)
    checkpoint, note = found.checkpoint, read_text(given, len(given))

    def seen(what: Seen) -> RememberedCheckpoint:
        return RememberedCheckpoint(checkpoint, found.cosignatures, seen=what)

    remembered = yield Run(lambda: memory.get(checkpoint.origin))
    if remembered is None:
        yield Run(lambda: memory.set(checkpoint.origin, note))
        return seen("nothing")
    try:
        known = parse_checkpoint(parse_note(remembered).text)
    except LogRejection:
        # What is damaged here accuses no log.
        raise ValueError(f"What is remembered of {checkpoint.origin} is no checkpoint.") from None
    if known.origin != checkpoint.origin:
        raise ValueError(f"What is remembered of {checkpoint.origin} is of {known.origin}.")
    if known.size == checkpoint.size:
        if known.root != checkpoint.root:
            raise LogRejection("forked", f"Both have {known.size} entries.", (remembered, note))
        return seen("same")
    smaller, larger = sorted([known, checkpoint], key=lambda one: one.size)
    root = yield from _root_at(smaller.size, larger, fetch)
    if root != smaller.root:
        raise LogRejection(
            "forked", f"One has {smaller.size} entries, the other {larger.size}.", (remembered, note)
        )
    if larger is known:
        if is_newest:
            detail = f"It was of {known.size} entries, and is of {checkpoint.size}."
            raise LogRejection("rolled_back", detail, (remembered, note))
        return seen("larger")
    yield Run(lambda: memory.set(checkpoint.origin, note))
    return seen("smaller")


def _root_at(size: int, tree: Checkpoint, fetch: FetchTile) -> Flow[bytes]:
    """The root that a tree had when it was of a size, from tiles each of which leads to the root that it has now."""
    trusted = yield from _fetch_edge(tree, fetch)
    for tile in tiles_of([(0, size)], tree.size):
        yield from _trust_tile(tile, tree.size, trusted, fetch)
    return hash_range((0, size), tree.size, trusted)


def _trust_tile(tile: Tile, size: int, trusted: dict[Tile, bytes], fetch: FetchTile) -> Flow[bytes]:
    if tile in trusted:
        return trusted[tile]
    index = tile.index // TILE_WIDTH
    parent = Tile(tile.level + 1, index, width_of(tile.level + 1, index, size))
    hashes = split_tile((yield from _trust_tile(parent, size, trusted, fetch)), parent.width)
    content = yield from fetch(tile.path, _MOST_TILE)
    if hash_complete(split_tile(content, tile.width)) != hashes[tile.index % TILE_WIDTH]:
        raise LogRejection("wrong_tile", f"It is {tile.path}.")
    trusted[tile] = content
    return content


def _fetch_edge(tree: Checkpoint, fetch: FetchTile) -> Flow[dict[Tile, bytes]]:
    """The last tile of each level that is not full, which the root is computed from, once they came to it."""
    edge: dict[Tile, bytes] = {}
    level = 0
    while TILE_WIDTH**level <= tree.size:
        index = tree.size // TILE_WIDTH ** (level + 1)
        tile = Tile(level, index, width_of(level, index, tree.size))
        if tile.width > 0:
            edge[tile] = yield from _fetch_partial(tile, fetch)
        level += 1
    if hash_range((0, tree.size), tree.size, edge) != tree.root:
        raise LogRejection("wrong_tile", f"The last tiles of {tree.size} entries have another root.")
    return edge


def _fetch_partial(tile: Tile, fetch: FetchTile) -> Flow[bytes]:
    """A part, or the same of the full one that took its place since: a log may drop a partial tile then."""
    try:
        content = yield from fetch(tile.path, _MOST_TILE)
    except LogRejection as missing:
        try:
            content = yield from fetch(tile.whole.path, _MOST_TILE)
        except LogRejection:
            raise missing from None
    return content[: tile.width * 32]
