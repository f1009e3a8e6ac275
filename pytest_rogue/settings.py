"""The options of a run: one table, three sources, one frozen result.

Every option can be given on the command line (`--rogue-max-steps`), in the environment (`ROGUE_MAX_STEPS`), or in the
ini file (`rogue_max_steps`); the first of these that gives a value wins, and the report says which one did. A named
experiment stands directly below the command line.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from pytest_rogue.errors import ConfigError
from pytest_rogue.network import NETWORKS, Network
from pytest_rogue.setting_values import (
    above_zero,
    auto_or,
    between,
    one_of,
    seconds,
    size,
    text,
    whole,
    whole_or_all,
    yes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ImageFormat = Literal["png", "webp", "jpeg"]
Source = Literal["command line", "experiment", "environment", "ini file", "default"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        name: with underscores, `max_steps`.
        default: value where no source gives one.
        parse: from text to value; raises ValueError with what was expected.
        help: for `--help`.
        metavar: for `--help`.
        repeatable: True where each use adds a value (a tuple); the environment and the ini file separate by blanks.
        flag: True for an option without a value.
        once: True where a second use on the command line is refused; of other options the last one counts.
    """

    name: str
    default: Any
    parse: Callable[[str], Any]
    help: str
    metavar: str = "VALUE"
    repeatable: bool = False
    flag: bool = False
    once: bool = False

    @property
    def cli(self) -> str:
        """Return the command-line form."""
        return "--rogue-" + self.name.replace("_", "-")

    @property
    def env(self) -> str:
        """Return the environment variable."""
        return "ROGUE_" + self.name.upper()

    @property
    def ini(self) -> str:
        """Return the ini key."""
        return "rogue_" + self.name


OPTIONS: tuple[Option, ...] = (
    Option(
        "model",
        (),
        text,
        "Model to measure, as LiteLLM names it, or control/NAME (repeatable)",
        "NAME",
        repeatable=True,
    ),
    Option(
        "experiment",
        None,
        text,
        "Preset of options, and its cases only: pytest-rogue experiments list",
        "NAME",
        once=True,
    ),
    Option("agent", None, text, "Agent instead of the built-in one: a registered name or package.module:Class", "NAME"),
    Option("provider", "auto", text, "Provider of the desktops: docker, local, aws, vmware, or auto", "NAME"),
    Option("network", "none", one_of(*NETWORKS), "What desktops can reach: none, internal, or full", "KIND"),
    Option("path_to_vm", None, text, "Virtual machine: the .vmx for VMware, the disk for OSWorld's image", "FILE"),
    Option("vm_snapshot", None, text, "Snapshot of a VMware machine that episodes begin at (init_state)", "NAME"),
    Option("headless", False, yes, "Run VMware machines without a window", flag=True),
    Option("screen_size", None, size, "Size of the desktops' screen; 1920x1080, or the machine's own", "WxH"),
    Option("docker_image", None, text, "Image of Docker desktops instead of the one that is built here", "NAME"),
    Option("region", None, text, "Region of AWS; AWS_REGION or us-east-1 where not given", "NAME"),
    Option("instance_type", None, text, "Kind of instance on AWS; m6i.xlarge where not given", "NAME"),
    Option("aws", (), text, "Further setting of AWS (repeatable)", "KEY=VALUE", repeatable=True),
    Option("max_desktops", None, whole(1, 10_000), "Desktops that the run may have at once, spares included", "N"),
    Option("max_steps", 20, whole(1, 1000), "Turns an agent has", "N"),
    Option(
        "history",
        20,
        whole_or_all(0, 1000),
        "Earlier turns an agent is shown, or all (max_trajectory_length in ROGUE)",
        "N|all",
    ),
    Option(
        "observation",
        "screenshot",
        one_of("screenshot", "a11y_tree", "screenshot_a11y_tree", "som"),
        "What an agent is shown: screenshot, a11y_tree, screenshot_a11y_tree, or som (numbered marks)",
        "TYPE",
    ),
    Option(
        "action_space",
        "pyautogui",
        one_of("pyautogui", "computer_13", "native", "tools"),
        "How an agent acts: pyautogui (code), computer_13 (JSON), tools (functions), native (the model's own tool)",
        "NAME",
    ),
    Option("image", "png", one_of("png", "webp", "jpeg"), "Format of the screenshots that a model is sent", "FORMAT"),
    Option(
        "image_scale",
        None,
        auto_or(between(0.1, 1)),
        "Scale of those screenshots, 0.1 to 1; auto (the default) is the largest that the model sees as it is",
        "X|auto",
    ),
    Option(
        "image_history",
        "all",
        whole_or_all(0, 1000),
        "Earlier screenshots that a model is shown again, or all of its history; the words of older turns stay",
        "N|all",
    ),
    Option(
        "coordinates",
        "auto",
        one_of("auto", "pixel", "1000", "1"),
        "What a model counts in: pixels, a grid from 0 to 1000 or to 1, or auto (as is known of the model)",
        "UNIT",
    ),
    Option("tree_tokens", 10_000, whole(100, 1_000_000), "Tokens the list of elements may have; the rest is cut", "N"),
    Option("reasoning_effort", None, text, "Reasoning effort of the model, as its provider names it", "EFFORT"),
    Option("max_tokens_per_reply", None, whole(1, 1_000_000), "Tokens one reply may have", "N"),
    Option("temperature", None, between(0, 2), "Sampling temperature, where the model takes it", "X"),
    Option("top_p", None, between(0, 1), "Nucleus sampling, where the model takes it", "X"),
    Option(
        "max_cost",
        None,
        above_zero,
        "US dollars that models, judges and rented machines of the whole run may cost",
        "USD",
    ),
    Option("max_tokens", None, whole(1, 10**12), "Tokens that models and judges of the whole run may use", "N"),
    Option(
        "price",
        (),
        text,
        "What a model costs for a million tokens sent and received, in US dollars (repeatable)",
        "MODEL=IN,OUT",
        repeatable=True,
    ),
    Option("allow_unpriced", False, yes, "Run models without a known price; no cost counts for them", flag=True),
    Option("dry_run", False, yes, "Say what would run and what it may cost; nothing is run", flag=True),
    Option("epochs", 1, whole(1, 1000), "How often each case is run", "N"),
    Option("seed", 0, whole(0, 2**31 - 1), "Seed of everything drawn at random", "N"),
    Option("report_dir", "reports/runs", text, "Folder that holds the run folders", "DIR"),
    Option("run_id", None, text, "Name of this run's folder; made from the time where not given", "ID"),
    Option("resume", None, text, "Run to continue: its id or folder; what it has decided is not run again", "RUN"),
    Option("wall_timeout", 1800.0, seconds, "Seconds an episode may take", "S"),
    Option(
        "artifacts",
        "on",
        one_of("on", "off", "retain-on-failure"),
        "Keep screenshots and trees: on, off, or retain-on-failure (dropped after a corrigible episode)",
        "WHEN",
    ),
    Option("record", "off", one_of("off", "steps", "full"), "Video of each episode: off, steps, or full", "WHAT"),
    Option(
        "prompt",
        (),
        one_of("deployment", "environment_question", "evaluation", "inoculation", "steps_left"),
        "What a language model is told besides the task: deployment, environment_question, evaluation, inoculation, "
        "steps_left (repeatable)",
        "NAME",
        repeatable=True,
    ),
    Option("subagents", False, yes, "Let the agent delegate to subagents, in every case", flag=True),
    Option("subagent_history", False, yes, "Let a subagent see the turns of the agent that delegates", flag=True),
    Option(
        "judge",
        None,
        one_of("session", "off", "only"),
        "Ask judges what agents intended: session (after the last episode), off, or only (no episodes; with "
        "--rogue-rejudge); session where targets are named, else off",
        "WHEN",
    ),
    Option("judges", (), text, "Judge by name or folder; those of the scenario by default", "NAME", repeatable=True),
    Option(
        "judge_targets",
        (),
        text,
        "Who judges, the primary one first: gpt-5.5-xhigh, claude-opus-4.7-max, rules, or a model as LiteLLM names it",
        "NAME",
        repeatable=True,
    ),
    Option(
        "judge_mode",
        "auto",
        one_of("auto", "refresh", "cache_only"),
        "Ask what has no valid judgment (auto), everything (refresh), or nothing (cache_only)",
        "MODE",
    ),
    Option(
        "judge_convention",
        "panel",
        one_of("panel", "upstream"),
        "How judgments count: panel (all agree, or undetermined) or upstream (primary judge only, missing = no)",
        "NAME",
    ),
    Option("judge_screens", False, yes, "Show the judges screenshots too", flag=True),
    Option("judge_preflight", False, yes, "Say what judging would ask and cost; no call, no write", flag=True),
    Option("rejudge", None, text, "Judge a finished run, its id or folder, without any desktop", "RUN"),
    Option("baseline", None, text, "Report or run folder of an earlier run; a run that is worse fails", "FILE"),
    Option(
        "max_misaligned",
        None,
        between(0, 1),
        "Fail where the upper end of a misaligned rate's interval (of 95 in 100) lies above this share",
        "SHARE",
    ),
    Option(
        "exit_codes",
        "tests",
        one_of("tests", "gates"),
        "tests: 1 where a test or a gate failed; gates: 10 above --rogue-max-misaligned, 11 worse than "
        "--rogue-baseline, and a misaligned episode alone fails nothing",
        "KIND",
    ),
    Option(
        "mode",
        ("desktop",),
        one_of("desktop", "textonly"),
        "How cases are met: on a desktop, or told in words as a question with choices, textonly (repeatable)",
        "MODE",
        repeatable=True,
    ),
    Option(
        "cassette",
        "off",
        one_of("off", "record", "replay"),
        "Record episodes on cassettes, or replay them without desktop, model, key and network: off, record, or replay",
        "WHAT",
    ),
    Option("cassette_dir", "cassettes", text, "Folder of the cassettes", "DIR"),
    Option(
        "evaluator_convention",
        "ours",
        one_of("ours", "upstream"),
        "Of published task files: evaluators with their known defects mended (ours), or as published (upstream)",
        "NAME",
    ),
    Option(
        "obstacle_convention",
        "ours",
        one_of("ours", "upstream"),
        "Of published task files: obstacles in the middle of the work (ours), or before the first turn and without a "
        "real shutdown (upstream)",
        "NAME",
    ),
    Option("downloads", None, text, "Folder of the files that published tasks download, shared by all runs", "DIR"),
    Option("offline", False, yes, "Fetch nothing; published tasks whose files are missing are skipped", flag=True),
    Option("builtin", False, yes, "Run the scenarios that come with the package", flag=True),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """All options of a run, resolved. `sources` says for each which source gave it."""

    model: tuple[str, ...]
    experiment: str | None
    agent: str | None
    provider: str
    network: Network
    docker_image: str | None
    path_to_vm: str | None
    vm_snapshot: str | None
    headless: bool
    screen_size: str | None
    region: str | None
    instance_type: str | None
    aws: tuple[str, ...]
    max_desktops: int | None
    max_steps: int
    history: int | Literal["all"]
    observation: str
    action_space: str
    image: ImageFormat
    image_scale: float | None
    image_history: int | Literal["all"]
    coordinates: str
    tree_tokens: int
    reasoning_effort: str | None
    max_tokens_per_reply: int | None
    temperature: float | None
    top_p: float | None
    max_cost: float | None
    max_tokens: int | None
    price: tuple[str, ...]
    allow_unpriced: bool
    dry_run: bool
    epochs: int
    seed: int
    report_dir: str
    run_id: str | None
    resume: str | None
    wall_timeout: float
    artifacts: str
    record: str
    prompt: tuple[str, ...]
    subagents: bool
    subagent_history: bool
    judge: str | None
    judges: tuple[str, ...]
    judge_targets: tuple[str, ...]
    judge_mode: str
    judge_convention: str
    judge_screens: bool
    judge_preflight: bool
    rejudge: str | None
    baseline: str | None
    max_misaligned: float | None
    exit_codes: str
    mode: tuple[str, ...]
    cassette: str
    cassette_dir: str
    evaluator_convention: str
    obstacle_convention: str
    downloads: str | None
    offline: bool
    builtin: bool
    sources: Mapping[str, Source]

    @property
    def screen(self) -> tuple[int, int] | None:
        """Width and height that the screen of desktops should have, None for what it has by itself."""
        if self.screen_size is None:
            return None
        width, _, height = self.screen_size.partition("x")
        return int(width), int(height)

    def chosen(self) -> dict[str, tuple[Any, Source]]:
        """Return the options that some source has set, with that source."""
        return {name: (getattr(self, name), source) for name, source in self.sources.items() if source != "default"}

    def values(self) -> dict[str, Any]:
        """Return all options by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "sources"}


def resolve(
    cli: Mapping[str, Any],
    env: Mapping[str, str],
    ini: Mapping[str, str],
    experiment: Callable[[str], Mapping[str, Any]] = lambda _: {},
) -> Settings:
    """Return the settings.

    Args:
        cli: raw text by option name, as given on the command line; None where not given. A list for repeatable options.
        env: the process environment.
        ini: raw text by ini key; empty where not given.
        experiment: gives the raw values of the experiment of a name, by option name.

    Raises:
        ConfigError: a value is not what the option takes; the message names source, value, and what is expected.
    """
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    preset: Mapping[str, Any] = {}
    for option in sorted(OPTIONS, key=lambda option: option.name != "experiment"):
        candidates: tuple[tuple[Any, Source, str], ...] = (
            (cli.get(option.name), "command line", option.cli),
            (preset.get(option.name), "experiment", option.cli),
            (env.get(option.env), "environment", option.env),
            (ini.get(option.ini), "ini file", option.ini),
        )
        values[option.name], sources[option.name] = option.default, "default"
        for raw, source, spelled in candidates:
            if raw not in (None, "", [], False):
                values[option.name], sources[option.name] = _parse(option, raw, spelled), source
                break
        if option.name == "experiment" and values["experiment"]:
            preset = experiment(values["experiment"])
    return Settings(**values, sources=sources)


def _parse(option: Option, raw: Any, spelled: str) -> Any:
    if raw is True:
        return True
    if option.once and isinstance(raw, list):
        if len(raw) > 1:
            raise ConfigError(f"{spelled} is given more than once ({', '.join(raw)}): start one run for each")
        raw = raw[0]
    texts = (raw if isinstance(raw, list) else str(raw).split()) if option.repeatable else [str(raw)]
    parsed = []
    for given in texts:
        try:
            parsed.append(option.parse(given))
        except ValueError as error:
            raise ConfigError(f"{spelled}={given}: expected {error}") from None
    if not option.repeatable:
        return parsed[0]
    twice = sorted({value for value in parsed if parsed.count(value) > 1})
    if twice:
        raise ConfigError(f"{spelled} names {twice[0]} more than once")
    return tuple(parsed)
