"""Signal filters, and the requested signals of the searched records.

See docs/reference/prospecting.md#signals.
"""

from collections.abc import Sequence

from firmograph.prospecting.engines.query import All, Criterion, HasSignal, Query
from firmograph.prospecting.filters.filter_reader import RequestPath
from firmograph.signals.activity.filters import (
    FilterPath,
    requested_company_signals,
    requested_contact_signals,
)
from firmograph.signals.activity.record_activity import RequestedSignal
from firmograph.signals.activity.shapes import CompanySignalFilter, ContactSignalFilter


def contact_signals(value: ContactSignalFilter, path: RequestPath) -> Criterion:
    return HasSignal(requested_contact_signals(value, signal_place(path)))


def company_signals(
    value: CompanySignalFilter, path: RequestPath, intent_categories: Sequence[str] = ()
) -> Criterion:
    """Match companies by signals. `intent_categories` are those given outside the filters."""
    return HasSignal(requested_company_signals(value, signal_place(path), intent_categories))


def signal_place(path: RequestPath) -> FilterPath:
    """Return the path of a signal filter, with the day and the problems of its request."""
    return FilterPath(path.path, path.context.today, path.context.refuse)


def requested_signals(query: Query) -> tuple[RequestedSignal, ...]:
    """Return the signals requested of the searched records themselves, not of their company or employees."""
    criteria = query.where.criteria if isinstance(query.where, All) else (query.where,)
    return tuple(
        one for criterion in criteria if isinstance(criterion, HasSignal) for one in criterion.requested
    )
