"""The filters by signals (wire-a 4.1 and 4.2), and what they ask of the records that are found."""

from collections.abc import Sequence

from firmograph.prospecting.engines.query import All, Criterion, Query, Signal
from firmograph.prospecting.filters.filter_reader import At
from firmograph.signals.activity import Wanted
from firmograph.signals.activity_filters import Place, company_wanted, contact_wanted
from firmograph.signals.activity_shapes import CompanySignalFilter, ContactSignalFilter


def contact_signals(value: ContactSignalFilter, at: At) -> Criterion:
    return Signal(contact_wanted(value, _place(at)))


def company_signals(value: CompanySignalFilter, at: At, intent_categories: Sequence[str] = ()) -> Criterion:
    """`intent_categories` are those that stand beside the filters instead of in here (row 8 of the decisions)."""
    return Signal(company_wanted(value, _place(at), intent_categories))


def _place(at: At) -> Place:
    return Place(at.path, at.reading.today, at.reading.refuse)


def wanted_of_found(query: Query) -> tuple[Wanted, ...]:
    """The signals that a query asks of the very records that it finds, not of their company or their people."""
    criteria = query.where.criteria if isinstance(query.where, All) else (query.where,)
    return tuple(
        one for criterion in criteria if isinstance(criterion, Signal) for one in criterion.requested
    )
