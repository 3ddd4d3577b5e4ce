"""Personal data of indexing: the checkpoints of all indexes."""

from typing import Final

from firmograph.privacy.declarations import FileData, PersonalData

PERSONAL_DATA: Final = PersonalData(
    "indexing",
    files=(
        FileData(
            "indexing.checkpoint_file",
            "an index on disk; that of search has names, titles and other searched values of all records, that of"
            " similarity a hash of what identifies each, that of company names the names of companies, which may be"
            " named after a person",
            "rebuilt without the person when it is next renewed, that of search at once by `firmograph index`; until"
            " then no answer shows the person",
        ),
        FileData("indexing.checkpoints", "an empty lock file"),
    ),
)
