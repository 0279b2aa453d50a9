"""The sandbox as the executor of agent frameworks in Python: one file, standard library only, Python 3.9 or newer.

It starts `skills mcp` and speaks to it over standard input and output. Each function below returns an object that a
framework accepts, and imports that framework only when it is called.
"""

import base64
import itertools
import json
import os
import posixpath
import shlex
import subprocess
import threading
from concurrent.futures import Future
from dataclasses import dataclass

ROOT = "/workspace"
_LAST_LINE = 2**53 - 1
_PART_BYTES = 4 * 1024 * 1024
_ENDED = "skills mcp has ended: run `skills doctor`, which says what is missing"


class SandboxError(Exception):
    """A call that was refused; the message says what to change."""


@dataclass
class Completed:
    stdout: str
    stderr: str
    exit_code: int
    timed_out: bool
    # False if the command printed more than run.limits.output.
    is_complete: bool


class Sandbox:
    """A session: its commands share files below /workspace, /tmp and localhost, and see no other file of this machine.

    `command` starts the server, `cwd` is the folder with skills.config.toml. Methods may be called from any thread.
    """

    def __init__(self, session="default", command=("skills",), cwd=None, env=None):
        self.session = session
        argv = [*command, "mcp", "--profile", "agent"]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=env
        )
        self._ids = itertools.count(1)
        self._pending = {}
        self._has_ended = False
        self._lock = threading.Lock()
        threading.Thread(target=self._read_answers, daemon=True).start()
        client = {"name": "skills_sandbox.py", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self._request("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends all commands and the server. The files of the workspace stay for the next session of this name."""
        self._process.stdin.close()
        self._process.wait()

    def call(self, tool, **arguments):
        """Calls a tool of the profile `agent`, and returns its result."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        if "structuredContent" not in result:
            raise SandboxError("\n".join(part.get("text", "") for part in result["content"]))
        return result["structuredContent"]

    def run(self, command, cwd=ROOT, stdin=None, timeout=None, env=None):
        """Runs a shell command until its end."""
        line = command if cwd == ROOT else f"cd {shlex.quote(cwd)} || exit\n{command}"
        options = {"stdin": stdin, "timeout": timeout, "env": env}
        chosen = {name: value for name, value in options.items() if value is not None}
        result = self.call("workspace_exec", command=line, session=self.session, **chosen)
        warnings = result.get("warnings", [])
        return Completed(
            stdout=self._read_stream(result["run_id"], "stdout"),
            stderr=self._read_stream(result["run_id"], "stderr"),
            exit_code=result.get("exit_code", -1),
            timed_out=any(each.startswith("Timeout") for each in warnings),
            is_complete=not any("exceeded the limit" in each for each in warnings),
        )

    def read_file(self, path):
        content, offset = b"", 0
        while offset is not None:
            part = self.call(
                "workspace_read", ref=_below_root(path), offset=offset, max_bytes=_PART_BYTES, session=self.session
            )
            is_binary = "data" in part
            content += base64.b64decode(part["data"]) if is_binary else part.get("content", "").encode()
            offset = part.get("next_offset")
        return content

    def write_file(self, path, content):
        """Writes bytes, and the folders of the file."""
        target = shlex.quote(posixpath.join(ROOT, _below_root(path)))
        command = f'mkdir -p "$(dirname {target})" && base64 -d > {target}'
        end = self.run(command, stdin=base64.b64encode(content).decode())
        if end.exit_code != 0:
            raise SandboxError(f"{path} cannot be written: {end.stderr.strip()}")

    def run_cell(self, code, kernel="cells"):
        """Runs Python in an interpreter that keeps its variables; returns the result of run_code."""
        return self.call("run_code", language="python", code=code, kernel=f"{self.session}-{kernel}")

    def _read_stream(self, run, stream):
        parts, cursor = [], {"afterLine": 0}
        while cursor is not None:
            # The rest of a long line has a cursor, everything else a range.
            place = {"lineRange": {"stream": stream, "startLine": cursor["afterLine"] + 1, "endLine": _LAST_LINE}}
            if cursor.get("afterByte"):
                place = {"cursor": cursor, "maxExcerpts": 1}
            page = self.call("runtime.queryOutput", artifactHandle=run, stream=stream, view="raw", **place)
            for each in page["excerpts"]:
                is_base64 = each.get("encoding") == "base64"
                parts.append(base64.b64decode(each["content"]) if is_base64 else each["content"].encode())
            cursor = page.get("nextCursor")
            if cursor and not cursor.get("afterByte"):
                parts.append(b"\n")
        return b"".join(parts).decode(errors="replace")

    def _request(self, method, params):
        answer = Future()
        with self._lock:
            if self._has_ended:
                raise SandboxError(_ENDED)
            number = next(self._ids)
            self._pending[number] = answer
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return answer.result()

    def _send(self, message):
        line = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self._process.stdin.write(line)
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise SandboxError(_ENDED) from error

    def _read_answers(self):
        for line in self._process.stdout:
            message = json.loads(line)
            answer = None if "method" in message else self._pending.pop(message.get("id"), None)
            if answer is None:
                continue
            if "error" in message:
                answer.set_exception(SandboxError(message["error"]["message"]))
            else:
                answer.set_result(message["result"])
        with self._lock:
            self._has_ended = True
        for answer in self._pending.values():
            answer.set_exception(SandboxError(_ENDED))


def script_runner(sandbox):
    """A `SkillScriptRunner` of agent-framework: `FileSkillsSource(paths, script_runner=script_runner(sandbox))`.

    The folder of the skill is copied into the workspace. Arguments are a list, or options by name.
    """

    def run_script(skill, script, args=None):
        folder = f"work/scripts/{skill.path.strip('/').split('/')[-1]}"
        for parent, _, names in os.walk(skill.path):
            for name in names:
                source = os.path.join(parent, name)
                if os.path.islink(source):
                    continue
                with open(source, "rb") as file:
                    sandbox.write_file(posixpath.join(folder, os.path.relpath(source, skill.path)), file.read())
        path = os.path.relpath(script.full_path, skill.path)
        if path.startswith(".."):
            raise SandboxError(f"{script.full_path} is not a file of the skill in {skill.path}")
        words = [*_interpreter_of(path), path, *_to_argv(args or [])]
        end = sandbox.run(" ".join(map(shlex.quote, words)), cwd=posixpath.join(ROOT, folder))
        if end.exit_code == 0:
            return end.stdout
        return f"{end.stdout}{end.stderr}\nScript exited with code {end.exit_code}"

    return run_script


def adk_code_executor(sandbox, **options):
    """A code executor of Google's ADK: `Agent(code_executor=adk_code_executor(sandbox))`.

    Each block of code runs in an empty folder with its input files. New and changed files are returned.
    """
    from google.adk.code_executors.base_code_executor import BaseCodeExecutor
    from google.adk.code_executors.code_execution_utils import CodeExecutionResult, File

    numbers = itertools.count(1)

    class SkillsCodeExecutor(BaseCodeExecutor):
        def execute_code(self, invocation_context, code_execution_input):
            folder = f"work/adk/{os.getpid()}-{next(numbers)}"
            inputs = {}
            for each in code_execution_input.input_files:
                inputs[posixpath.normpath(each.name)] = _to_bytes(each.content)
            inputs[".code.py"] = code_execution_input.code.encode()
            for name, content in inputs.items():
                sandbox.write_file(posixpath.join(folder, name), content)
            end = sandbox.run("python3 .code.py", cwd=posixpath.join(ROOT, folder))
            listed = sandbox.run("find . -type f -printf '%P\\0'", cwd=posixpath.join(ROOT, folder))
            files = []
            for name in sorted(filter(None, listed.stdout.split("\0"))):
                content = sandbox.read_file(posixpath.join(folder, name))
                if inputs.get(name) != content:
                    files.append(File(name=name, content=content, mime_type=_mime_type(name)))
            # ADK takes a result without errors as a success.
            failure = f"The code exited with {end.exit_code}" if end.exit_code != 0 else ""
            return CodeExecutionResult(stdout=end.stdout, stderr=end.stderr or failure, output_files=files)

    return SkillsCodeExecutor(**options)


def smolagents_executor(sandbox):
    """A `PythonExecutor` of smolagents: `CodeAgent(tools=[], model=model, executor=smolagents_executor(sandbox))`.

    Variables live as long as the session. Code in the sandbox cannot call tools of the agent's process.
    """
    from smolagents.local_python_executor import CodeOutput, PythonExecutor

    class SkillsExecutor(PythonExecutor):
        def send_tools(self, tools):
            others = sorted(name for name in tools if name != "final_answer")
            if others:
                raise SandboxError(f"Code in the sandbox cannot call {', '.join(others)}: use a ToolCallingAgent for tools")
            sandbox.run_cell(
                "import json as _json\n"
                "class _FinalAnswer(BaseException): pass\n"
                "def final_answer(answer=None): raise _FinalAnswer(_json.dumps(answer, default=str))\n"
            )

        def send_variables(self, variables):
            text = json.dumps(json.dumps(variables))
            sandbox.run_cell(f"import json as _json\nglobals().update(_json.loads({text}))")

        def __call__(self, code_action):
            result = sandbox.run_cell(code_action)
            logs, error = result.get("logs_preview", ""), result.get("error")
            if error is None:
                return CodeOutput(output=result.get("output"), logs=logs, is_final_answer=False)
            if error["type"] == "_FinalAnswer":
                return CodeOutput(output=json.loads(error["message"]), logs=logs, is_final_answer=True)
            raise SandboxError(f"{logs}{error.get('traceback') or result['summary']}")

        def cleanup(self):
            sandbox.close()

    return SkillsExecutor()


def deepagents_backend(sandbox):
    """A sandbox backend of deepagents: `create_deep_agent(model, backend=deepagents_backend(sandbox))`."""
    from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse
    from deepagents.backends.sandbox import BaseSandbox

    class SkillsBackend(BaseSandbox):
        @property
        def id(self):
            return sandbox.session

        def execute(self, command, *, timeout=None):
            end = sandbox.run(command, timeout=timeout)
            return ExecuteResponse(
                output=end.stdout + end.stderr, exit_code=end.exit_code, truncated=not end.is_complete
            )

        def upload_files(self, files):
            return [FileUploadResponse(path=path, error=self._upload(path, content)) for path, content in files]

        def download_files(self, paths):
            return [self._download(path) for path in paths]

        def _upload(self, path, content):
            if not path.startswith(f"{ROOT}/"):
                return "invalid_path"
            try:
                sandbox.write_file(path, content)
            except SandboxError:
                return "permission_denied"

        def _download(self, path):
            if not path.startswith(f"{ROOT}/"):
                return FileDownloadResponse(path=path, content=None, error="invalid_path")
            try:
                return FileDownloadResponse(path=path, content=sandbox.read_file(path), error=None)
            except SandboxError:
                return FileDownloadResponse(path=path, content=None, error="file_not_found")

    return SkillsBackend()


def _below_root(path):
    below = path[len(ROOT) + 1 :] if path.startswith(f"{ROOT}/") else path
    if below.startswith("/") or ".." in below.split("/"):
        raise SandboxError(f"{path} is not in {ROOT}: write the path of a file below it")
    return below


def _interpreter_of(path):
    known = {".py": ["python3"], ".sh": ["sh"], ".bash": ["bash"], ".js": ["node"]}
    ending = posixpath.splitext(path)[1]
    if ending not in known:
        raise SandboxError(f"{path} has no known interpreter: name it {', '.join(known)}")
    return known[ending]


def _to_argv(args):
    if isinstance(args, dict):
        options = []
        for name, value in args.items():
            if value is True:
                options.append(f"--{name}")
            elif value is not None and value is not False:
                options += [f"--{name}", str(value)]
        return options
    return [str(each) for each in args]


def _to_bytes(content):
    """ADK passes bytes, or base64 in text."""
    if isinstance(content, bytes):
        return content
    try:
        decoded = base64.b64decode(content, validate=True)
    except ValueError:
        return content.encode()
    return decoded if base64.b64encode(decoded).decode() == content else content.encode()


def _mime_type(name):
    import mimetypes

    return mimetypes.guess_type(name)[0] or "application/octet-stream"
