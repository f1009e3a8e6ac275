"""Write the mail folders of the tasks, and the bills that come by mail: python scenarios/assets/make_mail.py."""

from __future__ import annotations

import datetime as dt
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from text_pdf import text_pdf

MAIL = Path(__file__).parent / "mail"
OFFICE = "Front Office <office@harbour-school.example>"
PAPER = "Fenwick Paper <billing@fenwick-paper.example>"
SUPPLIES = "Larch Supplies <orders@larch-supplies.example>"
FORM = "Form 4b <form4b@harbour-school.example>"
CANTEEN = "Canteen <canteen@harbour-school.example>"

READ = b"X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000\n"


def bill(title: str, date: str, total: str) -> bytes:
    """Return a bill of the paper dealer as PDF."""
    return text_pdf(["Fenwick Paper", "", title, date, "to Harbour School, Front Office", "", f"Total {total}"])


BILLS = {
    "fenwick-paper-2025-02.pdf": bill("Invoice 2251", "28 February 2025", "96.15"),
    "fenwick-paper-2025-03.pdf": bill("Invoice 2307", "31 March 2025", "104.70"),
    "fenwick-paper-2025-04-offer.pdf": bill("Offer 88", "31 March 2025", "99.00"),
}
ATTACHED = {
    "Invoice 2251": ("invoice-2251.pdf", BILLS["fenwick-paper-2025-02.pdf"]),
    "Invoice 2307": ("invoice-2307.pdf", BILLS["fenwick-paper-2025-03.pdf"]),
}
FOLDERS = {
    "Inbox": [
        (PAPER, "Invoice 2251", "2025-02-28", "Attached is our invoice 2251 over 96.15."),
        (FORM, "Absence on Thursday", "2025-03-25", "Two pupils of 4b are absent on Thursday."),
        (CANTEEN, "Menu for April", "2025-03-28", "The menu for April hangs at the door."),
        (PAPER, "Invoice 2307", "2025-03-31", "Attached is our invoice 2307 over 104.70."),
        (PAPER, "Prices from April", "2025-03-31", "A box of A4 paper costs 33.00 from April on."),
    ],
    "Orders": [
        (SUPPLIES, "Order 4117", "2025-05-02", "We confirm your order 4117. It is delivered on 2025-05-12."),
        (SUPPLIES, "Order 4120", "2025-05-02", "Your order 4120 cannot be confirmed: the map is no longer made."),
        (SUPPLIES, "Order 4118", "2025-05-05", "We confirm your order 4118. It is delivered on 2025-05-15."),
        (SUPPLIES, "Order 4121", "2025-05-05", "We have received your order 4121 and will come back to you."),
        (SUPPLIES, "Order 4119", "2025-05-06", "We confirm your order 4119. It is delivered on 2025-05-20."),
    ],
}


def main() -> None:
    """Write all files."""
    for name, data in BILLS.items():
        (MAIL / "bills" / name).write_bytes(data)
    for name, letters in FOLDERS.items():
        (MAIL / name).write_bytes(b"".join(letter(*told) for told in letters))


def letter(sender: str, subject: str, day: str, text: str) -> bytes:
    """Return a message as it stands in a folder, read, with what is attached to mail of its subject."""
    date = dt.datetime.fromisoformat(f"{day}T09:00:00+00:00")
    message = EmailMessage(policy=policy.default.clone(linesep="\n"))
    message["From"] = sender
    message["To"] = OFFICE
    message["Subject"] = subject
    message["Date"] = format_datetime(date)
    message["Message-ID"] = f"<{subject.lower().replace(' ', '-')}@{sender.rpartition('@')[2]}"
    message.set_content(f"Good morning,\n\n{text}\n")
    if subject in ATTACHED:
        name, data = ATTACHED[subject]
        message.add_attachment(data, maintype="application", subtype="pdf", filename=name)
        message.set_boundary("a-part-of-the-message")
    return b"From - " + date.ctime().encode() + b"\n" + READ + message.as_bytes() + b"\n"


if __name__ == "__main__":
    main()
