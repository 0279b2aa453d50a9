from xml.sax.saxutils import escape

from runtime import blobs

MAX_BARS = 100
TEXT_WIDTH = 40
ROW = 28
LABELS = 140
WIDTH = 640


def main(args):
    values, title = args["values"], args.get("title", "")
    if args.get("form") == "svg":
        chart = blobs.write_text(svg_chart(values, title), kind="image/svg+xml")
    else:
        chart = text_chart(values, title)
    return {"summary": f"A chart of {len(values)} bars", "chart": chart}


def text_chart(values, title=""):
    """Draws one text line per bar."""
    largest = find_largest(values)
    width = max(len(label) for label in values)
    lines = [title] if title else []
    for label, value in values.items():
        bar = "█" * round(value / largest * TEXT_WIDTH)
        lines.append(f"{label:<{width}}  {bar} {value:g}")
    return "\n".join(lines)


def svg_chart(values, title=""):
    """Draws an SVG image; a browser is enough to view it."""
    largest = find_largest(values)
    top = ROW if title else 0
    height = top + ROW * len(values)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="14">'
    parts = [head]
    if title:
        parts.append(f'<text x="0" y="18" font-weight="bold">{escape(title)}</text>')
    for row, (label, value) in enumerate(values.items()):
        y = top + row * ROW
        length = round(value / largest * (WIDTH - LABELS - 80), 1)
        parts.append(f'<text x="0" y="{y + 18}">{escape(label)}</text>')
        parts.append(f'<rect x="{LABELS}" y="{y + 4}" width="{length}" height="{ROW - 8}" fill="#4a7"/>')
        parts.append(f'<text x="{LABELS + length + 6}" y="{y + 18}">{value:g}</text>')
    return "\n".join([*parts, "</svg>", ""])


def find_largest(values):
    """Checks the values and returns the largest, to which all bars are scaled."""
    if not 0 < len(values) <= MAX_BARS:
        raise ValueError(f"Expected 1 to {MAX_BARS} values, got {len(values)}")
    for label, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise ValueError(f"Expected a number of at least 0 for {label!r}, got {value!r}")
    return max(values.values()) or 1
