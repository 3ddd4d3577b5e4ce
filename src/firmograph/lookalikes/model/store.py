"""SQL of similarity models."""

from typing import Final, NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.lookalikes.tables import similarity_models

_KEPT: Final = 2
"""Models that are kept: the one in force, and the one that nodes change over from."""

_models = similarity_models.c
_number = sa.select(sa.func.coalesce(sa.func.max(_models.number), 0))
_newest = sa.select(similarity_models).order_by(_models.number.desc()).limit(1)
_size = (
    sa.select(_models.number, _models.companies, _models.contacts).order_by(_models.number.desc()).limit(1)
)
_insert = (
    insert(similarity_models)
    .values({column.name: sa.bindparam(column.name) for column in _models})
    .on_conflict_do_nothing()
    .returning(_models.number)
)
_delete_older = sa.delete(similarity_models).where(_models.number <= sa.bindparam("last"))


class StoredModel(NamedTuple):
    number: int
    created_at: float
    companies: int
    """Highest number of a company when it was learnt."""
    contacts: int
    content: bytes


class ModelSize(NamedTuple):
    """Records from which the newest model was learnt, as highest numbers."""

    number: int
    companies: int
    contacts: int


def newest_number(session: Session) -> int:
    """Return the number of the model in force; 0 if there is none."""
    row = session.one(_number)
    return row[0] if row else 0


def newest_size(session: Session) -> ModelSize | None:
    row = session.one(_size)
    return ModelSize(*row) if row else None


def newest(session: Session) -> StoredModel | None:
    row = session.one(_newest)
    return StoredModel(*row) if row else None


def insert_model(session: Session, model: StoredModel) -> bool:
    """Insert a model and delete old ones. Returns False, changing nothing, if its number is taken."""
    if not session.all(_insert, model._asdict()):
        return False
    session.execute(_delete_older, {"last": model.number - _KEPT})
    return True
