"""Page views in files: access logs in combined format, and JSON Lines. Others import `files` and `counts`."""
