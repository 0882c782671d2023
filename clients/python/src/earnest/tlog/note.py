"""Signed notes (c2sp.org/signed-note), and the checkpoints in them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .errors import LogRejection

_WEAK = {
    bytes(32),
    b"\x01" + bytes(31),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
}
"""The keys of small order, by their y without the sign. Anyone can sign anything under them."""
MOST_NOTE = 131_072
"""The most bytes of a note."""
_MOST_SIGNATURES = 64
_SPACE = re.compile(r"[\s+\x00-\x1f]")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True)
class NoteKey:
    """A log that signs notes: its name, and its Ed25519 key."""

    name: str
    public_key: bytes
    id: int
    """The first four bytes of SHA-256 over name, type and key."""


@dataclass(frozen=True)
class Signature:
    name: str
    id: int
    bytes: bytes


@dataclass(frozen=True)
class Note:
    text: str
    """With its last newline."""
    signatures: list[Signature]

    def signature_of(self, key: NoteKey) -> Signature | None:
        return next((one for one in self.signatures if (one.name, one.id) == (key.name, key.id)), None)


@dataclass(frozen=True)
class Checkpoint:
    """The tree of a log (c2sp.org/tlog-checkpoint)."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


def read_text(given: str | bytes, most: int) -> str:
    """Returns a bounded text, from a text or its UTF-8."""
    if len(given) > most:
        raise LogRejection("too_large", f"It is longer than {most}.")
    try:
        text = given if isinstance(given, str) else given.decode()
        text.encode()
    except UnicodeError:
        raise LogRejection("malformed", "It is not UTF-8.") from None
    return text


def decode_base64(text: str) -> bytes:
    """Decodes base64 (RFC 4648, section 4) in its only spelling."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    if base64.b64encode(content).decode() != text:
        raise LogRejection("malformed", f"It is not base64: {text[:60]!r}.")
    return content


def decode_hash(text: str) -> bytes:
    content = decode_base64(text) if len(text) == 44 else b""
    if len(content) != 32:
        raise LogRejection("malformed", "A hash is base64 of 32 bytes.")
    return content


def read_decimal(text: str) -> int:
    """Reads a whole number without leading zeros, up to 2^53 - 1."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,19}", text, re.ASCII):
        raise LogRejection("malformed", f"It is no decimal number: {text[:30]!r}.")
    if int(text) >= 2**53:
        raise LogRejection("size_too_large", f"It is {text}.")
    return int(text)


def parse_verifier_key(vkey: str) -> NoteKey:
    """Reads a log's verifier key: `name+id+base64`. Raises `malformed_key`, or `unsupported_key`."""
    parts = vkey.split("+", 2) if len(vkey) <= 1024 else []
    if len(parts) != 3 or not _is_name(parts[0]) or not re.fullmatch(r"[0-9a-f]{8}", parts[1]):
        raise LogRejection("malformed_key")
    name, key_id, encoded = parts
    try:
        material = decode_base64(encoded)
    except LogRejection:
        raise LogRejection("malformed_key", "It does not end in base64.") from None
    kind, public_key = material[:1], material[1:]
    if kind != b"\x01":
        raise LogRejection("unsupported_key", f"Its type is {kind.hex() or 'missing'}.")
    if not _is_sound(public_key):
        raise LogRejection("malformed_key", "It is no sound Ed25519 key of 32 bytes.")
    digest = hashlib.sha256(name.encode() + b"\n" + material).digest()
    if digest[:4].hex() != key_id:
        raise LogRejection("malformed_key", "The id is another key's.")
    return NoteKey(name, public_key, int(key_id, 16))


def parse_note(given: str | bytes) -> Note:
    """Reads a signed note without checking a signature. Raises `malformed` or `too_large`."""
    note = read_text(given, MOST_NOTE)
    if _CONTROL.search(note):
        raise LogRejection("malformed", "It has a control character.")
    text, blank, lines = note.rpartition("\n\n")
    if not blank:
        raise LogRejection("malformed", "No blank line separates the signatures.")
    if not lines.endswith("\n"):
        raise LogRejection("malformed", "A signature line ends in a newline.")
    signed = lines[:-1].split("\n")
    if len(signed) > _MOST_SIGNATURES:
        raise LogRejection("too_large", f"It has {len(signed)} signatures.")
    return Note(f"{text}\n", [_read_signature(line) for line in signed])


def parse_checkpoint(text: str) -> Checkpoint:
    """Reads the text of a checkpoint's note. Raises `malformed` or `size_too_large`."""
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() != "":
        raise LogRejection("malformed", "A checkpoint has three lines and ends in a newline.")
    if "" in (lines[0], *lines[3:]):
        raise LogRejection("malformed", "A checkpoint has no empty line.")
    return Checkpoint(lines[0], read_decimal(lines[1]), decode_hash(lines[2]), tuple(lines[3:]))


def open_checkpoint(given: str | bytes, vkey: str | None) -> Checkpoint:
    """Checks that the key's log signed a checkpoint under its own name."""
    if vkey is None:
        raise LogRejection("no_trusted_log")
    key = parse_verifier_key(vkey)
    note = parse_note(given)
    checkpoint = parse_checkpoint(note.text)
    signature = note.signature_of(key)
    if signature is None:
        raise LogRejection("unknown_log", f"Its origin is {checkpoint.origin!r}.")
    _assert_signed(key, signature.bytes, note.text.encode())
    if key.name != checkpoint.origin:
        raise LogRejection("foreign_origin", f"It is {checkpoint.origin!r}.")
    return checkpoint


def _assert_signed(key: NoteKey, signature: bytes, message: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        raise LogRejection("invalid_signature", f"The key is {key.name}'s.") from None


def _read_signature(line: str) -> Signature:
    words = line.split(" ")
    if len(words) != 3 or words[0] != "—" or not _is_name(words[1]):
        raise LogRejection("malformed", "A signature line is a dash, a name and base64.")
    content = decode_base64(words[2])
    if len(content) < 5:
        raise LogRejection("malformed", "A signature has a key's id and more.")
    return Signature(words[1], int.from_bytes(content[:4], "big"), content[4:])


def _is_name(name: str) -> bool:
    return name != "" and not _SPACE.search(name)


def _is_sound(key: bytes) -> bool:
    """Whether all verifiers accept a key. The check of a signature finds out whether its y belongs to a point."""
    if len(key) != 32:
        return False
    y = key[:31] + bytes([key[31] & 0x7F])
    return y not in _WEAK and int.from_bytes(y, "little") < 2**255 - 19
