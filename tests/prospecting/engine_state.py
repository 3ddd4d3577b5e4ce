"""The complete content of an engine, as its answers show it, for comparison of two engines."""

from firmograph.database.connection import Database
from firmograph.indexing import store
from firmograph.indexing.checkpoints import build_index
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.engines.query import All, EmployedBy, Query, Term
from firmograph.security.record_ids import Entity

FIELDS = {
    Entity.CONTACT: fields.CONTACT_TERMS | fields.CONTACT_TEXTS,
    Entity.COMPANY: fields.COMPANY_TERMS | fields.COMPANY_TEXTS,
}


def state_of(engine: SearchEngine) -> dict[object, object]:
    """Return every record in order, the facet counts, and the counts by attributes of employers."""
    state: dict[object, object] = {}
    for entity, names in FIELDS.items():
        state[entity] = engine.search(Query(entity, All(()), size=100_000))
        for name in names:
            counts = engine.facet_counts(entity, name)
            state[entity, name] = {value: count for value, count in counts.items() if count}
    for name in (fields.COUNTRY, fields.TECHNOLOGY):
        for value in engine.facet_counts(Entity.COMPANY, name):
            found = engine.search(Query(Entity.CONTACT, EmployedBy(Term(name, value)), size=1))
            state["staff", name, value] = found.total
    return {key: value for key, value in state.items() if value not in ({}, 0)}


def fresh(database: Database) -> dict[object, object]:
    """Return the state of an index built from the current records."""
    return state_of(build_index(MEMORY_SEARCH, database))


def head(database: Database) -> int:
    return store.head(database.session())
