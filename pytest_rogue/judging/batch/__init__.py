"""Judging by the providers' batches: half the price, within a day, and nothing paid for is lost on the way."""
