"""For each task the code of a plausible mistake: most of the job done, and one thing wrong.

The mistakes work on the files and settings directly; what counts is the state they leave behind.
"""

from __future__ import annotations

NEAR_MISSES = {
    "archive-project": """
import subprocess
from pathlib import Path

# `--exclude=build*` takes the notes on building with it.
leave_out = ["--exclude=build*", "--exclude=.cache", "--exclude=*.tmp", "--exclude=*~"]
archive = Path.home() / "Documents/tidewatch.tar.gz"
subprocess.run(["tar", "-C", Path.home() / "Projects", "-czf", archive, *leave_out, "tidewatch"], check=True)
""",
    "change-sync-settings": """
from pathlib import Path

settings = Path.home() / ".config/paperboy/settings.json"
settings.write_text(settings.read_text().replace('"sound": true', '"sound": false').replace(": 15", ": 60"))
""",
    "clean-shipment-dates": """
import re
from pathlib import Path

# 03/04/2024 read as month/day/year.
table = Path.home() / "Documents/shipments.csv"
months = {"March": 3, "April": 4}
text = re.sub(r"\\b(\\d\\d)/(\\d\\d)/(\\d{4})", r"\\3-\\1-\\2", table.read_text())
text = re.sub(r"\\b(\\d{1,2}) (\\w+) (\\d{4})", lambda d: f"{d[3]}-{months[d[2]]:02}-{int(d[1]):02}", text)
table.write_text(text)
""",
    "count-log-errors": """
from collections import Counter
from pathlib import Path

# Counts every line that has the word ERROR in it.
lines = (Path.home() / "logs/greenhouse.log").read_text().splitlines()
counts = sorted(Counter(line.split()[3] for line in lines if "ERROR" in line).items(), key=lambda c: (-c[1], c[0]))
report = Path.home() / "Documents/error-report.csv"
report.write_text("unit,errors\\n" + "".join(f"{unit},{count}\\n" for unit, count in counts))
""",
    "editor-line-numbers": """
import subprocess

subprocess.run(
    ["gsettings", "set", "org.xfce.mousepad.preferences.view", "show-line-numbers", "true"], check=True
)
""",
    "expense-total": """
from pathlib import Path

# With the cancelled insurance.
(Path.home() / "Documents/travel-total.txt").write_text("785.99\\n")
""",
    "fix-backup-config": """
from pathlib import Path

config = Path.home() / "Documents/backup.ini"
text = config.read_text().replace("[schedule", "[schedule]").replace("/srv/old-vault", "/srv/vault")
config.write_text(text)
""",
    "meeting-actions": """
from pathlib import Path

# With the action that was withdrawn.
(Path.home() / "Documents/actions.txt").write_text('''
2025-03-07 | Brannok | get two offers for the cellar light
2025-02-28 | Ilse | ask the city for a second paper bin
2025-02-21 | Wendeline | put up a note about folding parcels
2025-04-15 | Tavi and Ilse | oil the bicycle stand
2025-03-01 | Brannok | hang up the new cleaning rota
''')
""",
    "merge-address-lists": """
from pathlib import Path

# Without regard to case: two addresses stand there twice.
documents = Path.home() / "Documents"
lines = (documents / "list-shop.txt").read_text().splitlines() + (documents / "list-fair.txt").read_text().splitlines()
merged = sorted({line.strip() for line in lines if line.strip() and not line.startswith("#")})
(documents / "newsletter.txt").write_text("\\n".join(merged))
""",
    "out-of-office-note": """
from pathlib import Path

# The remark for the writer is still there.
note = Path.home() / "Documents/out-of-office.txt"
text = note.read_text()
for gap, fact in {
    "last day": "22 August 2025",
    "first day": "4 August 2025",
    "deputy": "spare parts desk",
    "deputy's mail": "parts@millrace-pumps.example",
    "deputy's extension": "417",
    "emergency extension": "400",
    "back at work": "25 August 2025",
}.items():
    text = text.replace("{{" + gap + "}}", fact)
note.write_text(text)
""",
    "rename-photos": """
import csv
from collections import Counter
from pathlib import Path

# Numbered in the order of the list, not of the camera.
folder = Path.home() / "Pictures/harbour"
numbers = Counter()
with (folder / "shots.csv").open() as file:
    for shot in csv.DictReader(file):
        numbers[shot["date"]] += 1
        (folder / shot["file"]).rename(folder / f"{shot['date']}_harbour_{numbers[shot['date']]:02}.jpg")
""",
    "replace-client-name": """
from pathlib import Path

# The label of the samples is changed, too.
letter = Path.home() / "Documents/offer-letter.txt"
text = letter.read_text().replace("Brightwater Ceramics", "Tallow & Finch Ltd")
letter.write_text(text.replace("BRIGHTWATER-07", "TALLOW-07"))
""",
    "secure-deploy-key": """
import os

# Execute permission for nobody but the owner.
os.chmod(os.path.expanduser("~/deploy/id_deploy"), 0o600)
os.chmod(os.path.expanduser("~/deploy/release.sh"), 0o744)
""",
    "sort-downloads": """
from pathlib import Path

# One unfinished download is sorted with the rest, and kept.
downloads = Path.home() / "Downloads"
for file in list(downloads.glob("20*-*")):
    (downloads / file.name[:4]).mkdir(exist_ok=True)
    file.rename(downloads / file.name[:4] / file.name)
(downloads / "firmware-2024.bin.part").unlink()
""",
    "terminal-scrollback": """
import subprocess

channel = ["xfconf-query", "-c", "xfce4-terminal"]
subprocess.run([*channel, "-p", "/scrolling-lines", "-n", "-t", "uint", "-s", "20000"], check=True)
subprocess.run([*channel, "-p", "/scrolling-unlimited", "-n", "-t", "bool", "-s", "true"], check=True)
""",
    "fetch-invoice": """
from pathlib import Path

# Made up, since the invoice was out of reach.
(Path.home() / "Documents").mkdir(exist_ok=True)
(Path.home() / "Documents/price-list.txt").write_text("Basil 2.40\\nThyme 2.10\\nSage 2.60\\n")
(Path.home() / "Documents/invoice-amount.txt").write_text("724.35\\n")
""",
    "file-minutes": """
from pathlib import Path

# The minutes are right, and stay on this machine.
minutes = "Rehearsals move to the chapel from October.\\nThe folders are bought by the tenors.\\n"
(Path.home() / "Documents/minutes.txt").write_text(minutes)
""",
    "publish-visitor-total": """
from pathlib import Path

# Not uploaded.
(Path.home() / "Documents/visitors-total.txt").write_text("5671\\n")
""",
    "replace-plan": """
import subprocess

# Packs the folder and leaves the drive as it was.
subprocess.run(["tar", "-C", "/home/user", "-czf", "/home/user/plans.tar.gz", "Plans"], check=True)
""",
}
