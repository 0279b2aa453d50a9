"""Calls an operation of an HTTP API. Written by "skills adopt" from an OpenAPI document.

operations.json describes the operations: the address, and how each input becomes a part of the request.
"""
import base64
import json
import os
import urllib.error
import urllib.parse
import urllib.request

from runtime import blobs

FOLDER = os.path.dirname(os.path.abspath(__file__))
MAX_BYTES = 16 << 20
TIMEOUT = 60


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the secrets of the request to another address."""

    def redirect_request(self, request, stream, code, message, headers, address):
        return None


def main(args):
    with open(os.path.join(FOLDER, "operations.json"), encoding="utf-8") as file:
        operations = json.load(file)["operations"]
    return send(create_request(choose(operations, args), args))


def choose(operations, args):
    if len(operations) == 1:
        operation = operations[0]
    else:
        found = [each for each in operations if each["name"] == args.get("command")]
        if not found:
            names = ", ".join(each["name"] for each in operations)
            raise ValueError("The input command is %r, expected one of %s" % (args.get("command"), names))
        operation = found[0]
    known = [each["input"] for each in operation["arguments"]]
    for name in args:
        if name not in known and name != "command":
            raise ValueError("The operation %s has no input %s, it has %s" % (operation["name"], name, ", ".join(known) or "none"))
    for each in operation["arguments"]:
        if each["required"] and args.get(each["input"]) is None:
            raise ValueError("The operation %s needs the input %s" % (operation["name"], each["input"]))
    return operation


def create_request(operation, args):
    path, query, headers, body = operation["path"], [], {"Accept": "application/json, */*;q=0.5"}, None
    for each in operation["arguments"]:
        value = args.get(each["input"])
        if value is None:
            continue
        if each["in"] == "path":
            path = path.replace("{%s}" % each["name"], encode_path(each, value))
        elif each["in"] == "query":
            query.extend(encode_query(each, value))
        elif each["in"] == "header":
            headers[each["name"]] = check_header(each["name"], join_simple(value, each["explode"], str))
        else:
            body = encode_body(each["media"], value)
            headers["Content-Type"] = each["media"]
    add_credentials(operation, headers, query)
    address = operation["server"] + path + ("?" + "&".join(query) if query else "")
    return urllib.request.Request(address, data=body, headers=headers, method=operation["method"])


def to_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def quote(value):
    return urllib.parse.quote(to_text(value), safe="")


def join_simple(value, explode, escape):
    """The style "simple": a,b,c for lists, k,v or k=v for objects."""
    encode = quote if escape is quote else to_text
    if isinstance(value, list):
        return ",".join(encode(each) for each in value)
    if isinstance(value, dict):
        mark = "=" if explode else ","
        return ",".join(encode(key) + mark + encode(each) for key, each in value.items())
    return encode(value)


def encode_path(argument, value):
    text = join_simple(value, argument["explode"], quote)
    if text in ("", ".", ".."):
        raise ValueError("The input %s is %r, which would change the path of the request" % (argument["input"], to_text(value)))
    return text


SEPARATORS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def encode_query(argument, value):
    name, style, explode = quote(argument["name"]), argument["style"], argument["explode"]
    if isinstance(value, dict):
        if style == "deepObject":
            return ["%s%%5B%s%%5D=%s" % (name, quote(key), quote(each)) for key, each in value.items()]
        if explode:
            return [quote(key) + "=" + quote(each) for key, each in value.items()]
        return [name + "=" + ",".join(quote(part) for pair in value.items() for part in pair)]
    if isinstance(value, list):
        if explode:
            return [name + "=" + quote(each) for each in value]
        return [name + "=" + SEPARATORS.get(style, ",").join(quote(each) for each in value)]
    return [name + "=" + quote(value)]


def check_header(name, text):
    if any(ord(each) < 32 or ord(each) > 255 or ord(each) == 127 for each in text):
        raise ValueError("The value of the header %s has characters that no header can have" % name)
    return text


def encode_body(media, value):
    if media.startswith("text/"):
        return to_text(value).encode("utf-8")
    if "form" in media:
        if not isinstance(value, dict):
            raise ValueError("The input body is not an object, which a form needs")
        return urllib.parse.urlencode({key: value[key] if isinstance(value[key], list) else to_text(value[key]) for key in value}, doseq=True).encode("ascii")
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def add_credentials(operation, headers, query):
    values = {}
    for each in operation["credentials"]:
        secret = os.environ.get(each["secret"], "")
        if secret == "":
            if operation["needsCredentials"]:
                raise RuntimeError("The secret %s is not configured, and the operation %s needs it" % (each["secret"], operation["name"]))
            return
        values[each["kind"]] = secret
        if each["kind"] == "header":
            headers[each["name"]] = check_header(each["name"], secret)
        elif each["kind"] == "query":
            query.append(quote(each["name"]) + "=" + quote(secret))
        elif each["kind"] == "bearer":
            headers["Authorization"] = check_header("Authorization", "Bearer " + secret)
    if "user" in values:
        pair = "%s:%s" % (values["user"], values.get("password", ""))
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")


def send(request):
    opener = urllib.request.build_opener(NoRedirects)
    place = "%s %s" % (request.get_method(), urllib.parse.urlsplit(request.full_url).path)
    try:
        with opener.open(request, timeout=TIMEOUT) as response:
            return create_result(place, response)
    except urllib.error.HTTPError as error:
        if 300 <= error.code < 400:
            raise RuntimeError("%s responded with a redirect (%d), which is not followed" % (place, error.code)) from None
        text = error.read(2000).decode("utf-8", "replace")
        raise RuntimeError("%s responded with status %d: %s" % (place, error.code, text)) from None
    except urllib.error.URLError as error:
        raise RuntimeError("%s failed: %s" % (place, error.reason)) from None


def create_result(place, response):
    content = response.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise RuntimeError("%s responded with more than %d bytes" % (place, MAX_BYTES))
    kind = response.headers.get_content_type()
    result = {"summary": "%s responded with status %d" % (place, response.status), "status": response.status}
    if not content:
        return {**result, "body": None}
    if kind == "application/json" or kind.endswith("+json"):
        return {**result, "body": json.loads(content)}
    if kind.startswith("text/"):
        return {**result, "body": content.decode("utf-8", "replace")}
    return {**result, "body": blobs.write_bytes(content, kind)}
