"""A receiver written in JavaScript, as a process of Node's that is asked line by line."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_SCRIPT = Path(__file__).with_name("receiver.js")


class Checked(NamedTuple):
    signature: str
    """What the receiver makes of the delivery itself."""
    body: bytes
    """`JSON.stringify(JSON.parse(body))`."""


class Node:
    """Skips the test where Node is not installed. Ends with `close`."""

    def __init__(self) -> None:
        if not shutil.which("node"):
            pytest.skip("Node is not installed. On Debian: apt-get install nodejs")
        self._process = subprocess.Popen(
            ["node", str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def check(self, body: bytes, *, secret: str = "", timestamp: str = "") -> Checked:
        asked = {"secret": secret, "timestamp": timestamp, "body": body.decode()}
        self._process.stdin.write(json.dumps(asked, ensure_ascii=False) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Checked(answer["signature"], answer["body"].encode())

    def close(self) -> None:
        self._process.communicate(timeout=60)
