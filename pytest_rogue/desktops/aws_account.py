"""AWS in one region: its clients, made when they are needed, and what their faults mean to the user.

Requests are tried again by botocore with growing pauses; what makes something carries a token, so that trying again
makes it once.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_rogue.environment import undisturbed
from pytest_rogue.errors import ConfigError, DesktopStartError, DesktopsUnavailable, InfraError

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTEMPTS = 5
CONNECT_PATIENCE = 10
ANSWER_PATIENCE = 60
"""Seconds a connection, and an answer, may take."""

_BAD_CREDENTIALS = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "TokenRefreshRequired",
        "UnrecognizedClientException",
    }
)
_NOT_ALLOWED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})
_THROTTLED = frozenset({"RequestLimitExceeded", "RequestThrottled", "Throttling", "ThrottlingException"})
_NO_CAPACITY = {
    "InsufficientInstanceCapacity": "take another --rogue-instance-type, subnet or region, or try later",
    "InsufficientHostCapacity": "take another --rogue-instance-type, subnet or region, or try later",
    "InstanceLimitExceeded": "use fewer workers (-n), or have the quota raised",
    "VcpuLimitExceeded": "use fewer workers (-n), or have the quota raised",
    "MaxSpotInstanceCountExceeded": "use fewer workers (-n), or have the quota of spot instances raised",
    "SpotMaxPriceTooLow": "do without --rogue-aws=spot=yes",
}
_NEVER_RIGHT = ("Invalid", "Malformed", "Missing", "Unsupported", "UnknownParameter", "Validation", "NotFound")
"""How the codes begin of requests that would be refused again."""


class AwsFault(InfraError):
    """AWS does not answer, or refused something that can go well another time.

    Args:
        message: a sentence for the user.
        code: AWS's own word, empty where it did not answer.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class AwsRefused(DesktopsUnavailable):
    """AWS refused something that it would refuse again: the credentials, a permission, the form of the request.

    Args:
        message: a sentence for the user.
        code: AWS's own word.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class AwsAccount:
    """The user's account in one region; may be used by several threads.

    Args:
        region: its name.

    Example:
        >>> with AwsAccount("us-east-1").faults("the instances") as account:
        ...     account.ec2.describe_instances()
    """

    def __init__(self, region: str) -> None:
        self.region = region
        self._clients: dict[str, Any] = {}
        self._session: Any = None
        self._lock = threading.RLock()

    def in_region(self, region: str) -> AwsAccount:
        """Return the same account in another region; what is read once for all clients is shared."""
        other = AwsAccount(region)
        other._session, other._lock = self._own_session(), self._lock
        return other

    @property
    def ec2(self) -> Any:
        """The client for instances, images, security groups."""
        return self.client("ec2")

    @property
    def scheduler(self) -> Any:
        """The client for what has to happen at a time."""
        return self.client("scheduler")

    def client(self, service: str, region: str | None = None) -> Any:
        """Return the client of a service, in another region if one is named; to be used within `faults`."""
        with self._lock:
            name = f"{service} {region}"
            if name not in self._clients:
                self._clients[name] = _new_client(self._own_session(), service, region or self.region)
            return self._clients[name]

    def _own_session(self) -> Any:
        """A session of our own: the default one must not be used by several threads at once."""
        import boto3

        with self._lock:
            if self._session is None:
                self._session = boto3.Session()
            return self._session

    def close(self) -> None:
        """Close the connections; may be called again."""
        with self._lock:
            while self._clients:
                self._clients.popitem()[1].close()

    @contextmanager
    def faults(self, what: str) -> Iterator[AwsAccount]:
        """Let faults of boto3 be ours.

        Args:
            what: was asked, in a few words, such as `making an instance`.

        Raises:
            AwsRefused: it would be refused again.
            AwsFault: anything else.
        """
        require_boto3()
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield self
        except ClientError as error:
            raise self._said(error, what) from error
        except BotoCoreError as error:
            raise self._unsaid(error, what) from error

    def _said(self, error: Any, what: str) -> AwsFault | AwsRefused:
        code = str(error.response["Error"].get("Code", ""))
        message = str(error.response["Error"].get("Message", "")).rstrip(". ")
        said = f"{what} in {self.region}: AWS says {code} ({message})"
        if code in _BAD_CREDENTIALS:
            hint = "the credentials are expired or wrong: renew them (aws sso login, AWS_PROFILE, AWS_ACCESS_KEY_ID)"
            return AwsRefused(f"{said}; {hint}, then go on with --rogue-resume", code)
        if code in _NOT_ALLOWED:
            return AwsRefused(f"{said}; the account may not do that: give it the policy in docs/aws-setup.md", code)
        if code in _THROTTLED:
            return AwsFault(f"{said}, {ATTEMPTS} times in a row; use fewer workers (-n)", code)
        if code in _NO_CAPACITY:
            return AwsFault(f"{said}; {_NO_CAPACITY[code]}", code)
        if code.startswith(_NEVER_RIGHT):
            return AwsRefused(f"{said}; correct the options for AWS", code)
        return AwsFault(said, code)

    def _unsaid(self, error: Any, what: str) -> AwsFault | AwsRefused:
        from botocore import exceptions

        credentials = (
            exceptions.NoCredentialsError,
            exceptions.PartialCredentialsError,
            exceptions.CredentialRetrievalError,
            exceptions.TokenRetrievalError,
            exceptions.SSOError,
            exceptions.ProfileNotFound,
        )
        said = f"{what} in {self.region}: {str(error).rstrip('. ')}"
        if isinstance(error, credentials):
            return AwsRefused(f"{said}; sign in (aws sso login, AWS_PROFILE, AWS_ACCESS_KEY_ID)")
        return AwsFault(f"{said}; is the network there, and the region right?")


@contextmanager
def as_start_errors() -> Iterator[None]:
    """Let an `AwsFault` be a desktop that did not start; what would be refused again stays what it is."""
    try:
        yield
    except AwsFault as fault:
        raise DesktopStartError(str(fault)) from fault


def require_boto3() -> None:
    """Raise ConfigError where the Python package boto3 is missing."""
    if find_spec("boto3") is None:
        raise ConfigError("desktops on AWS need the Python package boto3: pip install 'pytest-rogue[aws]'")


def _new_client(session: Any, service: str, region: str) -> Any:
    from botocore.config import Config

    config = Config(
        connect_timeout=CONNECT_PATIENCE,
        read_timeout=ANSWER_PATIENCE,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        user_agent_extra="pytest-rogue",
    )
    return undisturbed(lambda: session.client(service, region_name=region, config=config))
