"""Desktops on AWS: for each a fresh instance of an image with OSWorld's server, into which our guest is sent.

What is made is found again by its tags, never by a handle alone, and ends by itself when its time is over. A machine
that is shut down from inside stops, and is not lost: that is an ending of an episode like any other.
"""

from __future__ import annotations

import secrets
import threading
import time
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops import leases
from pytest_rogue.desktops.aws_account import AwsAccount, AwsFault, AwsRefused
from pytest_rogue.desktops.aws_guest import WatchedHttp
from pytest_rogue.desktops.aws_image import Origin, find_origin
from pytest_rogue.desktops.aws_instance import Instance, find_instances, make_instance, terminate
from pytest_rogue.desktops.aws_leftovers import AwsLeftovers
from pytest_rogue.desktops.aws_network import make_group
from pytest_rogue.desktops.aws_options import BOOT_TIMEOUT, AwsOptions
from pytest_rogue.desktops.aws_price import price_per_hour
from pytest_rogue.desktops.aws_reach import Reach, open_reach
from pytest_rogue.desktops.aws_readiness import aws_readiness, cost_in_words
from pytest_rogue.desktops.aws_tags import in_minutes, tag_specification, tags
from pytest_rogue.desktops.aws_ttl import require_timer, schedule_end, set_timer, unschedule_end
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.stock import open_stock_desktop
from pytest_rogue.errors import ConfigError, DesktopLost, DesktopStartError, GuestFault
from pytest_rogue.records.rents import Rent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.readiness import Readiness


class AwsDesktop:
    """One desktop on an instance; it also ends with this object and with this process."""

    def __init__(
        self,
        id: str,  # noqa: A002 - the protocol's name
        instance: Instance,
        guest: GuestClient,
        end: Callable[[], None],
    ) -> None:
        self.id = id
        self.instance = instance
        self.guest = guest
        self._end = weakref.finalize(self, end)
        leases.register(self)

    def alive(self) -> bool:
        """True while the instance runs.

        Raises:
            DesktopLost: AWS does not tell.
        """
        try:
            return self.instance.is_up()
        except (AwsFault, AwsRefused) as error:
            raise DesktopLost(str(error)) from error

    def taken_away(self) -> bool:
        """True where AWS says that the machine is down, and that it was not switched off from inside."""
        try:
            fate = self.instance.fate()
        except (AwsFault, AwsRefused):
            return False
        return fate is not None and not fate.shut_down

    def stop(self) -> None:
        """Have the instance and its disk removed, and return when AWS has begun; may be called again.

        Raises:
            AwsFault, AwsRefused: AWS does not remove it.
        """
        self._end()
        leases.forget(self)

    def __repr__(self) -> str:
        return f"<AwsDesktop {self.id} on {self.instance.id}>"


class AwsProvider:
    """Makes desktops on AWS (`--rogue-provider=aws`).

    Args:
        options: what is wanted.
        run_id: of the run they are made for.
        owner: whom they belong to, None for this process.
        screen: what the screen of an instance has to be, None for what it is.
        account: in the region of the options, None for that of the environment's credentials.
        boot_timeout: seconds an instance may take until its desktop is ready; more than `DesktopSpec.timeout`.

    Example:
        >>> provider = AwsProvider(AwsOptions(scheduler_role="arn:aws:iam::123456789012:role/pytest-rogue"))
        >>> desktop = provider.start(DesktopSpec())
        >>> desktop.stop()
        >>> provider.close()
    """

    name = "aws"

    def __init__(
        self,
        options: AwsOptions,
        *,
        run_id: str = "",
        owner: Owner | None = None,
        screen: tuple[int, int] | None = None,
        account: AwsAccount | None = None,
        boot_timeout: float = BOOT_TIMEOUT,
    ) -> None:
        self.options = options
        self.account = account or AwsAccount(options.region)
        self._own_account = account is None
        self.leftovers = AwsLeftovers([self.account])
        self._run_id = run_id
        self._owner = str(owner or Owner.this_process())
        self._boot_timeout = boot_timeout
        self._screen = screen
        self._group: str | None = None
        self._made: dict[str, str] = {}
        self._lock = threading.Lock()

    # --- what there is --------------------

    def readiness(self) -> Sequence[Readiness]:
        """Return what it needs: an account, an image, a role that ends instances, a way to them."""
        return aws_readiness(self.account, self.options)

    def missing(self, apps: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - the provider's protocol
        """Return nothing: what is in the machine shows only when it has booted."""
        return ()

    @cached_property
    def cost_per_hour(self) -> float | None:
        """US dollars for an hour of a desktop (of the instance alone), None where AWS does not tell."""
        return price_per_hour(self.account, self._origin.instance_type, self.options)

    @property
    def rent(self) -> Rent:
        """What a desktop costs the run."""
        return Rent(self._kind, self.cost_per_hour, self.options.ttl_minutes * 60.0)

    @cached_property
    def _origin(self) -> Origin:
        return find_origin(self.account, self.options)

    # --- a desktop --------------------

    def start(self, spec: DesktopSpec) -> AwsDesktop:
        """Make an instance, and return it when its desktop is proven ready.

        Raises:
            DesktopStartError: it did not come up; nothing is left behind.
            AwsRefused: AWS refuses what it would refuse again; no desktop can be made any more.
            ConfigError: no role is named that ends instances.
        """
        role = self.options.scheduler_role
        if role is None:
            raise ConfigError(
                "no instance is made that nothing would end: name the role of the scheduler by "
                "--rogue-aws=scheduler-role=ARN (docs/aws-setup.md)"
            )
        id = secrets.token_hex(8)  # noqa: A001 - the protocol's name
        try:
            return self._start(id, role, spec)
        except BaseException as error:
            problem = self._clear_away(id)
            note = f"; what was made of it may still be there, `pytest-rogue gc --provider=aws` removes it ({problem})"
            if isinstance(error, (AwsFault, DesktopLost, GuestFault)):
                raise DesktopStartError(f"{error}{note if problem else ''}") from error
            if problem:
                error.add_note(note)
            raise

    def _start(self, id: str, role: str, spec: DesktopSpec) -> AwsDesktop:  # noqa: A002
        deadline = time.monotonic() + max(spec.timeout, self._boot_timeout)
        expires = in_minutes(self.options.ttl_minutes)
        self._made[id] = ""  # first: whatever interrupts us here, `close` looks for it
        made = self._made[id] = make_instance(self.account, self._request(id, expires), id)
        instance = Instance(self.account, made, expires)
        schedule_end(self.account, id, instance.id, role, expires)
        described = instance.wait_running(deadline - time.monotonic())
        left = deadline - time.monotonic()
        reach = open_reach(self.account, self.options, described, timeout=left, alive=instance.is_up)
        try:
            guest = self._open(instance, reach, deadline)
        except BaseException:
            reach.close()
            raise
        account = self.account

        def end() -> None:
            guest.close()
            reach.close()
            instance.terminate()
            unschedule_end(account, id)

        return AwsDesktop(id, instance, guest, end)

    def _open(self, instance: Instance, reach: Reach, deadline: float) -> GuestClient:
        """Return the client of the desktop on an instance, once the timer inside runs too."""
        guest = open_stock_desktop(
            reach.server,
            timeout=deadline - time.monotonic(),
            alive=instance.is_up,
            door=reach.door,
            notes=(self._note(instance),),
            screen=self._screen,
        )
        try:
            guest.reroute(lambda http: WatchedHttp(http, instance))
            require_timer(guest, instance.expires)
        except BaseException:
            guest.close()
            raise
        return guest

    def _note(self, instance: Instance) -> str:
        made_of = f"image {self._origin.image}"
        return f"on AWS: instance {instance.id}, {self._kind}, {made_of}, {cost_in_words(self.cost_per_hour)}"

    @property
    def _kind(self) -> str:
        return f"{'spot ' if self.options.spot else ''}{self._origin.instance_type} in {self.options.region}"

    def _request(self, id: str, expires: datetime) -> dict[str, Any]:  # noqa: A002
        """Return the request for `run_instances`."""
        origin, options = self._origin, self.options
        tagged = self._tags(id, expires)
        optional: Mapping[str, Any] = {
            "LaunchTemplate": origin.template,
            "BlockDeviceMappings": [origin.disk] if origin.disk else None,
            "SubnetId": options.subnet,
            "KeyName": options.key_name,
            "IamInstanceProfile": {"Name": options.instance_profile} if options.instance_profile else None,
            "InstanceMarketOptions": _SPOT if options.spot else None,
        }
        return {
            "ImageId": origin.image,
            "InstanceType": origin.instance_type,
            "MinCount": 1,
            "MaxCount": 1,
            "ClientToken": id,
            # AWS does not let a spot instance stop; a terminated one is still described for an hour, so this will do.
            "InstanceInitiatedShutdownBehavior": "terminate" if options.spot else "stop",
            "SecurityGroupIds": [self._security_group()],
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
            "UserData": set_timer(expires),
            "TagSpecifications": [tag_specification(kind, tagged) for kind in ("instance", "volume")],
            **{name: value for name, value in optional.items() if value is not None},
        }

    def _security_group(self) -> str:
        if self.options.security_group:
            return self.options.security_group
        with self._lock:
            if self._group is None:
                named = f"pytest-rogue-{secrets.token_hex(8)}"
                # It lives as long as this process, and any run is over in a week.
                self._group = make_group(self.account, self.options, named, self._tags("", in_minutes(_WEEK)))
            return self._group

    def _tags(self, id: str, expires: datetime) -> dict[str, str]:  # noqa: A002
        return tags(run_id=self._run_id, owner=self._owner, desktop=id, expires=expires)

    def _clear_away(self, id: str) -> str:  # noqa: A002
        """Remove what was made for a desktop; return what went wrong, empty for nothing.

        AWS may not show yet what it has just made, and an answer may have been lost: so by its id, and by its tag.
        """
        try:
            found = {instance["InstanceId"] for instance in find_instances(self.account, desktop=id)}
            for instance in sorted({*found, self._made.get(id)} - {"", None}):
                terminate(self.account, instance)
            unschedule_end(self.account, id)
        except (AwsFault, AwsRefused) as error:
            return str(error)
        return ""

    # --- the end --------------------

    def close(self) -> None:
        """Remove whatever of this provider is left, found by its tags; may be called again.

        Raises:
            InfraError: it cannot be removed.
        """
        if self._made:
            self.leftovers.remove_of(self._run_id, self._owner)
            self._group, self._made = None, {}
        if self._own_account:
            self.account.close()


_SPOT = {
    "MarketType": "spot",
    "SpotOptions": {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"},
}
_WEEK = 7 * 24 * 60
