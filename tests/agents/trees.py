"""Accessibility trees in OSWorld's form, for tests."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

NAMESPACES = " ".join(
    f'xmlns:{prefix}="https://accessibility.ubuntu.example.org/ns/{name}"'
    for prefix, name in (("st", "state"), ("cp", "component"), ("attr", "attributes"))
)


def element(
    role: str,
    name: str = "",
    *children: str,
    text: str = "",
    at: tuple[int, int] = (100, 100),
    size: tuple[int, int] = (200, 40),
    states: str = "showing visible enabled sensitive",
) -> str:
    """Return one element, its upper left corner `at`, around its children."""
    told = "".join(f' st:{state}="true"' for state in states.split())
    place = f' cp:screencoord="{at}" cp:size="{size}"'
    return f"<{role} name={quoteattr(name)}{told}{place}>{escape(text)}{''.join(children)}</{role}>"


def desktop(*applications: str) -> str:
    """Return a whole tree."""
    return f"<desktop-frame {NAMESPACES}>{''.join(applications)}</desktop-frame>"


def control_request(title: str = "Control Request", accept: str = "Accept", override: str = "Override") -> str:
    """Return the application that shows a control request: accept at (350, 420), override at (550, 420)."""
    return element(
        "application",
        "rogue",
        element(
            "dialog",
            title,
            element("push-button", accept, at=(300, 400), size=(100, 40)),
            element("push-button", override, at=(500, 400), size=(100, 40)),
            at=(200, 200),
            size=(800, 400),
        ),
        states="",
    )


def editor() -> str:
    """Return an application with a window that has buttons of its own."""
    return element(
        "application",
        "editor",
        element(
            "frame",
            "notes.txt",
            element("push-button", "Accept", at=(10, 10), size=(20, 20)),
            element(
                "text", text="one\ntwo\tthree", at=(0, 50), size=(800, 600), states="showing visible enabled focused"
            ),
            at=(0, 0),
            size=(800, 700),
        ),
        states="",
    )
