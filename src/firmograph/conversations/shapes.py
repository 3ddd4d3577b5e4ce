"""Requests of conversations as JSON."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.kit.errors import BadRequest

MOST_VALUES: Final = 100
MOST_CHARACTERS: Final = 500

_Value = Annotated[str, Meta(min_length=1, max_length=MOST_CHARACTERS)]
_Values = Annotated[list[_Value], Meta(max_length=MOST_VALUES)]
_Day = Annotated[
    str,
    Meta(
        pattern=r"^\d{4}-\d{2}-\d{2}\Z",
        description="A day of the start in UTC, inclusive: `YYYY-MM-DD`",
        extra_json_schema={"format": "date"},
    ),
]


class ConversationFilterValues(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Filters of a search: any value of one, and all filters."""

    date_from: _Day | UnsetType = UNSET
    date_to: _Day | UnsetType = UNSET
    contact_names: (
        Annotated[_Values, Meta(description="Participants or speakers: all words of a value in one name.")]
        | UnsetType
    ) = UNSET
    company_domains: (
        Annotated[
            _Values, Meta(description="Hosts of the company or of a participant's address; never your own.")
        ]
        | UnsetType
    ) = UNSET
    meeting_titles: Annotated[_Values, Meta(description="All words of a value in the title.")] | UnsetType = (
        UNSET
    )
    conversation_ids: (
        Annotated[_Values, Meta(description="Ids; one that is unknown is left out.")] | UnsetType
    ) = UNSET


class SearchConversations(ConversationFilterValues, rename="camel", forbid_unknown_fields=True):
    query: (
        Annotated[
            str,
            Meta(
                max_length=MOST_CHARACTERS,
                description="Words of transcripts. With it, the filters are ignored.",
            ),
        ]
        | UnsetType
    ) = UNSET
    filters: (
        Annotated[ConversationFilterValues, Meta(description="The same filters, if you prefer them apart.")]
        | UnsetType
    ) = UNSET
    page: Annotated[int, Meta(ge=0, le=1000)] = 0
    page_size: Annotated[int, Meta(ge=1, le=100)] = 25

    def filter_value(self, name: str) -> Any:
        """Return a filter from either place. Raises BadRequest if it stands in both."""
        flat = getattr(self, name)
        apart = getattr(self.filters, name) if self.filters is not UNSET else UNSET
        if flat is not UNSET and apart is not UNSET:
            camel = "".join(part.title() if index else part for index, part in enumerate(name.split("_")))
            problem = f"{camel} should be given once, not at top level and in filters"
            raise BadRequest(problem, [problem])
        return flat if apart is UNSET else apart


class ConversationPath(msgspec.Struct, forbid_unknown_fields=True):
    conversation_id: Annotated[str, Meta(description="Id of a conversation.")]
