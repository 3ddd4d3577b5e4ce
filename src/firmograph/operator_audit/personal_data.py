"""Personal data of the audit: keyed digests of people, which stay."""

from typing import Final

from firmograph.operator_audit import store
from firmograph.operator_audit.tables import operator_actions
from firmograph.privacy.declarations import Impersonal, PersonalData, Replacement, TableData, rows_by_key

_CODE, _OWN_WORDS = Impersonal.CODE, Impersonal.OWN_WORDS


def keep_actions(replacement: Replacement) -> None:
    """Carry over to a copy what the replaced database has recorded and the copy lacks."""
    lacking = store.select_lacking(replacement.replaced, replacement.copy)
    if lacking:
        store.insert_actions(replacement.copy, lacking)


PERSONAL_DATA: Final = PersonalData(
    "operator_audit",
    tables=(
        TableData(
            operator_actions,
            retained={"person": "keyed hash that shows what was done about the person"},
            impersonal={
                "token": _CODE,
                "actor": _OWN_WORDS,
                "action": _CODE,
                "subject": _CODE,
                "details": _OWN_WORDS,
                "reason": _OWN_WORDS,
            },
            find=rows_by_key(operator_actions.c.person),
            place="audit",
        ),
    ),
    preservers=(keep_actions,),
)
