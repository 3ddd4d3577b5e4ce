"""Roles in a purchase."""

from typing import Final, Literal, get_args

Persona = Literal["decision_maker", "potential_champion", "end_user"]

PERSONAS: Final[tuple[Persona, ...]] = get_args(Persona)
"""The order of the columns of fits, and of roles with equal fit."""
