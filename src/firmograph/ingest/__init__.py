"""The only door for data: read, normalise, resolve, merge, and write in one transaction."""
