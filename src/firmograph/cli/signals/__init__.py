"""Command group `firmograph signals`: detected signals for operators."""
