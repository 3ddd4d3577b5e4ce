"""Tables of conversations: metadata, transcripts, analyses, word counts by block, settings of accounts."""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

conversations = sa.Table(
    "conversations",
    metadata,
    id_column(),
    account_column(),
    # the public id: 16 bytes of a keyed digest of account, source and the id in the source
    sa.Column("uuid", sa.LargeBinary, nullable=False),
    # place among the account's conversations, in the blocks of words
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    # keyed digest of the content as it was imported
    sa.Column("version", sa.LargeBinary, nullable=False),
    # `types.ConversationState`
    sa.Column("state", sa.SmallInteger, nullable=False),
    sa.Column("started_at", sa.Double, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    # JSON: `types.ConversationDetails`
    sa.Column("details", sa.LargeBinary, nullable=False),
    # JSON: names given to speakers, by the name that the recorder gave
    sa.Column("speakers", sa.LargeBinary),
    sa.Column("imported_at", sa.Double, nullable=False),
    # failed attempts at an analysis, and the reason of the last one
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("failure", sa.Text),
    *lease_columns(),
    sa.UniqueConstraint("account_id", "uuid"),
    sa.UniqueConstraint("account_id", "place"),
    sa.Index("conversations_due", "due_at"),
    sqlite_autoincrement=True,
)

conversation_transcripts = sa.Table(
    "conversation_transcripts",
    metadata,
    sa.Column("conversation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    account_column(),
    # packed JSON: `types.Talk`
    sa.Column("contents", sa.LargeBinary, nullable=False),
)

conversation_people = sa.Table(
    "conversation_people",
    metadata,
    sa.Column("conversation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    account_column(),
    # sorted beginnings, of 8 bytes, of the keyed hashes of all who take part or may be named
    sa.Column("digests", sa.LargeBinary, nullable=False),
)

conversation_analyses = sa.Table(
    "conversation_analyses",
    metadata,
    sa.Column("conversation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    account_column(),
    # `local` or `model`
    sa.Column("analyser", sa.Text, nullable=False),
    sa.Column("analysed_at", sa.Double, nullable=False),
    # JSON: `analysis.findings.Findings`
    sa.Column("findings", sa.LargeBinary, nullable=False),
)

conversation_words = sa.Table(
    "conversation_words",
    metadata,
    account_column(primary_key=True),
    # `words.IndexedField`
    sa.Column("field", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("word", sa.Text, primary_key=True),
    sa.Column("block", sa.Integer, primary_key=True, autoincrement=False),
    # places and counts: `words.WordBlock`
    sa.Column("counts", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

conversation_blocks = sa.Table(
    "conversation_blocks",
    metadata,
    account_column(primary_key=True),
    sa.Column("block", sa.Integer, primary_key=True, autoincrement=False),
    # place, number of words, time and public id of each conversation: `words.DOCUMENT`
    sa.Column("documents", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

conversation_settings = sa.Table(
    "conversation_settings",
    metadata,
    account_column(primary_key=True),
    # `local` or `model`
    sa.Column("analyser", sa.Text, nullable=False),
    # JSON: names of competitors that the operator gave, each with its aliases
    sa.Column("competitors", sa.Text, nullable=False),
    # UTC day of the last use of a model, in days since the epoch, and the tokens used on it
    sa.Column("tokens_day", sa.Integer, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
)
