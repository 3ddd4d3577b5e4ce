"""Departments and seniority from job titles.

A title is split into words and searched for the phrases of the languages' tables, the longest first at each word
(`data/README.md` explains their marks). A word without a phrase is read as a compound. The rest after "assistant to",
"Assistent der" and similar phrases is another person's title. Where nothing of a title is known, a small model
(`model.py`) decides if it is sure enough.

Heads of public bodies (governor, mayor, attorney general, secretary of state) are C-Suite, their deputies Vice
President; members of legislatures, councils and boards are Director; an owner is a Founder; a title without a rank is
Non-Manager. Managers of accounts, products and projects lead nobody: Non-Manager.
"""

from functools import lru_cache

from firmograph.directory.titles.model import load_model
from firmograph.directory.titles.rules import TitleRules
from firmograph.directory.titles.tables import load_tables
from firmograph.directory.vocabulary import SENIORITIES

_NON_MANAGER = 3


@lru_cache(maxsize=1)
def _rules() -> TitleRules:
    """Return the rules; commands that derive nothing never load their tables."""
    return TitleRules(load_tables())


@lru_cache(maxsize=65_536)
def _departments(title: str) -> tuple[str, ...]:
    found = _rules().departments(title)
    if found is None:
        return ()
    return found or (load_model().department(title) or "Other",)


def derive_departments(title: str) -> list[str]:
    """Return up to three of the 16 departments in the title's order; `Other` if none fits, none for an empty title."""
    return list(_departments(title))


@lru_cache(maxsize=65_536)
def derive_seniority(title: str) -> str | None:
    """Return the label of the title's highest rank, Non-Manager without one; None for an empty title."""
    rank = _rules().rank(title)
    if rank is None:
        return None
    return SENIORITIES[rank or _NON_MANAGER]
