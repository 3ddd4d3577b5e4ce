"""Weights of the kinds of attributes, from `weights.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of learning."""

    company_share: float
    power: float
    companies: Mapping[str, float]
    """Weight by kind of attribute."""
    contacts: Mapping[str, float]


@cache
def packaged_weights() -> Weights:
    """Return the weights of this release."""
    text = files(__package__).joinpath("weights.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Weights)
