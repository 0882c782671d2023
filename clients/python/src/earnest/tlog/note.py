"""Signed notes (c2sp.org/signed-note), and the checkpoints and policies that they carry and are checked by."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Iterable, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .errors import LogRejection

LOG_KEY = 1
COSIGNATURE = 4
_WEAK = {
    bytes(32),
    b"\x01" + bytes(31),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
}
"""Keys of small order, by their y without the sign: anyone can sign anything under them."""
MOST_NOTE = 131_072
"""More bytes than any note has."""
_MOST_POLICY = 65_536
_MOST_LINES = 64
_SPACE = re.compile(r"[\s+\x00-\x1f]")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True)
class NoteKey:
    """Who signs notes: a name, and an Ed25519 key."""

    name: str
    type: int
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
    """What a log says of its tree (c2sp.org/tlog-checkpoint)."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    """Whom a verifier trusts (c2sp.org/tlog-policy)."""

    logs: list[NoteKey]
    witnesses: dict[str, NoteKey]
    groups: list[tuple[str, int, list[str]]]
    """Name, how many of them, and the members, which come before."""
    quorum: str

    def is_met_by(self, cosigned: Iterable[str]) -> bool:
        """Whether the witnesses who cosigned, by their names in the policy, are enough."""
        witnessed = set(cosigned)
        for name, threshold, members in self.groups:
            if sum(member in witnessed for member in members) >= threshold:
                witnessed.add(name)
        return self.quorum == "none" or self.quorum in witnessed


@dataclass(frozen=True)
class Cosignature:
    """A witness's statement that it saw a checkpoint."""

    witness: str
    """Its name in the policy."""
    name: str
    """The name that its key has."""
    at: int
    """Unix seconds."""


@dataclass(frozen=True)
class VerifiedCheckpoint:
    checkpoint: Checkpoint
    cosignatures: list[Cosignature]
    """The good ones of the policy's witnesses."""
    valid: Literal[True] = True


def read_text(given: str | bytes, most: int) -> str:
    """A bounded text, from a text or its UTF-8."""
    if len(given) > most:
        raise LogRejection("too_large", f"It is longer than {most}.")
    try:
        text = given if isinstance(given, str) else given.decode()
        text.encode()
    except UnicodeError:
        raise LogRejection("malformed", "It is not UTF-8.") from None
    return text


def decode_base64(text: str) -> bytes:
    """Bytes from the one base64 (RFC 4648, section 4) that they have."""
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
    """A whole number without leading zeros, up to 2^53 - 1."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,19}", text, re.ASCII):
        raise LogRejection("malformed", f"It is no decimal number: {text[:30]!r}.")
    if int(text) >= 2**53:
        raise LogRejection("size_too_large", f"It is {text}.")
    return int(text)


def parse_verifier_key(vkey: str) -> NoteKey:
    """Reads a verifier key: `name+id+base64`. Raises `malformed_key`, or `unsupported_key`."""
    parts = vkey.split("+", 2) if len(vkey) <= 1024 else []
    if len(parts) != 3 or not _is_name(parts[0]) or not re.fullmatch(r"[0-9a-f]{8}", parts[1]):
        raise LogRejection("malformed_key")
    name, key_id, encoded = parts
    try:
        material = decode_base64(encoded)
    except LogRejection:
        raise LogRejection("malformed_key", "It does not end in base64.") from None
    kind, public_key = material[:1], material[1:]
    if kind not in (b"\x01", b"\x04"):
        raise LogRejection("unsupported_key", f"Its type is {kind.hex() or 'missing'}.")
    if not _is_sound(public_key):
        raise LogRejection("malformed_key", "It is no sound Ed25519 key of 32 bytes.")
    digest = hashlib.sha256(name.encode() + b"\n" + material).digest()
    if digest[:4].hex() != key_id:
        raise LogRejection("malformed_key", "The id is another key's.")
    return NoteKey(name, kind[0], public_key, int(key_id, 16))


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
    if len(signed) > _MOST_LINES:
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


def open_checkpoint(given: str | bytes, vkey: str | None, policy: str | None) -> VerifiedCheckpoint:
    """Checks that a trusted log signed a checkpoint under its own name, and that the policy's quorum cosigned it."""
    trusted = parse_policy(policy) if policy is not None else None
    logs = _trusted_logs(vkey, trusted)
    note = parse_note(given)
    checkpoint = parse_checkpoint(note.text)
    signed = [(key, signature) for key in logs if (signature := note.signature_of(key)) is not None]
    if not signed:
        raise LogRejection("unknown_log", f"Its origin is {checkpoint.origin!r}.")
    for key, signature in signed:
        _assert_signed(key, signature.bytes, note.text.encode())
        if key.name != checkpoint.origin:
            raise LogRejection("foreign_origin", f"It is {checkpoint.origin!r}.")
    witnesses = trusted.witnesses if trusted else {}
    cosignatures = [
        Cosignature(witness, key.name, _open_cosignature(note.text, found, key))
        for witness, key in witnesses.items()
        if (found := note.signature_of(key)) is not None
    ]
    if trusted and not trusted.is_met_by(one.witness for one in cosignatures):
        raise LogRejection("quorum_not_met", f"{len(cosignatures)} of them did.")
    return VerifiedCheckpoint(checkpoint, cosignatures)


def parse_policy(text: str) -> Policy:
    """Reads a policy's text. Raises `malformed_policy`, `malformed_key` or `unsupported_key`."""
    if len(text) > _MOST_POLICY:
        raise LogRejection("too_large", f"It is longer than {_MOST_POLICY}.")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text):
        raise _bad_policy("It has a control character")
    if text and not text.endswith("\n"):
        raise _bad_policy("The last line has no newline")
    reader = _PolicyReader()
    for number, line in enumerate(text.split("\n"), 1):
        keyword, *words = [word for word in re.split(r"[ \t]+", line) if word] or [""]
        if keyword and not keyword.startswith("#"):
            reader.read(keyword, words, f"Line {number}")
    if reader.quorum is None:
        raise _bad_policy("It has no quorum line")
    return Policy(reader.logs, reader.witnesses, reader.groups, reader.quorum)


class _PolicyReader:
    def __init__(self) -> None:
        self.logs: list[NoteKey] = []
        self.witnesses: dict[str, NoteKey] = {}
        self.groups: list[tuple[str, int, list[str]]] = []
        self.quorum: str | None = None
        self._members: set[str] = set()
        self._defined: set[str] = set()

    def read(self, keyword: str, words: list[str], place: str) -> None:
        if keyword == "log" and len(words) in (1, 2):
            self.logs.append(self._key(words[0], LOG_KEY, self.logs, place))
        elif keyword == "witness" and len(words) in (2, 3):
            self._define(words[0], place)
            key = self._key(words[1], COSIGNATURE, list(self.witnesses.values()), place)
            self.witnesses[words[0]] = key
        elif keyword == "group" and len(words) >= 3:
            self._group(words[0], words[1], words[2:], place)
        elif keyword == "quorum" and len(words) == 1:
            if self.quorum is not None:
                raise _bad_policy(f"{place} is a second quorum line")
            if words[0] != "none" and words[0] not in self._defined:
                raise _bad_policy(f"{place} names {words[0][:60]!r}, which no line before defines")
            self.quorum = words[0]
        else:
            raise _bad_policy(f"{place} is no line of a policy: {keyword[:60]!r}")

    def _group(self, name: str, threshold: str, members: list[str], place: str) -> None:
        for member in members:
            if member not in self._defined:
                raise _bad_policy(f"{place} names {member[:60]!r}, which no line before defines")
            # Who could count in two ways would make a quorum look larger than it is.
            if member in self._members:
                raise _bad_policy(f"{place} names {member[:60]!r}, which is a member already")
            self._members.add(member)
        self._define(name, place)
        count = {"any": 1, "all": len(members)}.get(threshold, 0)
        if re.fullmatch(r"[1-9][0-9]{0,2}", threshold, re.ASCII):
            count = int(threshold)
        if not 1 <= count <= len(members):
            raise _bad_policy(f"{place} needs a number from 1 to {len(members)}")
        self.groups.append((name, count, members))
        if len(self.groups) > _MOST_LINES:
            raise LogRejection("too_large", f"{place} is a group too many.")

    def _define(self, name: str, place: str) -> None:
        if name == "none" or name in self._defined:
            raise _bad_policy(f"{place} defines a name that is taken")
        self._defined.add(name)

    def _key(self, vkey: str, kind: int, others: list[NoteKey], place: str) -> NoteKey:
        key = parse_verifier_key(vkey)
        if key.type != kind:
            raise LogRejection("unsupported_key", f"{place} has a key of another kind.")
        if len(others) >= _MOST_LINES:
            raise LogRejection("too_large", f"{place} is one too many.")
        if any(other.public_key == key.public_key for other in others):
            raise _bad_policy(f"{place} has a key that another line has")
        return key


def _bad_policy(why: str) -> LogRejection:
    return LogRejection("malformed_policy", f"{why}.")


def _trusted_logs(vkey: str | None, policy: Policy | None) -> list[NoteKey]:
    """The log of the key if it is given, which then has to be one of the policy's if it lists any; else the policy's."""
    listed = policy.logs if policy else []
    if vkey is None:
        if not listed:
            raise LogRejection("no_trusted_log")
        return listed
    key = parse_verifier_key(vkey)
    if key.type != LOG_KEY:
        raise LogRejection("unsupported_key", "A log's key is of type 1.")
    if listed and all((one.name, one.id) != (key.name, key.id) for one in listed):
        raise LogRejection("no_trusted_log", "The policy lists other logs than the key's.")
    return [key]


def _open_cosignature(text: str, signature: Signature, key: NoteKey) -> int:
    """Checks a witness's signature (c2sp.org/tlog-cosignature), and gives the time that it names."""
    if len(signature.bytes) != 72:
        raise LogRejection("invalid_signature", f"The key is {key.name}'s.")
    time = int.from_bytes(signature.bytes[:8], "big")
    if time >= 2**53:
        raise LogRejection("invalid_signature", "Its time is none.")
    _assert_signed(key, signature.bytes[8:], f"cosignature/v1\ntime {time}\n{text}".encode())
    return time


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
    """Whether a key is one that verifiers agree on. Whether its y is a point's is left to the check."""
    if len(key) != 32:
        return False
    y = key[:31] + bytes([key[31] & 0x7F])
    return y not in _WEAK and int.from_bytes(y, "little") < 2**255 - 19
