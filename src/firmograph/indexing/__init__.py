"""Indexes that follow the change sequence, in this process or elsewhere.

A feature supplies an `IndexKind`; other packages import `index_kind`, `change_batches`, `active_index`, `local_index`,
`follower`, `checkpoints` and `checkpoint_file`. The store is private.
"""
