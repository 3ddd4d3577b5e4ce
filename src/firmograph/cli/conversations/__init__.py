"""Commands `firmograph conversations`."""
