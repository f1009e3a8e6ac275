"""What the providers people use most need from the environment, as one table.

The names are those that litellm reads, https://docs.litellm.ai/docs/providers. A provider that is not in the table
works too; it only is not checked before the run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """What a provider needs.

    Attributes:
        prefix: of its model names, without the slash.
        keys: environment variables of which one has to hold the key; empty where no single variable is needed.
        base: environment variable of the server's address, empty where the address is known.
        unmetered: True where the server is the user's own and no call is billed.
    """

    prefix: str
    keys: tuple[str, ...] = ()
    base: str = ""
    unmetered: bool = False


_TABLE = (
    ProviderAccess("openai", ("OPENAI_API_KEY",)),
    ProviderAccess("anthropic", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
    ProviderAccess("gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    ProviderAccess("openrouter", ("OPENROUTER_API_KEY", "OR_API_KEY")),
    ProviderAccess("azure", ("AZURE_API_KEY", "AZURE_AD_TOKEN"), base="AZURE_API_BASE"),
    ProviderAccess("mistral", ("MISTRAL_API_KEY",)),
    ProviderAccess("deepseek", ("DEEPSEEK_API_KEY",)),
    ProviderAccess("dashscope", ("DASHSCOPE_API_KEY",)),
    ProviderAccess("moonshot", ("MOONSHOT_API_KEY",)),
    ProviderAccess("xai", ("XAI_API_KEY",)),
    ProviderAccess("groq", ("GROQ_API_KEY",)),
    ProviderAccess(
        "together_ai", ("TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY")
    ),
    # Their credentials may come from files, roles, and metadata servers, so that there is no variable to ask for.
    ProviderAccess("bedrock"),
    ProviderAccess("vertex_ai"),
    ProviderAccess("hosted_vllm", base="HOSTED_VLLM_API_BASE", unmetered=True),
    ProviderAccess("ollama", unmetered=True),
    ProviderAccess("ollama_chat", unmetered=True),
    ProviderAccess("lm_studio", base="LM_STUDIO_API_BASE", unmetered=True),
    ProviderAccess("llamafile", unmetered=True),
)

PROVIDERS = {access.prefix: access for access in _TABLE}


def provider_prefix(model: str) -> str:
    """Return what stands before the first slash of a model name, or an empty string."""
    prefix, slash, _ = model.partition("/")
    return prefix if slash else ""


def known_to_be_free(model: str) -> bool:
    """True where a price of zero is to be believed: the user's own server, or a name that says `:free`."""
    access = PROVIDERS.get(provider_prefix(model))
    return model.endswith(":free") or (access is not None and access.unmetered)
