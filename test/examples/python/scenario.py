"""Uses examples/python/skills_sandbox.py with stand-ins for the types of the frameworks; prints JSON.

The stand-ins have the fields and abstract methods that the public sources of google-adk, smolagents, deepagents and
agent-framework declare.
"""

import abc
import dataclasses
import json
import sys
import threading
import types

example, program, secret, skill_folder = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
sys.path.insert(0, example)


def module(name, **members):
    parts = name.split(".")
    for at in range(1, len(parts)):
        sys.modules.setdefault(".".join(parts[:at]), types.ModuleType(".".join(parts[:at])))
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


class BaseCodeExecutor(abc.ABC):
    """A model of pydantic: it takes its declared fields only."""

    stateful = False
    error_retry_attempts = 2

    def __init__(self, **fields):
        for name, value in fields.items():
            getattr(type(self), name)
            setattr(self, name, value)

    @abc.abstractmethod
    def execute_code(self, invocation_context, code_execution_input): ...


@dataclasses.dataclass(frozen=True)
class File:
    name: str
    content: object
    mime_type: str = "text/plain"


@dataclasses.dataclass
class CodeExecutionInput:
    code: str
    input_files: list = dataclasses.field(default_factory=list)
    execution_id: object = None


@dataclasses.dataclass
class CodeExecutionResult:
    stdout: str = ""
    stderr: str = ""
    output_files: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class CodeOutput:
    output: object
    logs: str
    is_final_answer: bool


class PythonExecutor(abc.ABC):
    @abc.abstractmethod
    def send_tools(self, tools): ...

    @abc.abstractmethod
    def send_variables(self, variables): ...

    @abc.abstractmethod
    def __call__(self, code_action): ...


@dataclasses.dataclass
class ExecuteResponse:
    output: str
    exit_code: object = None
    truncated: bool = False


@dataclasses.dataclass
class FileUploadResponse:
    path: str
    error: object = None


@dataclasses.dataclass
class FileDownloadResponse:
    path: str
    content: object = None
    error: object = None


class BaseSandbox(abc.ABC):
    @property
    @abc.abstractmethod
    def id(self): ...

    @abc.abstractmethod
    def execute(self, command, *, timeout=None): ...

    @abc.abstractmethod
    def upload_files(self, files): ...

    @abc.abstractmethod
    def download_files(self, paths): ...


module("google.adk.code_executors.base_code_executor", BaseCodeExecutor=BaseCodeExecutor)
module("google.adk.code_executors.code_execution_utils", CodeExecutionResult=CodeExecutionResult, File=File)
module("smolagents.local_python_executor", CodeOutput=CodeOutput, PythonExecutor=PythonExecutor)
module(
    "deepagents.backends.protocol",
    ExecuteResponse=ExecuteResponse,
    FileDownloadResponse=FileDownloadResponse,
    FileUploadResponse=FileUploadResponse,
)
module("deepagents.backends.sandbox", BaseSandbox=BaseSandbox)

import skills_sandbox  # noqa: E402 -- after the stand-ins


def attempt(action):
    try:
        return action()
    except skills_sandbox.SandboxError as error:
        return f"SandboxError: {error}"


def show(value):
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else value


found = {}
with skills_sandbox.Sandbox("python", command=program) as sandbox:
    found["run"] = show(sandbox.run("cat; echo $A; echo err >&2; exit 3", stdin="in\n", env={"A": "b c"}))
    found["host"] = show(sandbox.run(f"cat {secret}"))
    found["late"] = sandbox.run("sleep 60", timeout=0.3).timed_out
    found["long"] = sandbox.run("seq 1 60000; head -c 600000 /dev/zero | tr '\\0' x").stdout == "".join(
        f"{each}\n" for each in range(1, 60001)
    ) + "x" * 600000
    every = bytes(range(256)) * 40000
    sandbox.write_file("a b/all.bin", every)
    found["bytes"] = sandbox.read_file("/workspace/a b/all.bin") == every
    found["outside"] = attempt(lambda: sandbox.read_file("/etc/passwd"))
    found["missing"] = attempt(lambda: sandbox.read_file("none"))
    ends = {}

    def run_one(each):
        ends[each] = sandbox.run(f"sleep 0.{each}; echo {each}").stdout

    threads = [threading.Thread(target=run_one, args=(each,)) for each in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    found["threads"] = [ends[each] for each in range(4)]

    runner = skills_sandbox.script_runner(sandbox)
    skill = types.SimpleNamespace(path=skill_folder)

    def script(name):
        return types.SimpleNamespace(full_path=f"{skill_folder}/{name}")

    found["scripts"] = [
        runner(skill, script("scripts/greet.py"), {"name": "Ada Lovelace", "loud": True, "none": None}),
        runner(skill, script("scripts/greet.py"), ["--name", "$(id)"]),
        runner(skill, script("scripts/fail.sh")),
        attempt(lambda: runner(skill, script("scripts/tool.exe"))),
        attempt(lambda: runner(skill, types.SimpleNamespace(full_path=secret))),
    ]

    executor = skills_sandbox.adk_code_executor(sandbox, error_retry_attempts=1)
    code = "rows = open('data.csv').read()\nprint(len(rows))\nopen('out.txt', 'w').write(rows.upper())"
    asked = CodeExecutionInput(code, [File("data.csv", "YSxiCjEsMgo=", "text/csv"), File("raw.bin", b"\0\1")])
    result = executor.execute_code(None, asked)
    found["adk"] = [
        result.stdout,
        result.stderr,
        [[each.name, each.content.decode(), each.mime_type] for each in result.output_files],
        executor.execute_code(None, CodeExecutionInput("import sys; sys.exit(2)")).stderr,
        executor.execute_code(None, CodeExecutionInput("import os; print(os.listdir('.'))")).stdout,
        "ZeroDivisionError" in executor.execute_code(None, CodeExecutionInput("1/0")).stderr,
        attempt(lambda: executor.execute_code(None, CodeExecutionInput("", [File("../x", b"")]))),
    ]

    smol = skills_sandbox.smolagents_executor(sandbox)
    smol.send_tools({"final_answer": None})
    smol.send_variables({"x": 20, "text": "it's \"q\"\n"})
    found["smolagents"] = [
        show(smol("y = x + 1\nprint(text)\ny * 2")),
        show(smol("final_answer({'y': y})")),
        attempt(lambda: smol("print('before')\n1/0")).splitlines()[0],
        attempt(lambda: smol.send_tools({"web_search": None, "final_answer": None})),
    ]

    backend = skills_sandbox.deepagents_backend(sandbox)
    found["deepagents"] = [
        backend.id,
        show(backend.execute("echo out; echo err >&2; exit 3", timeout=30)),
        [show(each) for each in backend.upload_files([("/workspace/up", b"\1"), ("/etc/x", b"")])],
        [
            [each.path, each.content and list(each.content), each.error]
            for each in backend.download_files(["/workspace/up", "/workspace/none", "/etc/passwd"])
        ],
    ]
killed = skills_sandbox.Sandbox("killed", command=program)
killed._process.kill()
found["killed"] = attempt(lambda: killed.run("echo"))
found["ended"] = attempt(lambda: sandbox.run("echo"))
print(json.dumps(found))
