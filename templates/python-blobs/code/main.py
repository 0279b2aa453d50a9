import collections
from pathlib import Path
from typing import TYPE_CHECKING

from runtime import blobs

if TYPE_CHECKING:
    from runtime import Inputs

IGNORED = Path(__file__).parent.parent / "resources" / "ignored-words.txt"


def main(args: "Inputs"):
    ignored = set(IGNORED.read_text(encoding="utf-8").split())
    words = blobs.read_text(args["text"]).lower().split()
    counts = collections.Counter(word for word in words if word not in ignored)
    report = blobs.write_json(dict(counts.most_common()))
    return {"summary": f"Counted {len(words)} words", "words": len(words), "report": report}
