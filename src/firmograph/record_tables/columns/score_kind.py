"""Score columns: the signal score of each row as a number."""

from collections.abc import Collection, Mapping
from typing import Final

from firmograph.billing.affordable_charge import PricedGroup
from firmograph.database.connection import AccountSession
from firmograph.kit.clock import day_of
from firmograph.kit.whole_numbers import encode
from firmograph.record_tables.columns.kind import NO_DATA, CellContent
from firmograph.record_tables.columns.store import NewColumn
from firmograph.record_tables.types import TableColumn, ValueType
from firmograph.security.record_ids import Entity
from firmograph.signal_score.record_scores import PRICE_KEYS, find_scores

SCORE: Final = "score"


def score_column() -> NewColumn:
    """Return a score column to insert."""
    return NewColumn(SCORE, None, SCORE, "Signal score")


class ScoreKind:
    """Kind of the score columns; each score is charged each time."""

    def value_type(self, column: TableColumn, entity: Entity) -> ValueType:
        return "number"

    def load(
        self,
        session: AccountSession,
        entity: Entity,
        columns: Collection[TableColumn],
        numbers: Collection[int],
        at: float,
    ) -> Mapping[int, Mapping[int, CellContent]]:
        """Return the content of cells. At most five statements."""
        scores = find_scores(session.session, entity, numbers, day_of(at))
        groups = (PricedGroup(PRICE_KEYS[entity]),)
        contents = {
            number: NO_DATA if score is None else CellContent(encode(score.value), groups)
            for number, score in scores.items()
        }
        return {column.id: contents for column in columns}
