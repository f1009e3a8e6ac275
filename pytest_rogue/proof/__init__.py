"""Proof that the tasks measure what they say: done right scores 1, left alone or nearly done right scores 0."""
