"""docs/asyncapi.yaml, held against the structs that it is made of and against payloads."""

import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from firmograph.signals.types import COMPANY_TYPES, CONTACT_TYPES
from firmograph.webhooks.types import OPT_OUT

ROOT = Path(__file__).parents[2]
DOCUMENT = yaml.safe_load((ROOT / "docs" / "asyncapi.yaml").read_text())


def test_the_committed_document_is_what_the_script_writes(tmp_path):
    written = tmp_path / "asyncapi.yaml"
    subprocess.run([sys.executable, ROOT / "scripts" / "build_asyncapi.py", written], check=True)
    assert written.read_text() == (ROOT / "docs" / "asyncapi.yaml").read_text()


def test_every_type_of_signal_and_the_opt_out_is_a_message_of_the_one_channel():
    told = list(DOCUMENT["channels"]["subscription"]["messages"])
    assert told == [*CONTACT_TYPES, *COMPANY_TYPES, OPT_OUT]
    sent = [each["$ref"].rpartition("/")[2] for each in DOCUMENT["operations"]["deliver"]["messages"]]
    assert sent == told
