"""A receiver's check of a delivery in JavaScript, run by a Node process."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_SCRIPT = Path(__file__).with_name("receiver.js")


class CheckResult(NamedTuple):
    signature: str
    """The signature as the receiver computes it."""
    body: bytes
    """`JSON.stringify(JSON.parse(body))`."""


class Node:
    """A Node process until `close`; the test is skipped if Node is not installed."""

    def __init__(self) -> None:
        if not shutil.which("node"):
            pytest.skip("Node is not installed. On Debian: apt-get install nodejs")
        self._process = subprocess.Popen(
            ["node", str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def check(self, body: bytes, *, secret: str = "", timestamp: str = "") -> CheckResult:
        request = {"secret": secret, "timestamp": timestamp, "body": body.decode()}
        self._process.stdin.write(json.dumps(request, ensure_ascii=False) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return CheckResult(answer["signature"], answer["body"].encode())

    def close(self) -> None:
        self._process.communicate(timeout=60)
