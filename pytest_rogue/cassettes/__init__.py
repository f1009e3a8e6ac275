"""Cassettes: recorded episodes that can be played again without a desktop, a model, a key or a network."""
