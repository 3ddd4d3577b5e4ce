"""Rendering of buying groups: previews of search with roles and score."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.api.envelope import ErrorDetail
from firmograph.buying_groups.ranking import SCORE_SCALE
from firmograph.buying_groups.roles.personas import Persona
from firmograph.buying_groups.shapes import BuyingGroupCompany, MissingBuyingGroup
from firmograph.directory.result_slots import NOT_FOUND, item_message
from firmograph.security.record_ids import Entity, RecordIds

_json = msgspec.json.Encoder().encode


class MemberView(NamedTuple):
    number: int
    roles: list[Persona]
    score: int
    """In units of 1 / SCORE_SCALE."""


class GroupView(NamedTuple):
    """One company of an answer."""

    position: int
    """Position in the request."""
    company: int | None
    """None if it is not found."""
    members: list[MemberView]


class AnswerRenderer:
    """Renders answers with the ids of this installation."""

    def __init__(self, tokens: RecordIds) -> None:
        self._tokens = tokens

    def results(
        self,
        items: Sequence[BuyingGroupCompany],
        groups: Collection[GroupView],
        previews: Mapping[int, bytes],
    ) -> list[bytes]:
        """Return a result for each group; `previews` has every member of the groups."""
        return [self._group(items[group.position], group, previews) for group in groups]

    def _group(self, item: BuyingGroupCompany, group: GroupView, previews: Mapping[int, bytes]) -> bytes:
        if group.company is None:
            return _json(_missing(item))
        reference = b""
        if item.client_reference_id is not UNSET:
            reference = b'"clientReferenceId":%s,' % _json(item.client_reference_id)
        contacts = b",".join(_with_roles(previews[member.number], member) for member in group.members)
        token = self._tokens.seal(Entity.COMPANY, group.company).encode()
        return b'{%s"companyId":"%s","contacts":[%s]}' % (reference, token, contacts)


def _with_roles(preview: bytes, member: MemberView) -> bytes:
    """Return a preview, a JSON object, with roles and score."""
    score = format(member.score / SCORE_SCALE, "g").encode()
    return b'%s,"roles":%s,"score":%s}' % (preview[:-1], _json(member.roles), score)


def _missing(item: BuyingGroupCompany) -> MissingBuyingGroup:
    return MissingBuyingGroup(
        client_reference_id=item.client_reference_id,
        id=item.id,
        domain=item.domain,
        contacts=[],
        error=ErrorDetail(NOT_FOUND, item_message(Entity.COMPANY, NOT_FOUND)),
    )
