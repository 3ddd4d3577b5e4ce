"""Builder of the meetings of the demo: twelve of three teams whose speakers have roles for names, in native form.

    python -m evaluation.conversations.demo_meetings DATA

writes `demo/conversations/meetings.jsonl.gz`; the same folder DATA gives the same bytes. Dates are made up, as the
source has none. Spaces before signs and marks of sounds are left out of the texts.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from evaluation.conversations.gold import CALLS, MEETINGS

TARGET: Final = CALLS.with_name("meetings.jsonl.gz")
_TEAMS: Final = ("IS1001", "TS3010", "ES2010")
_STAGES: Final = {"a": "kick-off", "b": "functional design", "c": "conceptual design", "d": "detailed design"}
_FIRST: Final = datetime(2026, 1, 12, 9)  # noqa: DTZ001
_SOUND: Final = re.compile(r"\{\w+\}")
_BEFORE_SIGN: Final = re.compile(r" (?=[,.?!;:]|(?:'|n')\w{1,2}\b)")


def native(row: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a meeting in the native form."""
    key = row["id"]
    segments = [
        {"speaker": turn["speaker"], "text": text}
        for turn in row["turns"]
        if re.search(r"\w", text := _BEFORE_SIGN.sub("", " ".join(_SOUND.sub(" ", turn["text"]).split())))
    ]
    return {
        "sourceId": f"qmsum:{key}",
        "title": f"Remote control project, team {key[:-1]}: {_STAGES[key[-1]]}",
        "startedAt": f"{(_FIRST + timedelta(days=7 * number)).isoformat()}Z",
        "provider": "QMSum",
        "language": "en",
        "participants": [{"name": name} for name in sorted({one["speaker"] for one in segments})],
        "segments": segments,
    }


def chosen(data: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(data / MEETINGS, "rt", encoding="utf-8") as lines:
        rows = {row["id"]: row for row in map(json.loads, lines)}
    keys = [team + stage for team in _TEAMS for stage in _STAGES]
    yield from (native(rows[key], number) for number, key in enumerate(keys))


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the meetings of the demo.")
    parser.add_argument("data", type=Path, help="the folder of the open data")
    lines = (
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in chosen(parser.parse_args().data)
    )
    content = "".join(f"{line}\n" for line in lines).encode()
    TARGET.write_bytes(gzip.compress(content, 9, mtime=0))
    print(f"{TARGET.name}: {len(content):,} bytes, {TARGET.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
