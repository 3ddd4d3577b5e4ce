"""Import of files: reading, normalising, matching, merging and committing rows.

All data enters through here. Other packages import `service`, `feeds.service`, `summary` and `reading.inputs`.
"""
