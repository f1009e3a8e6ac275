"""What the built-in agent itself costs in a step, and how much of the screens it uploads."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING

from pytest_rogue.agents.images import ImageForm
from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.interaction import Action, Observation
from pytest_rogue.models.client import Reply
from tests.benchmarks.desktop import WINDOWS
from tests.benchmarks.measure import Figure, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.agents.protocol import ObservationType
    from pytest_rogue.models.client import Message

STEPS = 20
REPEATS = 10
PNG = AgentOptions()
SENT = {
    "png": PNG,
    "webp": AgentOptions(ImageForm("webp")),
    "webp at 0.75": AgentOptions(ImageForm("webp", 0.75)),
    "webp at 0.75, 2 earlier screens": AgentOptions(ImageForm("webp", 0.75), image_history=2),
    "jpeg": AgentOptions(ImageForm("jpeg")),
}


class Weighing:
    """A model that answers at once; it keeps how many bytes each request has."""

    def __init__(self) -> None:
        self.bytes: list[int] = []
        self.weigh = False

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        if self.weigh:
            self.bytes.append(len(json.dumps([*messages, *tools])))
        return Reply("I click.\n```python\npyautogui.click(640, 360)\n```")


def figures() -> list[Figure]:
    screens = _record()
    usual = _usual_bytes(screens)
    rows = [
        Figure("agent: own work per step, screenshot 1080p, history 20", _step(screens, "screenshot"), "under 15 ms"),
        Figure("  with the accessibility tree", _step(screens, "screenshot_a11y_tree")),
        Figure("  with marks (som)", _step(screens, "som")),
    ]
    rows += [
        Figure(f"  {name} in the place of png", _step(screens, "screenshot", SENT[name]))
        for name in ("webp", "webp at 0.75", "jpeg")
    ]
    for name, options in SENT.items():
        goal = "4 x fewer" if options.image_history else ""
        uploaded = _uploaded(screens, options) / 1e6
        rows.append(Figure(f"agent: uploaded in {STEPS} steps, {name}", (uploaded,), goal, usual / 1e6, "MB"))
    return rows


def _record() -> list[Observation]:
    """Return the screens of a desktop on which windows open one after the other, and things are typed."""
    desktop = LocalProvider().start(DesktopSpec())
    try:
        screens = []
        for step in range(STEPS):
            if step % 3 == 0 and step // 3 < len(WINDOWS):
                command, window = WINDOWS[step // 3]
                desktop.guest.launch(command, window=window, timeout=30)
            action = Action.python(f"pyautogui.press('down', presses={step})")
            reply = desktop.guest.step(step, action, screenshot=True, a11y=True)
            screens.append(Observation(step, STEPS - step, reply.screenshot, reply.a11y, reply.screen))
        return screens
    finally:
        desktop.stop()


def _agent(model: Weighing, observation_type: ObservationType, options: AgentOptions) -> LiteLLMAgent:
    agent = LiteLLMAgent(model, observation_type=observation_type, history=STEPS, options=options)
    agent.reset(Briefing("Tidy up", STEPS, (1920, 1080), seed=1))
    return agent


def _step(
    screens: list[Observation], observation_type: ObservationType, options: AgentOptions = PNG
) -> tuple[float, ...]:
    agent = _agent(Weighing(), observation_type, options)
    for screen in screens:
        agent.act(screen)
    return timed(lambda: agent.act(screens[-1]), REPEATS)


def _uploaded(screens: list[Observation], options: AgentOptions) -> int:
    model = Weighing()
    model.weigh = True
    agent = _agent(model, "screenshot", options)
    for screen in screens:
        agent.act(screen)
    return sum(model.bytes)


def _usual_bytes(screens: list[Observation]) -> int:
    """Bytes of as many requests, each with every screen so far as a full PNG, as a common library writes it."""
    from PIL import Image

    total = 0
    for step, screen in enumerate(screens):
        written = io.BytesIO()
        Image.open(io.BytesIO(screen.screenshot or b"")).save(written, format="png")
        total += len(base64.b64encode(written.getvalue())) * (len(screens) - step)
    return total
