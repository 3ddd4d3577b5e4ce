"""Command group `firmograph prospect`: prospecting by filters without a server."""
