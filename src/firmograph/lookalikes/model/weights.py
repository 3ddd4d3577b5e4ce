"""Weights of attributes: the weight of their kind, from `weights.toml`, times their rarity."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from firmograph.lookalikes.model.attributes import Attribute, kind_of


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of learning; `weights.toml` explains them."""

    company_share: float
    power: float
    rarity: float
    companies: Mapping[str, float]
    """Weight by kind of attribute."""
    contacts: Mapping[str, float]

    def __post_init__(self) -> None:
        if not 0 <= self.company_share <= 1:
            raise ValueError("company_share is from 0 to 1")
        if min((*self.companies.values(), *self.contacts.values()), default=0.0) < 0:
            raise ValueError("the weight of a kind is not negative")


@cache
def packaged_weights() -> Weights:
    """Return the weights of this release."""
    text = files(__package__).joinpath("weights.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Weights)


def attribute_weight(
    attribute: Attribute, kinds: Mapping[str, float], rarity: float, holders: int, records: int
) -> float:
    """Return the weight of an attribute that `holders` of so many records have; 0 for a kind without weight.

    What all records have still counts a little, so that it can explain a result.
    """
    return kinds.get(kind_of(attribute), 0.0) * math.pow(math.log((1 + records) / holders), rarity)
