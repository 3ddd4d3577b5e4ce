"""The installation's secret keys: made on first use, kept in one file of mode 600.

The file is JSON: `{"hash": hex, "tokens": {"1": hex, ...}}`. `hash` keys every stored digest of an identity
(and so of a suppression) and is never rotated; `tokens` holds the AES-SIV key of each token version, the
highest number being the one that new tokens are made under.
"""

import os
import secrets
from pathlib import Path

import msgspec

from firmograph.kit.errors import Refused


class Keyring(msgspec.Struct, frozen=True):
    hash: str
    tokens: dict[int, str]

    def hash_key(self) -> bytes:
        return bytes.fromhex(self.hash)

    def fingerprint(self) -> str:
        """Names the hash key without telling it; stands in the database that was written under it."""
        import hashlib

        return hashlib.blake2b(b"firmograph keyring", key=self.hash_key(), digest_size=8).hexdigest()


def new_keyring() -> Keyring:
    return Keyring(hash=secrets.token_hex(32), tokens={1: secrets.token_hex(32)})


def parse_keyring(text: str | bytes, origin: str) -> Keyring:
    try:
        keyring = msgspec.json.decode(text, type=Keyring)
        keys = {0: keyring.hash, **keyring.tokens}
        valid = len(keys) > 1 and all(len(bytes.fromhex(key)) == 32 and n >= 0 for n, key in keys.items())
    except (msgspec.MsgspecError, ValueError):
        valid = False
    if not valid:
        raise Refused(f"{origin} is not a Firmograph key file; restore it from your backup")
    return keyring


def load_keyring(path: Path) -> Keyring | None:
    """The keyring at `path`, or None when there is none."""
    try:
        return parse_keyring(path.read_bytes(), str(path))
    except FileNotFoundError:
        return None


def create_keyring(path: Path, keyring: Keyring | None = None) -> Keyring:
    """Make a keyring file, of new keys unless they are given; whoever is second reads what the first one made."""
    keyring = keyring or new_keyring()
    text = msgspec.json.format(msgspec.json.encode(keyring))
    # Written whole under another name, then linked into place: the link fails if the file is already there,
    # and nobody ever reads half of it.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        held = load_keyring(path)
        if held is None:
            raise
        return held
    finally:
        draft.unlink(missing_ok=True)
    return keyring
