"""The return value as JSON. A value that JSON cannot represent without loss is rejected, with
its path.
"""
import json

MAX_BYTES = 8 << 20
MAX_DEPTH = 100
MAX_INTEGER = (1 << 53) - 1


class NotSerialisable(Exception):
    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


def check_value(value):
    """Walks iteratively, because a value may be nested deeper than the stack."""
    pending = [(value, "", 0)]
    ancestors = []
    while pending:
        item, path, depth = pending.pop()
        if depth < 0:
            ancestors.pop()
            continue
        if isinstance(item, (dict, list, tuple)):
            if any(item is each for each in ancestors):
                raise NotSerialisable(_describe_at("a value that contains itself", path), FLAT)
            if len(ancestors) >= MAX_DEPTH:
                raise NotSerialisable("it is nested more than %d levels deep" % MAX_DEPTH, FLAT)
            ancestors.append(item)
            pending.append((None, "", -1))
            pending.extend(_children(item, path, depth + 1))
        else:
            _check_leaf(item, path)


def _children(item, path, depth):
    if not isinstance(item, dict):
        return [(each, "%s[%d]" % (path, at), depth) for at, each in enumerate(item)]
    for key in item:
        if not isinstance(key, str):
            message = _describe_at("a key of the type %s" % type(key).__name__, path)
            raise NotSerialisable(message, "Turn keys into strings with str()")
    return [(each, "%s[%r]" % (path, key[:40]), depth) for key, each in item.items()]


def _check_leaf(item, path):
    if item is None or isinstance(item, (bool, str)):
        return
    if isinstance(item, int):
        if abs(item) > MAX_INTEGER:
            message = _describe_at("an integer beyond 2**53", path)
            raise NotSerialisable(message, "Return it as a string with str()")
        return
    if isinstance(item, float):
        if item != item or item in (float("inf"), float("-inf")):
            raise NotSerialisable(_describe_at(str(item), path), "Return None where there is no number")
        return
    name = type(item).__name__
    raise NotSerialisable(_describe_at("a value of the type %s" % name, path), HINTS.get(name, PLAIN))


def _describe_at(value_text, path):
    return value_text + (" at %s" % path[:200] if path else "")


PLAIN = "Return only dict, list, str, int, finite float, bool and None"
FLAT = "Return a flatter value, or write it into a blob"
HINTS = {
    "bytes": "Write bytes into a blob with blobs.write_bytes(), or decode them",
    "bytearray": "Write bytes into a blob with blobs.write_bytes(), or decode them",
    "datetime": "Return it as a string with .isoformat()",
    "date": "Return it as a string with .isoformat()",
    "Decimal": "Return it as a string with str()",
    "set": "Return it as a list with sorted()",
    "frozenset": "Return it as a list with sorted()",
    "ndarray": "Return it as a list with .tolist()",
    "DataFrame": "Write it into a blob with blobs.write_text(frame.to_csv())",
    "coroutine": "Await it before it is returned",
    "generator": "Return it as a list with list()",
}


ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def serialise(value):
    """Serialises a value to UTF-8; raises NotSerialisable."""
    check_value(value)
    try:
        text = ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotSerialisable(str(error), PLAIN) from None
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates: the escaped form is valid JSON without loss.
        data = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(data) > MAX_BYTES:
        message = "it has %d bytes, and a result may have %d at most" % (len(data), MAX_BYTES)
        raise NotSerialisable(message, "Write it into a blob with blobs.write_json()")
    return data
