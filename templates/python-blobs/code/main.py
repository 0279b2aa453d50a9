import collections

from runtime import blobs


def main(args):
    words = blobs.read_text(args["text"]).lower().split()
    counts = collections.Counter(words)
    report = blobs.write_json(dict(counts.most_common()))
    return {"summary": f"Counted {len(words)} words", "words": len(words), "report": report}
