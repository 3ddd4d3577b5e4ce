"""Personal data of lookalikes: none; models hold words that several records share, sessions hold record numbers."""

from typing import Final

from firmograph.lookalikes.tables import lookalike_results, lookalike_sessions, similarity_models
from firmograph.privacy.declarations import Impersonal, PersonalData, TableData

_TABLES = (
    # values that at least five records hold, and numbers learnt from them
    TableData(
        similarity_models,
        impersonal={"content": Impersonal.VOCABULARY, "contacts": Impersonal.REFERENCE},
    ),
    TableData(lookalike_sessions, impersonal={"id": Impersonal.CODE}),
    TableData(
        lookalike_results,
        impersonal={"session_id": Impersonal.CODE, "numbers": Impersonal.REFERENCE},
        kept={"numbers": "results shown before, which no answer shows again; they go with the session"},
    ),
)

PERSONAL_DATA: Final = PersonalData("lookalikes", tables=_TABLES)
