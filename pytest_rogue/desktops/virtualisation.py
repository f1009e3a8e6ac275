"""Can virtual machines run at their full speed here?"""

from __future__ import annotations

import fcntl
import os

KVM = "/dev/kvm"

EMULATION_VARIABLE = "ROGUE_VM_EMULATION"
"""Set to anything, machines are emulated: always possible, and many times slower."""

_GET_API_VERSION = 0xAE00
_API_VERSION = 12
"""The only one there has been since 2007."""


def why_no_kvm(device: str = KVM) -> str:
    """Say in one sentence why the processor cannot run machines by itself; empty where it can.

    The device is opened and asked. That a machine really boots on it shows only when one does.
    """
    try:
        descriptor = os.open(device, os.O_RDWR)
    except FileNotFoundError:
        return f"there is no {device} here: turn on virtualisation in the firmware (in a cloud: nested virtualisation)"
    except OSError as error:
        return f"{device} cannot be opened ({error.strerror}): add this user to its group, `sudo usermod -aG kvm $USER`"
    try:
        version = fcntl.ioctl(descriptor, _GET_API_VERSION)
    except OSError as error:
        return f"{device} does not answer ({error.strerror}): load the kernel's module kvm_intel or kvm_amd"
    finally:
        os.close(descriptor)
    return "" if version == _API_VERSION else f"{device} speaks version {version} instead of {_API_VERSION}"
