"""Commands about people: `firmograph privacy`, `suppress`, `unsuppress` and `suppressions`."""
