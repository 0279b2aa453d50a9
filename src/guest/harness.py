"""Runs one function in the sandbox, of a skill or of submitted code, and reports the result to
the host.
"""
import importlib
import linecache
import os
import sys
import traceback
import types

import guest_limits
import results
import runtime_blobs
import runtime_log
import skill_imports
from channel import Channel

OUTPUT_LIMIT = 4096
SUMMARY_LIMIT = 600
TEXT_LIMIT = 8000
TRACEBACK_LIMIT = 32000
GUEST = os.path.dirname(os.path.abspath(__file__)) + "/"
MACHINERY = (GUEST, "<frozen importlib", importlib.import_module.__code__.co_filename)
HARNESS = GUEST + "harness.py"
CODE_MODULE = "submitted_code"
CODE_FILE = "<code>"
# Exit code if the result could not be sent. The host only detects that the result is missing.
NOT_TOLD = 71


class EntrypointNotFound(Exception):
    pass


def set_streams():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def text_of(value, limit):
    try:
        text = str(value)
    except Exception as error:
        text = "<%s while it was turned into text>" % type(error).__name__
    return text if len(text) <= limit else text[:limit] + " …"


def failure(error_type, message, **more):
    told = {"type": error_type, "message": message}
    told.update((key, value) for key, value in more.items() if value is not None)
    return {"error": told}


def without_machinery(told):
    """Removes the frames of imports and of this harness from an exception and from its causes."""
    pending = [told]
    while pending:
        each = pending.pop()
        frames = [frame for frame in each.stack if not frame.filename.startswith(MACHINERY)]
        each.stack = traceback.StackSummary.from_list(frames)
        behind = [each.__cause__, each.__context__, *(getattr(each, "exceptions", None) or ())]
        pending.extend(one for one in behind if one is not None)
    return told


def trace_of(error):
    """Formats the traceback without the frames of this harness."""
    frames = error.__traceback__
    each = frames
    while each is not None:
        if each.tb_frame.f_code.co_filename == HARNESS:
            frames = each.tb_next
        each = each.tb_next
    try:
        told = traceback.TracebackException(type(error), error, frames)
        text = "".join(without_machinery(told).format())
    except Exception:
        return None
    if len(text) <= TRACEBACK_LIMIT:
        return text
    half = TRACEBACK_LIMIT // 2
    return text[:half] + "\n…\n" + text[-half:]


def function_of_skill(entry, skills):
    mounted = skills[skill_imports.module_name(entry["skill"])]
    if mounted.file is None or not os.path.isfile(mounted.file):
        raise EntrypointNotFound('The skill has no file "%s"' % entry["entrypoint"])
    # Appended last, so that the files of a skill never shadow the standard library for other
    # modules.
    sys.path.append(mounted.folder)
    module = importlib.import_module(mounted.module)
    return function_of(module, entry["export"], '"%s"' % entry["entrypoint"])


def function_of_code(entry):
    """Executes the code as a module and registers its lines for tracebacks and inspect."""
    code = entry["code"]
    linecache.cache[CODE_FILE] = (len(code), None, code.splitlines(True), CODE_FILE)
    module = types.ModuleType(CODE_MODULE)
    module.__file__ = CODE_FILE
    sys.modules[CODE_MODULE] = module
    exec(compile(code, CODE_FILE, "exec", dont_inherit=True), module.__dict__)
    return function_of(module, entry["export"], "The code")


def function_of(module, name, where):
    function = getattr(module, name, None)
    if not callable(function):
        raise EntrypointNotFound('%s has no function "%s"' % (where, name))
    return function


def finished(value):
    """Returns the value of an ordinary function, or awaits a coroutine."""
    if not hasattr(value, "__await__"):
        return value
    import asyncio

    async def wait():
        return await value

    return asyncio.run(wait())


def outcome_of(value):
    try:
        data = results.serialise(value)
    except results.NotSerialisable as error:
        message = "The result is not JSON: " + text_of(error, TEXT_LIMIT)
        return failure("SerializationError", message, hint=error.hint)
    summary = value.get("summary") if isinstance(value, dict) else None
    told = {"summary": summary[:SUMMARY_LIMIT]} if isinstance(summary, str) else {}
    if len(data) <= OUTPUT_LIMIT:
        told["output"] = data.decode("utf-8")
    else:
        told["output_blob"] = DRAFTS.store("application/json", [data], is_output=True)
    return told


def failure_of_exit(error):
    code = error.code
    if code is None:
        number = 0
    else:
        number = code & 255 if isinstance(code, int) else 1
    said = "" if code is None or isinstance(code, int) else ": " + text_of(code, TEXT_LIMIT)
    message = "The code ended with exit code %d before it returned%s" % (number, said)
    return failure("Exited", message, hint="Return a value instead of exiting", exit_code=number)


def run(job, skills):
    entry = job["entry"]
    try:
        is_skill = entry["kind"] == "skill"
        function = function_of_skill(entry, skills) if is_skill else function_of_code(entry)
        return outcome_of(finished(function(job["args"])))
    except EntrypointNotFound as error:
        return failure("EntrypointNotFound", str(error), hint=entry["hint"])
    except SystemExit as error:
        return failure_of_exit(error)
    except BaseException as error:
        name = type(error).__name__[:200]
        number = error.errno if isinstance(error, OSError) else None
        return failure(
            name,
            text_of(error, TEXT_LIMIT),
            traceback=trace_of(error),
            errno=number if isinstance(number, int) else None,
        )


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def make_runtime(drafts):
    runtime = types.ModuleType("runtime", "Blobs and logs of this run.")
    runtime.__path__ = []
    runtime.blobs = runtime_blobs.make_blobs(drafts)
    runtime.log = runtime_log.make_log(drafts)
    return runtime


DRAFTS = runtime_blobs.Drafts()
RUNTIME = make_runtime(DRAFTS)


def install_runtime(channel, secret, folder):
    runtime_blobs.FOLDER = folder
    DRAFTS.open(channel, secret)
    sys.modules["runtime"] = RUNTIME
    sys.modules["runtime.blobs"] = RUNTIME.blobs
    sys.modules["runtime.log"] = RUNTIME.log


def packages_of(job):
    """Returns the folders of installed packages. The host passes them unless it does not know
    the interpreter.
    """
    if job["paths"] is not None:
        return job["paths"]
    import site

    return site.getsitepackages()


IS_SETTLED = False


def settle():
    """Sets up the interpreter for any run. A zygote does it once for all forks."""
    global IS_SETTLED
    if not IS_SETTLED:
        IS_SETTLED = True
        os.environ.clear()
        set_streams()
        sys.dont_write_bytecode = True


def perform(job, channel):
    """Performs the run and returns the result for the host."""
    folders = job["folders"]
    environment = {"HOME": folders["workspace"], "TMPDIR": folders["tmp"], **job["env"]}
    for name, value in environment.items():
        os.environ[name] = value
    os.chdir(folders["workspace"])
    os.umask(0o022)
    sys.path.remove(GUEST[:-1])
    sys.path.extend(job.get("dependencies") or ())
    sys.path.extend(packages_of(job))
    sys.argv[:] = [job["entry"].get("entrypoint", CODE_FILE)]
    install_runtime(channel, bytes.fromhex(job["blob_secret"]), folders["blobs"])
    skills = {each.module: each for each in skill_imports.install(job["skills"], folders["skills"])}
    job["key"] = job["blob_secret"] = None
    guest_limits.set_limits(job["limits"])
    told = run(job, skills)
    flush()
    return told


def main(job, fd):
    settle()
    channel = Channel(fd, bytes.fromhex(job["key"]))
    told = perform(job, channel)
    if not channel.is_own():
        # User code forked and the child returned from the function; only the parent sends the
        # result.
        os._exit(0)
    try:
        channel.send_json(b"R", told)
    except OSError:
        os._exit(NOT_TOLD)
    os._exit(0)
