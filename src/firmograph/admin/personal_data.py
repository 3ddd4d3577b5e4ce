"""Personal data of `/admin`: none; revoked keys, which a restore leaves so."""

from typing import Final

from firmograph.admin import store
from firmograph.admin.tables import operator_calls, operator_keys
from firmograph.privacy.declarations import Impersonal, PersonalData, Replacement, TableData

_CODE, _SECRET, _OWN_WORDS = Impersonal.CODE, Impersonal.CREDENTIALS, Impersonal.OWN_WORDS


def keep_operator_revocations(replacement: Replacement) -> None:
    """Revoke the operators' keys of a copy that were revoked in the replaced database."""
    replacement.preserved["revoked"] += store.REVOCATIONS.repeat(replacement.replaced, replacement.copy)


PERSONAL_DATA: Final = PersonalData(
    "admin",
    tables=(
        TableData(operator_keys, impersonal={"digest": _SECRET, "prefix": _SECRET, "name": _OWN_WORDS}),
        TableData(
            operator_calls,
            impersonal={
                "path": _CODE,
                "key": _OWN_WORDS,
                "body_hash": _CODE,
                "request_id": _CODE,
                "subject": _CODE,
            },
        ),
    ),
    preservers=(keep_operator_revocations,),
)
