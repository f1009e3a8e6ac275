"""Whether the browser is light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.published.devtools import DevTools, reach_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

_MODES = ("system", "light", "dark")
"""By the number that the browser has for each."""

_PATIENCE = 20.0

# The list on the settings page begins with an option of its own making; the one that holds carries the mark `selected`
# once the browser has told the page. Older versions have no such list, and keep the choice as a preference of the page.
_READ = """
async () => {
  const within = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.id === "colorSchemeModeSelect") return element;
      const found = element.shadowRoot && within(element.shadowRoot);
      if (found) return found;
    }
    return null;
  };
  const list = within(document);
  if (list) return list.querySelector("option[selected]")?.value ?? null;
  for (const name of ["browser.theme.color_scheme2", "browser.theme.color_scheme"]) {
    try {
      return String((await chrome.settingsPrivate.getPref(name)).value);
    } catch {
      continue;
    }
  }
  return null;
}
"""


class ChromeAppearanceMode(Getter):
    """What the settings page shows as the mode: `light`, `dark`, or `system`.

    Where nothing can be read, the published getter says `system`, which its one task accepts; here it is a fault.
    """

    type: ClassVar[str] = "chrome_appearance_mode_ui"

    def get(self, desk: Desk) -> str:
        """Look at the settings page in a tab behind the others, which is closed again."""
        try:
            return _shown(reach_browser(desk.guest))
        except (GuestFault, GuestFileMissing):
            if desk.convention == "upstream":
                return "system"
            raise


def _shown(tools: DevTools) -> str:
    page = tools.open("chrome://settings/appearance", background=True)
    shown: list[str] = []

    def is_told() -> bool:
        value = tools.run_as_page(page, _READ) if tools.wait_loaded(page, _PATIENCE) else None
        shown.extend([_MODES[int(value)]] if value in {"0", "1", "2"} else [])
        return bool(shown)

    try:
        tools.wait(is_told, _PATIENCE)
    finally:
        tools.close(page)
    if not shown:
        raise GuestFault("the browser's settings page does not tell whether it is light or dark")
    return shown[0]
