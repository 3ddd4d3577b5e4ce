"""`firmograph webhooks`: a receiver for developers, and what operators do for receivers that are well again."""
