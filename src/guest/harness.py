"""Runs one skill's function in the sandbox and tells the host how it ended."""
import json
import os
import resource
import sys
import traceback

import runtime_api
import skill_imports
from channel import Channel

OUTPUT_LIMIT = 4096
TEXT_LIMIT = 8000
TRACEBACK_LIMIT = 32000
HARNESS = "/guest/"


class EntrypointNotFound(Exception):
    pass


def set_limits(limits):
    for name, value in limits.items():
        which = getattr(resource, "RLIMIT_" + name)
        soft, hard = value
        _, ceiling = resource.getrlimit(which)
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(which, (soft, hard))


def set_streams():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def text_of(value, limit):
    try:
        text = str(value)
    except Exception as error:
        text = "<%s while it was turned into text>" % type(error).__name__
    return text if len(text) <= limit else text[:limit] + " …"


def failure(error_type, message, hint=None, trace=None):
    told = {"type": error_type, "message": message}
    if hint:
        told["hint"] = hint
    if trace:
        told["traceback"] = trace
    return {"error": told}


def trace_of(error):
    """The traceback without the frames of this harness."""
    frames = error.__traceback__
    while frames is not None:
        name = frames.tb_frame.f_code.co_filename
        if not name.startswith((HARNESS, "<frozen importlib")):
            break
        frames = frames.tb_next
    try:
        lines = traceback.format_exception(type(error), error, frames)
        text = "".join(lines)
    except Exception:
        return None
    if len(text) <= TRACEBACK_LIMIT:
        return text
    half = TRACEBACK_LIMIT // 2
    return text[:half] + "\n…\n" + text[-half:]


def find_function(entry):
    root = "/skills/" + entry["skill"]
    file = os.path.realpath(os.path.join(root, entry["entrypoint"]))
    if not file.startswith(root + "/") or not os.path.isfile(file):
        raise EntrypointNotFound('The skill has no file "%s"' % entry["entrypoint"])
    folder = os.path.dirname(file)
    name = skill_imports.module_name(entry["skill"])
    skill_imports.install({name: (file, folder)})
    sys.path.insert(0, folder)
    __import__(name)
    module = sys.modules[name]
    function = getattr(module, entry["export"], None)
    if not callable(function):
        raise EntrypointNotFound(
            '"%s" has no function "%s"' % (entry["entrypoint"], entry["export"])
        )
    return function


def serialise(value):
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates: the escaped form is valid JSON and loses nothing.
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def outcome_of(value, channel):
    try:
        data = serialise(value)
    except Exception as error:
        hint = "Return only dict, list, str, int, finite float, bool and None"
        message = "The result is not JSON: " + text_of(error, TEXT_LIMIT)
        return failure("SerializationError", message, hint)
    summary = value.get("summary") if isinstance(value, dict) else None
    told = {"summary": summary[:600]} if isinstance(summary, str) else {}
    if len(data) <= OUTPUT_LIMIT:
        told["output"] = data.decode("utf-8")
    else:
        told["output_blob"] = "blob:" + os.urandom(16).hex()
        told["output_size"] = len(data)
        channel.send_blob(told["output_blob"], [data], "application/json", True)
    return told


def run(job, channel):
    try:
        function = find_function(job["entry"])
        value = function(job["args"])
        return outcome_of(value, channel)
    except EntrypointNotFound as error:
        return failure("EntrypointNotFound", str(error), "Compare [runtime] in skill.toml")
    except SystemExit as error:
        message = "The skill ended itself with sys.exit(%s)" % text_of(error.code, 200)
        return failure("Exited", message, "Return a value instead of leaving")
    except BaseException as error:
        message = text_of(error, TEXT_LIMIT)
        told = failure(type(error).__name__[:200], message, None, trace_of(error))
        if isinstance(error, OSError) and isinstance(error.errno, int):
            told["error"]["errno"] = error.errno
        return told


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def main(job, fd):
    channel = Channel(fd, bytes.fromhex(job["key"]))
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir("/workspace")
    os.umask(0o022)
    set_streams()
    sys.path.remove("/guest")
    sys.path.extend(job["paths"])
    sys.argv[:] = [job["entry"]["entrypoint"]]
    sys.dont_write_bytecode = True
    runtime_api.install(channel)
    job["key"] = None
    set_limits(job["limits"])
    own = os.getpid()
    told = run(job, channel)
    flush()
    if os.getpid() != own:
        # A process that the skill forked came back through here: only the first one answers.
        os._exit(0)
    try:
        channel.send_json(b"R", told)
    except OSError:
        os._exit(71)
    os._exit(0)
