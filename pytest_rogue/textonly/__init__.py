"""The same cases told in words: one question to the model, one choice. What it says it would do, not what it does."""
