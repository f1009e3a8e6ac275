"""A real small model in the loop: its replies are what parsers meet in life. Its results are plumbing, never scores."""
