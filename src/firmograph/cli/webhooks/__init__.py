"""Command group `firmograph webhooks`: development receiver and repair of failed deliveries."""
