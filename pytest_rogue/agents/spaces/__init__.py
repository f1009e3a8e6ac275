"""How a model says what to do: each way is one module, which parses a reply into actions."""
