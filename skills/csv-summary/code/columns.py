import collections
import math

# Beyond this many distinct values a column stops counting them: it is not a set of categories.
MAX_DISTINCT = 10_000


def parse_number(text):
    """Parses a cell as a number; None if it is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


class Column:
    """Statistics of one column, updated row by row."""

    def __init__(self, name):
        self.name = name
        self.filled = 0
        self.empty = 0
        self.numbers = 0
        self.sum = 0
        self.minimum = math.inf
        self.maximum = -math.inf
        self.values = collections.Counter()

    def add(self, cell):
        text = (cell or "").strip()
        if text == "":
            self.empty += 1
            return
        self.filled += 1
        if text in self.values or len(self.values) < MAX_DISTINCT:
            self.values[text] += 1
        number = parse_number(text)
        if number is not None:
            self.numbers += 1
            self.sum += number
            self.minimum = min(self.minimum, number)
            self.maximum = max(self.maximum, number)

    def report(self):
        counts = {"name": self.name, "filled": self.filled, "empty": self.empty}
        if self.filled > 0 and self.numbers == self.filled:
            return {
                **counts,
                "type": "number",
                "minimum": self.minimum,
                "maximum": self.maximum,
                "sum": round(self.sum, 6),
                "mean": round(self.sum / self.numbers, 6),
            }
        is_cut = len(self.values) == MAX_DISTINCT
        return {
            **counts,
            "type": "text",
            "distinct": f"{MAX_DISTINCT} or more" if is_cut else len(self.values),
            "common": dict(self.values.most_common(5)),
        }
