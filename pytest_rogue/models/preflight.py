"""Is a model's name right, and is its key there? Asked before anything is started; no request is sent."""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib.util import find_spec

from pytest_rogue.errors import ConfigError
from pytest_rogue.models.providers import PROVIDERS, ProviderAccess, provider_prefix
from pytest_rogue.readiness import Readiness


def check_model(model: str) -> None:
    """Check what can be known about a model without calling it.

    For the providers of `providers.PROVIDERS` this does not import litellm.

    Args:
        model: litellm's name of the model.

    Raises:
        ConfigError: litellm is missing, no provider has such a name, or the environment lacks the key or the address.
    """
    if find_spec("litellm") is None:
        raise ConfigError(f"{model} is called through litellm; install it with: pip install 'pytest-rogue[models]'")
    prefix = provider_prefix(model)
    if prefix in PROVIDERS and model == f"{prefix}/":
        raise ConfigError(f"{model!r} names a provider but no model; write {prefix}/MODEL")
    access = PROVIDERS.get(prefix) or _ask_litellm(model)
    if access is not None:
        _check_environment(model, access)


def keys_of(model: str) -> tuple[str, ...]:
    """Return the environment variables that may hold the key of a model; a cloud's own credentials are not told."""
    from pytest_rogue.models.litellm_client import provider_of

    provider = provider_prefix(model)
    if provider not in PROVIDERS:
        provider = provider_of(model) or provider
    access = PROVIDERS.get(provider)
    return tuple(dict.fromkeys([*(access.keys if access else ()), f"{provider.upper()}_API_KEY"]))


def _ask_litellm(model: str) -> ProviderAccess | None:
    """Return what the provider needs, or None for a provider that litellm knows and the table does not."""
    from pytest_rogue.models.litellm_client import provider_of

    provider = provider_of(model)
    if provider is None:
        raise ConfigError(f"no provider knows the model {model!r}; {_suggestion(model)}")
    return PROVIDERS.get(provider)


def _suggestion(model: str) -> str:
    from pytest_rogue.models.litellm_client import known_names

    providers, models = known_names()
    prefix, slash, name = model.partition("/")
    close = [f"{near}/{name}" for near in get_close_matches(prefix, providers, n=2)] if slash else []
    close += [near for near in get_close_matches(model, models, n=3) if near not in close]
    if close:
        return f"did you mean {' or '.join(close[:3])}?"
    return "write PROVIDER/MODEL, for instance openai/gpt-5.5 or hosted_vllm/NAME for a server of your own"


def _check_environment(model: str, access: ProviderAccess) -> None:
    for what, command in _lacking(access):
        raise ConfigError(f"{what} for {model} is not set; run: {command}")


def _lacking(access: ProviderAccess) -> list[tuple[str, str]]:
    """Return what is missing, each with the command that mends it."""
    lacking = []
    if access.keys and not any(os.environ.get(name) for name in access.keys):
        lacking.append(("the key", f"export {access.keys[0]}=YOUR-KEY"))
    if access.base and not os.environ.get(access.base):
        lacking.append(("the address of the server", f"export {access.base}=http://HOST:PORT/v1"))
    return lacking


def model_readiness() -> tuple[Readiness, ...]:
    """Return which providers could be called from here, for `pytest-rogue doctor`. Values of keys are not shown."""
    installed = find_spec("litellm") is not None
    library = Readiness(
        "litellm",
        installed,
        "installed" if installed else "",
        "" if installed else "pip install 'pytest-rogue[models]'",
    )
    return (library, *(_readiness(access) for access in PROVIDERS.values() if access.keys or access.base))


def _readiness(access: ProviderAccess) -> Readiness:
    lacking = _lacking(access)
    wanted = [*access.keys, access.base]
    found = [name for name in wanted if name and os.environ.get(name)]
    return Readiness(access.prefix, not lacking, ", ".join(found), lacking[0][1] if lacking else "")
