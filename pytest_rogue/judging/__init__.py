"""What agents intended: judges over recorded episodes, and how far a judge is to be believed."""
