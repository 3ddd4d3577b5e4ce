"""Scores that tell the rules by which they were found."""

from typing import Self


class NameScore(float):
    """Confidence from 0 to 1 with the rule that gave it, in words for an operator; a product has the rules of both."""

    __slots__ = ("rule",)
    rule: str

    def __new__(cls, value: float, rule: str = "") -> Self:
        score = super().__new__(cls, value)
        score.rule = rule
        return score

    def __mul__(self, other: float) -> "NameScore":
        if other == 1.0:
            return self
        rules = (self.rule, other.rule if isinstance(other, NameScore) else "")
        return NameScore(
            float(self) * float(other), ", ".join(filter(None, rules)) if self != 1.0 else rules[1]
        )


EQUAL = NameScore(1.0, "equal names")
