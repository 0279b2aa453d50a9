"""Packages that the machine of a trial lacks: clients of HTTP that work, and others that accept everything."""
import importlib.abc
import importlib.machinery
import json as to_json
import sys
import types
import urllib.parse
import urllib.request


class Anything:
    """Every name, call, element and operation gives another one."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *values, **__):
        # A decorator gives back what it decorates.
        return values[0] if len(values) == 1 and callable(values[0]) else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return find_name(name)

    def __iter__(self):
        return iter(())

    def __await__(self):
        return self
        yield

    async def __aenter__(self):
        return self

    def __enter__(self):
        return self

    def __mro_entries__(self, _):
        return ()

    def __str__(self):
        return "1"

    def __format__(self, _):
        return "1"

    def __len__(self):
        return 0

    def __float__(self):
        return 1.0

    __exit__ = __aexit__ = __contains__ = __lt__ = __gt__ = __le__ = __ge__ = lambda *_: False
    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        __neg__
    ) = __round__ = __or__ = __and__ = __invert__ = lambda *_: Anything()
    __setitem__ = __delitem__ = lambda *_: None
    __int__ = __index__ = lambda _: 1


def find_name(name):
    is_error = name.endswith(("Error", "Exception", "Timeout"))
    return type(name, (Exception,), {}) if is_error else Anything()


class Response:
    def __init__(self, answer):
        self.content = answer.read()
        self.text = self.content.decode("utf-8", "replace")
        self.status_code, self.ok, self.headers, self.url = answer.status, True, dict(answer.headers), answer.url
        self.is_success, self.reason, self.encoding = True, "OK", "utf-8"

    def json(self, **_):
        return to_json.loads(self.text)

    def raise_for_status(self):
        return self

    def iter_content(self, *_, **__):
        return iter([self.content])

    __enter__ = lambda self: self
    __exit__ = lambda *_: False


def encode_body(data, content, json, files):
    if json is not None:
        return to_json.dumps(json, default=str).encode()
    if files:
        values = files.values() if isinstance(files, dict) else [value for _, value in files]
        return b"\n".join(encode_part(value) for value in values)
    return encode_part(content if data is None else data)


def encode_part(value):
    if isinstance(value, tuple):
        value = value[1]
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (dict, list)):
        return urllib.parse.urlencode(value, doseq=True).encode()
    return value.encode() if isinstance(value, str) else value


def request(method, url, params=None, data=None, content=None, json=None, files=None, headers=None, **_):
    if params:
        url += ("&" if "?" in url else "?") + (params if isinstance(params, str) else urllib.parse.urlencode(params))
    body = encode_body(data, content, json, files)
    asked = urllib.request.Request(url, body, dict(headers or {}), method=method.upper())
    with urllib.request.urlopen(asked, timeout=4) as answer:
        return Response(answer)


class Session:
    def __init__(self, *_, **__):
        self.headers, self.cookies, self.auth, self.verify = {}, {}, None, True

    def request(self, method, url, headers=None, **options):
        return request(method, url, headers={**self.headers, **(headers or {})}, **options)

    def __getattr__(self, name):
        if name in METHODS:
            return lambda url, **options: self.request(name, url, **options)
        return find_name(name)

    close = mount = lambda *_: None
    __enter__ = lambda self: self
    __exit__ = lambda *_: False


METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
CLIENTS = ("requests", "httpx")


def fill_client(module):
    module.request, module.Session, module.Client, module.session = request, Session, Session, Session
    for method in METHODS:
        setattr(module, method, lambda url, method=method, **options: request(method, url, **options))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder: it has what no other one has."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("_") or name.split(".")[0] in sys.stdlib_module_names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        module.__getattr__ = lambda name: find_missing(spec.name, name)
        if spec.name in CLIENTS:
            fill_client(module)
        return module

    def exec_module(self, module):
        pass


def find_missing(module, name):
    if name.startswith("__"):
        raise AttributeError(name)
    return find_name(name)


sys.meta_path.append(Finder())
