"""Weights of attributes: the weight of their kind, from `weights.toml`, times their rarity."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from firmograph.lookalikes.model.attributes import Attribute, kind_of


class EntityWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of learning for one kind of record; `weights.toml` explains them."""

    learning_rarity: float
    rarity: float
    power: float
    evenness: float
    kinds: Mapping[str, float]
    """Weight by kind of attribute."""

    def __post_init__(self) -> None:
        if min(self.kinds.values(), default=0.0) < 0:
            raise ValueError("the weight of a kind is not negative")

    def of_kind(self, attribute: Attribute) -> float:
        """Return the weight of an attribute's kind; 0 if the kind is not learnt."""
        return self.kinds.get(kind_of(attribute), 0.0)


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of learning."""

    company_share: float
    companies: EntityWeights
    contacts: EntityWeights

    def __post_init__(self) -> None:
        if not 0 <= self.company_share <= 1:
            raise ValueError("company_share is from 0 to 1")


@cache
def packaged_weights() -> Weights:
    """Return the weights of this release."""
    text = files(__package__).joinpath("weights.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Weights)


def rarity(holders: int, records: int) -> float:
    """Return the rarity of an attribute that `holders` of so many records have; of one that all have, almost 0."""
    return math.log((1 + records) / holders)
