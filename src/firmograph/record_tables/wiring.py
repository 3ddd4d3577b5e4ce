"""Services of tables that need no column."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.installation import Installation, Services
from firmograph.record_tables.access import TableAccess
from firmograph.record_tables.given_names import GivenNames
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.service import Tables
from firmograph.record_tables.views import TableViews


def _table_ids(installation: Installation) -> TableIds:
    return TableIds(installation.keyring)


def _table_views(installation: Installation) -> TableViews:
    return TableViews(installation.get(TableIds), installation.settings.public_url)


def _tables(installation: Installation) -> Tables:
    access = TableAccess(installation.get(TableIds))
    calls, views = installation.get(ChargedCalls), installation.get(TableViews)
    return Tables(installation.database, calls, access, views)


def _given_names(installation: Installation) -> GivenNames:
    return GivenNames(installation.database, installation.get(TableIds))


SERVICES: Final[Services] = {
    GivenNames: _given_names,
    TableIds: _table_ids,
    TableViews: _table_views,
    Tables: _tables,
}
