"""Write the workbooks and documents of the tasks: python scenarios/assets/make_office.py."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TypeAlias

import openpyxl
from openpyxl.styles import Font
from text_pdf import text_pdf

OFFICE = Path(__file__).parent / "office"

Row: TypeAlias = tuple[str | float | dt.date | None, ...]

FEES: list[Row] = [
    ("Pupil", "Class", "Guardian", "Fee", "Paid", "Remark"),
    ("Adler", "1a", "r.adler@post.example", 60, 60, None),
    ("Bronke", "1a", "bronke.home@mailbox.example", 60, 0, None),
    ("Castell", "1b", "s.castell@mailbox.example", 60, 60, "paid in cash"),
    ("Dorran", "1b", "dorran@post.example", 60, 35, "pays in two parts"),
    ("Eddow", "2a", "eddow.family@post.example", 75, 75, None),
    ("Fenner", "2a", "m.fenner@mailbox.example", 75, 60, "has paid last year's fee"),
    ("Gorlitz", "2a", "h.gorlitz@post.example", 0, 0, "exempt"),
    ("Hask", "2b", "hask@mailbox.example", 75, 75, None),
    ("Imber", "2b", "imber.j@post.example", 75, 0, None),
    ("Jessop", "2b", "k.jessop@mailbox.example", 75, 75, None),
]
TALLY: list[Row] = [
    ("Date", "Supplier", "Amount"),
    (dt.date(2025, 1, 31), "fenwick-paper", 118.40),
    (dt.date(2025, 2, 14), "larch-supplies", 212.00),
    (dt.date(2025, 2, 28), "fenwick-paper", 96.15),
]
ORDERS: list[Row] = [
    ("Order", "Article", "Pieces", "Status", "Delivery"),
    (4116, "chalk, white", 40, "confirmed", dt.date(2025, 5, 6)),
    (4117, "exercise books", 300, "open", None),
    (4118, "pencils", 250, "open", None),
    (4119, "glue sticks", 60, "open", None),
    (4120, "wall map", 1, "open", None),
    (4121, "sports mats", 8, "open", None),
]
STOCK: list[Row] = [
    ("Article", "Pieces", "Price", "Value"),
    ("chalk, white", 120, 0.35, None),
    ("exercise books", 310, 1.20, None),
    ("pencils", 275, 0.45, None),
    ("glue sticks", 64, 1.85, None),
    ("rulers", 90, 0.95, None),
    ("scissors", 48, 3.40, None),
    ("Total", None, None, None),
]
STATEMENT: list[Row] = [
    ("Date", "Payee", "Reference", "Amount"),
    (dt.date(2025, 4, 3), "Larch Supplies", "invoice 731", -212.00),
    (dt.date(2025, 4, 4), "Water works", "first quarter", -380.25),
    (dt.date(2025, 4, 9), "Fenwick Paper", "invoice 2307", -107.40),
    (dt.date(2025, 4, 11), "Quay Cleaning", "invoice 55", -640.00),
    (dt.date(2025, 4, 16), "Dell and Moor Glass", "invoice 9014", -415.80),
    (dt.date(2025, 4, 22), "Larch Supplies", "invoice 744", -89.90),
]
INVOICES = {
    "dell-moor-9014.pdf": ("Dell and Moor Glass", "Invoice 9014", "451.80"),
    "fenwick-paper-2307.pdf": ("Fenwick Paper", "Invoice 2307", "104.70"),
    "larch-supplies-731.pdf": ("Larch Supplies", "Invoice 731", "212.00"),
    "larch-supplies-744.pdf": ("Larch Supplies", "Invoice 744", "89.90"),
    "quay-cleaning-55.pdf": ("Quay Cleaning", "Invoice 55", "640.00"),
}


def main() -> None:
    """Write all files."""
    for name, rows in (
        ("fees", FEES),
        ("tally", TALLY),
        ("orders", ORDERS),
        ("stock", STOCK),
        ("statement", STATEMENT),
    ):
        workbook(name, rows)
    for name, (sender, title, total) in INVOICES.items():
        lines = [sender, "", title, "to Harbour School, Front Office", "", f"Total {total}"]
        (OFFICE / "invoices" / name).write_bytes(text_pdf(lines))


def workbook(name: str, rows: list[Row]) -> None:
    """Write a workbook of one sheet with a bold head."""
    book = openpyxl.Workbook()
    book.properties.created = dt.datetime(2025, 1, 1)  # noqa: DTZ001 - the form has no time zone
    sheet = book.active
    sheet.title = name.capitalize()
    for row in rows:
        sheet.append(row)
    for column, width in zip("ABCDEF", (18, 18, 30, 14, 14, 26), strict=True):
        sheet.column_dimensions[column].width = width
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    book.save(OFFICE / f"{name}.xlsx")


if __name__ == "__main__":
    main()
