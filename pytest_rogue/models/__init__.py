"""Access to language models. Only this room imports litellm."""
