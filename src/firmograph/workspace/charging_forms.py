"""Key of a form that may charge, the `Idempotency-Key` of its call."""

import hashlib
import re
from typing import Final
from uuid import uuid4

from firmograph.caller import CallKey
from firmograph.kit.errors import BadRequest
from firmograph.workspace.visit import Visit

FIELD: Final = "idempotency_key"
_KEY: Final = re.compile(r"[0-9a-f-]{36}")


def new_key() -> str:
    """Return the key of a form, as it is shown."""
    return str(uuid4())


def read_key(visit: Visit, target: str, body: bytes) -> CallKey:
    """Return the key of a form that was sent: the same for a double click, a way back and a reload.

    Raises BadRequest for a form without one.
    """
    key = visit.typed(FIELD)
    if not _KEY.fullmatch(key):
        raise BadRequest("This form has no key against being charged twice; open the page again")
    return CallKey(f"POST {target}", key, hashlib.sha256(body).digest())
