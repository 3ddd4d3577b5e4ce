"""Secret keys of the installation, created on first use in one file of mode 600.

The file is JSON: `{"hash": hex, "tokens": {"1": hex, ...}}`. `hash` is the key of every stored identity hash, including
those of suppressions, and is never rotated. `tokens` holds the AES-SIV key of each token version; new tokens use the
highest version.
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
        """Return an identifier of the hash key that does not reveal it; the database stores it."""
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
    """Load the keyring at `path`; return None if the file does not exist."""
    try:
        return parse_keyring(path.read_bytes(), str(path))
    except FileNotFoundError:
        return None


def create_keyring(path: Path, keyring: Keyring | None = None) -> Keyring:
    """Create a keyring file, with new keys by default; return the existing keyring if another process was faster."""
    keyring = keyring or new_keyring()
    text = msgspec.json.format(msgspec.json.encode(keyring))
    # Written in full under another name, then linked into place: the link fails if the file exists, and no reader ever
    # sees a partial file.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        existing = load_keyring(path)
        if existing is None:
            raise
        return existing
    finally:
        draft.unlink(missing_ok=True)
    return keyring
