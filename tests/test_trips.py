import importlib
import os

import pytest
from scripts import count_trips

pytestmark = [pytest.mark.no_database, pytest.mark.folders("scripts")]


def test_a_trip_has_the_files_that_ran_and_the_calls_between_them(tmp_path, monkeypatch):
    (tmp_path / "callee.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 2\n")
    (tmp_path / "caller.py").write_text(
        "import callee\n\n\ndef run():\n    return callee.one(), callee.two()\n"
    )
    (tmp_path / "unused.py").write_text("def run():\n    return 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(count_trips, "PACKAGE", f"{tmp_path}{os.sep}")
    caller = importlib.import_module("caller")
    watch = count_trips.Watch()
    try:
        caller.run()
        with watch.trip() as made:
            caller.run()
    finally:
        watch.end()
    assert made == [count_trips.Trip(files=2, moves=2)]
