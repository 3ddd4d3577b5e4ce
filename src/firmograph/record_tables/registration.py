"""Registration of record tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData
    from firmograph.record_tables.columns.kind import ColumnKinds
    from firmograph.record_tables.ids import TableIds


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.record_tables.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _table_ids(installation: Installation) -> "TableIds":
    from firmograph.record_tables.ids import TableIds

    return TableIds(installation.keyring)


def _column_kinds(installation: Installation) -> "ColumnKinds":
    from firmograph.billing.paid_units import PaidUnits
    from firmograph.enrichment.record_renderer import RecordRenderer
    from firmograph.record_tables.columns.catalog_kind import CatalogKind
    from firmograph.record_tables.columns.kind import ColumnKinds

    renderer = RecordRenderer(installation.record_ids, installation.get(PaidUnits))
    return ColumnKinds({"lusha": CatalogKind(renderer)})


REGISTRATION = Registration(
    personal_data=_personal_data, services={"ColumnKinds": _column_kinds, "TableIds": _table_ids}
)
