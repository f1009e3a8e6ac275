"""A PDF file of one page of plain text: what the invoices and bills of the tasks are made of."""

from __future__ import annotations

_LINE_HEIGHT = 18


def text_pdf(lines: list[str]) -> bytes:
    """Return the file: A4, Helvetica 12, one line below the other; the same bytes for the same lines."""
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    page = f"BT /F1 12 Tf {_LINE_HEIGHT} TL 72 770 Td\n{shown}\nET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + head + table + tail


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
