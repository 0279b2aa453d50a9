"""Runs one function of a shell script, answers requests of its library, and reports the result
to the host.
"""
import json
import os
import select
import time

import foreign
import harness
import results
from channel import Channel

# Descriptors of the shell: requests of its library, their responses, and the output of the
# function.
REQUESTS, RESPONSES, RESULT = 8, 9, 10
PIECE = 65536
MAX_ARGUMENTS = 1000
LINGER_SECONDS = 0.1
TEXT_LIMIT = 8000


class RequestError(Exception):
    """An error that the library of the shell prints before it fails."""


def format_value(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "\0" in text:
        raise RequestError("the value contains NUL, which shell texts cannot hold")
    return text


class RequestHandler:
    """Answers requests of the shell. Each is a count and that many texts, all terminated by NUL."""

    def __init__(self, job, runtime):
        self.failed = None
        self.last_command = None
        self._args = job["args"]
        self._blobs = runtime.blobs
        self._log = runtime.log
        self._progress = runtime.progress

    def answer(self, name, *arguments):
        handle_request = getattr(self, "do_" + name, None)
        if handle_request is None:
            raise RequestError("no such request: " + name[:80])
        return handle_request(*arguments)

    def do_arg(self, name, *default):
        if name in self._args and self._args[name] is not None:
            return format_value(self._args[name])
        if default:
            return default[0]
        raise RequestError('the argument "%s" is missing and has no default' % name[:80])

    def do_log(self, level, *arguments):
        getattr(self._log, level)(" ".join(arguments))
        return ""

    def do_progress(self, done, total, *message):
        self._progress(parse_number(done), parse_number(total), " ".join(message))
        return ""

    def do_blob_path(self, blob_id):
        return self._blobs.path(blob_id)

    def do_blob_write(self, kind, path):
        return self._blobs.write_file(path, kind=kind)

    def do_json(self, *pairs):
        value = {}
        for pair in pairs:
            name, mark, text = pair.partition("=")
            if not mark:
                raise RequestError('expected NAME=TEXT or NAME:=JSON, got "%s"' % pair[:80])
            if name.endswith(":"):
                value[name[:-1]] = json.loads(text, parse_constant=reject_constant)
            else:
                value[name] = text
        return json.dumps(value, ensure_ascii=False)

    def do_fail(self, *arguments):
        self.failed = " ".join(arguments)
        return ""

    def do_failing(self, location, command):
        """Kept in case the script does not handle the failure."""
        self.last_command = "%s: %s" % (location, command)
        return ""


def parse_number(text):
    try:
        return float(text)
    except ValueError:
        raise RequestError('expected a number, got "%s"' % text[:80]) from None


def reject_constant(text):
    raise ValueError("%s is not a JSON number" % text)


class RequestReader:
    """Splits the output of the shell into requests."""

    def __init__(self, handler, responses):
        self._handler = handler
        self._responses = responses
        self._pending = b""

    def feed(self, data):
        self._pending += data
        while True:
            count, mark, rest = self._pending.partition(b"\0")
            if not mark or not count.isdigit() or int(count) > MAX_ARGUMENTS:
                return
            parts = rest.split(b"\0", int(count))
            if len(parts) <= int(count):
                return
            self._pending = parts.pop()
            self._respond([each.decode("utf-8", "surrogateescape") for each in parts])

    def _respond(self, arguments):
        try:
            status, text = "0", self._handler.answer(*arguments)
        except RequestError as error:
            status, text = "1", str(error)
        except Exception as error:
            status, text = "1", "%s: %s" % (type(error).__name__, error)
        reply = "%s\0%s\0" % (status, text.replace("\0", ""))
        data = reply.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(self._responses, data):]


def start_shell(job, channel):
    """Starts the shell as a process; returns its pid and our ends of its three pipes."""
    (requests, request_end), (response_end, responses), (output, result_end) = os.pipe(), os.pipe(), os.pipe()
    # Standard input contains the arguments.
    job_input = foreign.write_unlinked(job["args"], job["folders"]["tmp"])
    pid = os.fork()
    if pid == 0:
        try:
            files = {job_input: 0, request_end: REQUESTS, response_end: RESPONSES, result_end: RESULT}
            # First duplicated above all target descriptors, so that no dup2 overwrites another.
            for fd, target in [(os.dup2(fd, 32 + target), target) for fd, target in files.items()]:
                os.dup2(fd, target)
            for fd in (channel, *range(11, 64)):
                try:
                    os.close(fd)
                except OSError:
                    pass
            foreign.enter_workspace(job)
            os.execve(job["program"][0], build_argv(job), foreign.build_environment(job))
        finally:
            os._exit(127)
    for fd in (job_input, request_end, response_end, result_end):
        os.close(fd)
    return pid, requests, responses, output


def build_argv(job):
    guest = os.path.dirname(os.path.abspath(__file__))
    return [*job["program"], guest + "/shell/start.sh", find_script(job), job["entry"]["export"]]


def find_script(job):
    """Returns the script of the skill, or a file with the submitted code."""
    entry, folders = job["entry"], job["folders"]
    if entry["kind"] == "skill":
        root = os.path.join(os.path.realpath(folders["skills"]), entry["skill"])
        file = os.path.realpath(os.path.join(root, entry["entrypoint"]))
        # A link that leads out of the skill is rejected.
        if not file.startswith(root + "/") or not os.path.isfile(file):
            raise harness.EntrypointNotFound('The skill has no file "%s"' % entry["entrypoint"])
        return file
    folder = os.path.join(folders["tmp"], "submitted")
    os.mkdir(folder)
    file = os.path.join(folder, "code.sh")
    with open(file, "x", encoding="utf-8", errors="surrogateescape") as script:
        script.write(entry["code"])
    return file


def follow_shell(pid, requests, output, reader):
    """Waits for the end of the shell; returns the output of its function and the exit status."""
    parts, size, open_ends = [], 0, {requests, output}
    status, latest = None, None
    while status is None or (open_ends and time.monotonic() < latest):
        ready = select.select(list(open_ends), [], [], 0.05 if status is None else LINGER_SECONDS)[0]
        for fd in ready:
            data = os.read(fd, PIECE)
            if not data:
                open_ends.discard(fd)
            elif fd == requests:
                reader.feed(data)
            elif size <= results.MAX_BYTES:
                parts.append(data)
                size += len(data)
        if status is not None and not ready:
            break
        if status is None:
            ended, found = os.waitpid(pid, os.WNOHANG)
            if ended:
                # Processes that it left behind may keep the descriptors open and print forever.
                status, latest = found, time.monotonic() + 1
    return b"".join(parts), status


def build_outcome(output, status, handler, entry):
    if os.WIFSIGNALED(status):
        return None
    code = os.WEXITSTATUS(status)
    if handler.failed is not None:
        return harness.build_failure("SkillFailure", handler.failed[:TEXT_LIMIT], traceback=handler.last_command)
    if code == NO_FUNCTION:
        message = 'The script has no function "%s"' % entry["export"]
        return harness.build_failure("EntrypointNotFound", message, hint=entry["hint"])
    if code == NOT_LOADED:
        message = "The script could not be loaded: see its logs"
        return harness.build_failure("LoadFailed", message, exit_code=code)
    if code != 0:
        message = 'The function "%s" ended with exit code %d' % (entry["export"], code)
        return harness.build_failure(
            "CommandFailed", message, exit_code=code, hint=FAILED, traceback=handler.last_command
        )
    if len(output) > results.MAX_BYTES:
        message = "The result is not JSON: it may have %d bytes at most" % results.MAX_BYTES
        return harness.build_failure("SerializationError", message, hint="Write it into a blob with blob_write")
    try:
        text = output.decode("utf-8").strip()
        value = json.loads(text, parse_constant=reject_constant) if text else None
    except (ValueError, RecursionError) as error:
        message = 'What "%s" printed is not JSON: %s' % (entry["export"], error)
        return harness.build_failure("SerializationError", message[:TEXT_LIMIT], hint=NOT_JSON)
    return harness.build_outcome(value)


# Exit codes of start.sh.
NO_FUNCTION = 126
NOT_LOADED = 125
FAILED = "Say why with: fail \"…\", or write it to standard error"
NOT_JSON = "Print one JSON document, such as json name=value does; all else goes to standard error"


def main(job, fd):
    channel = Channel(fd, bytes.fromhex(job["key"]))
    harness.install_runtime(channel, bytes.fromhex(job["blob_secret"]), job["folders"]["blobs"])
    import runtime

    job["key"] = job["blob_secret"] = None
    handler = RequestHandler(job, runtime)
    try:
        pid, requests, responses, output = start_shell(job, fd)
    except harness.EntrypointNotFound as error:
        result = harness.build_failure("EntrypointNotFound", str(error), hint=job["entry"]["hint"])
    else:
        text, status = follow_shell(pid, requests, output, RequestReader(handler, responses))
        result = build_outcome(text, status, handler, job["entry"])
        if result is None:
            # Die of the same signal, so that the first process reports it to the host.
            os.kill(os.getpid(), os.WTERMSIG(status))
    try:
        harness.PROGRESS.flush()
        channel.send_json(b"R", result)
    except OSError:
        os._exit(harness.RESULT_NOT_SENT)
    os._exit(0)
