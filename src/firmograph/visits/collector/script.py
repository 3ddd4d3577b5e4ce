"""Script as it is served: the readable one of the package without comments and indentation."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Script(NamedTuple):
    body: bytes
    etag: bytes


@cache
def read_script() -> Script:
    source = (files(__package__) / "v.js").read_text("utf-8")
    lines = (line.strip() for line in source.splitlines())
    body = "\n".join(line for line in lines if line and not line.startswith("//")).encode()
    return Script(body, b'"%s"' % hashlib.sha256(body).hexdigest()[:16].encode())
