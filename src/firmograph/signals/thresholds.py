"""Thresholds of all detectors: the packaged table, with an operator's file merged over it.

`thresholds.toml` has the values and their reasons.
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from firmograph.kit.deep_merge import deep_merge
from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file

_Count = Annotated[int, Meta(ge=0, le=1_000_000)]
_Rate = Annotated[float, Meta(gt=0, le=1_000_000)]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class HeadcountThresholds(_Part, frozen=True):
    least_people: _Count
    rate_1m: _Rate
    rate_3m: _Rate
    rate_6m: _Rate
    rate_12m: _Rate
    baseline_days: _Count


class TrafficThresholds(_Part, frozen=True):
    rate: _Rate
    history_months: _Count
    least_months: _Count
    least_visits: _Count


class ItSpendThresholds(_Part, frozen=True):
    rate: _Rate
    most_days: _Count


class HiringThresholds(_Part, frozen=True):
    rate: _Rate
    history_weeks: _Count
    least_weeks: _Count
    least_jobs: _Count
    rate_4w: _Rate
    least_jobs_4w: _Count


class JobMoveThresholds(_Part, frozen=True):
    days_between: _Count


class Thresholds(_Part, frozen=True):
    headcount: HeadcountThresholds
    traffic: TrafficThresholds
    it_spend: ItSpendThresholds
    hiring: HiringThresholds
    job_move: JobMoveThresholds


def load_thresholds(override: str = "") -> Thresholds:
    """Load the packaged thresholds, with the file at `override` merged over them.

    Raises Refused with file and value if the file cannot be read or has a wrong value.
    """
    if not override:
        return _packaged()
    own = read_toml_file(override, "thresholds file")
    try:
        return msgspec.convert(deep_merge(_table(), own), Thresholds)
    except msgspec.ValidationError as error:
        raise Refused(f"The thresholds file {override} does not fit: {error}") from error


@cache
def _packaged() -> Thresholds:
    return msgspec.convert(_table(), Thresholds)


def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("thresholds.toml").read_text("utf-8"))
