"""Who decides: the Agent protocol, the LiteLLM agent, and the control agents."""
