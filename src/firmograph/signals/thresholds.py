"""When a change counts as a signal: one table for all detectors, the packaged one or the operator's over it.

The values and the reasons for them stand in `thresholds.toml`.
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


class Headcount(_Part, frozen=True):
    least_people: _Count
    rate_1m: _Rate
    rate_3m: _Rate
    rate_6m: _Rate
    rate_12m: _Rate
    baseline_days: _Count


class Traffic(_Part, frozen=True):
    rate: _Rate
    history_months: _Count
    least_months: _Count
    least_visits: _Count


class ItSpend(_Part, frozen=True):
    rate: _Rate
    most_days: _Count


class Hiring(_Part, frozen=True):
    rate: _Rate
    history_weeks: _Count
    least_weeks: _Count
    least_jobs: _Count
    rate_4w: _Rate
    least_jobs_4w: _Count


class JobMove(_Part, frozen=True):
    days_between: _Count


class Thresholds(_Part, frozen=True):
    headcount: Headcount
    traffic: Traffic
    it_spend: ItSpend
    hiring: Hiring
    job_move: JobMove


def load_thresholds(override: str = "") -> Thresholds:
    """The packaged thresholds with the file at `override` merged over them.

    Raises Refused, naming the file and the value, when it cannot be read or does not fit.
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
