"""Objects exempt from garbage collection."""

import gc
import weakref

import pytest

from firmograph.indexing.active_index import ActiveIndex
from firmograph.kit.gc_tuning import freeze_existing_objects
from firmograph.prospecting.engines.memory.engine import MemoryEngine

pytestmark = pytest.mark.no_database


def test_an_index_in_service_is_exempt_from_collections_and_freed_once_it_is_replaced():
    index, engine = ActiveIndex(), MemoryEngine.empty()
    index.on_served = freeze_existing_objects
    terms, freed = engine.contacts.terms, weakref.ref(engine)
    try:
        index.serve(engine)
        assert not any(each is terms for each in gc.get_objects())
        del engine
        index.serve(MemoryEngine.empty())
        assert freed() is None
    finally:
        gc.unfreeze()
