"""JSON to and from the host for the first process. Importing the json package would double its
start time.
"""
import _json


class DecoderOptions:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


SCAN = _json.make_scanner(DecoderOptions)


def decode(data):
    """Decodes JSON of the host, which has no whitespace around it."""
    value, end = SCAN(data.decode("utf-8"), 0)
    return value


def encode(message):
    """Encodes a flat object, or one that contains flat objects and lists of integers."""
    return encode_value(message).encode("ascii")


def encode_value(value):
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _json.encode_basestring_ascii(value)
    if isinstance(value, list):
        return "[" + ",".join(map(encode_value, value)) + "]"
    pairs = [_json.encode_basestring_ascii(key) + ":" + encode_value(each) for key, each in value.items()]
    return "{" + ",".join(pairs) + "}"
