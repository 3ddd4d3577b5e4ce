"""The operator's commands, one file a group."""
