"""Page as it is declared: method, path, audience and function."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from firmograph.workspace.answers import Answer
from firmograph.workspace.visit import Visit

Audience = Literal["anybody", "login", "member", "manager", "admin", "operator"]
"""Who may see a page: anybody, who is signed in, a user of the chosen account by role, or an operator."""

RANKS: Final[Mapping[str, int]] = {"member": 1, "manager": 2, "admin": 3}
"""Roles of an account; each may do what the ones before it may."""

MOST_BYTES: Final = 65_536
"""Bytes of a form without a file."""


class Route(NamedTuple):
    """Page."""

    method: Literal["GET", "POST"]
    path: str
    """Path below `/workspace`, with parameters as the framework writes them, such as `/keys/{prefix:str}`."""
    audience: Audience
    function: Callable[[Visit], Answer]
