"""Starts a script of this skill with the inputs of a call. Written by "skills adopt".

adopted.json describes the commands: the script, and how each input becomes an argument.
"""
import json
import mimetypes
import os
import re
import subprocess
import sys

from runtime import blobs, log

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The input that chooses the command of a skill with several scripts.
COMMAND = "command"
# A run with scripts in TypeScript makes Node load them.
PROGRAMS = {"python3": sys.executable or "python3", "typescript": "node"}
MAX_FILES = 50
MAX_TEXT = 200_000
BLOB = re.compile(r"blob:[0-9a-f]{32}")


def main(args):
    with open(os.path.join(FOLDER, "code", "adopted.json"), encoding="utf-8") as file:
        commands = json.load(file)["commands"]
    command = choose(commands, args)
    words = create_words(command, args)
    before = set(list_files())
    done = start(command, words)
    output = done.stdout.decode("utf-8", "replace")
    errors = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        raise create_failure(command, done.returncode, errors or output.strip())
    if errors:
        log.info(errors[-2000:])
    return create_result(output, [each for each in list_files() if each not in before])


def start(command, words):
    """Runs the script to its end. Installed packages are those of this interpreter."""
    program = PROGRAMS.get(command["program"], command["program"])
    script = os.path.join(FOLDER, command["script"])
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if imports_own_folder(script):
        env["PYTHONPATH"] = os.pathsep.join(each for each in (FOLDER, env.get("PYTHONPATH")) if each)
    try:
        # skills-lint-disable-next-line permissions/subprocess -- the commands of the skill are scripts
        return subprocess.run(
            [program, script] + words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
    except FileNotFoundError:
        raise RuntimeError("%s needs the program %s, which the sandbox does not have" % (command["script"], program)) from None


def imports_own_folder(script):
    """True for `from scripts.other import …`, which is meant to start in the folder of the skill."""
    # The folder of this file is always there.
    names = "|".join(re.escape(each) for each in os.listdir(FOLDER) if os.path.isdir(os.path.join(FOLDER, each)))
    with open(script, encoding="utf-8", errors="replace") as file:
        return re.search(r"^[ \t]*(?:from|import)[ \t]+(?:%s)\b" % names, file.read(), re.MULTILINE) is not None


def create_failure(command, status, printed):
    last = printed.split("\n")[-1]
    missing = re.match(r"ModuleNotFoundError: (No module named '.*')", last)
    if missing:
        return ModuleNotFoundError(missing.group(1))
    other = re.search(r"Cannot find (?:package|module) '([^./'][^']*)'", printed)
    if other:
        return RuntimeError("%s needs the package %s of Node, which is not installed" % (command["script"], other.group(1)))
    text = printed[-2000:] or "it printed nothing"
    return RuntimeError("%s ended with status %d: %s" % (command["script"], status, text))


def choose(commands, args):
    if len(commands) == 1:
        return commands[0]
    for command in commands:
        if command["name"] == args.get(COMMAND):
            return check_inputs(command, args)
    names = ", ".join(command["name"] for command in commands)
    raise ValueError("The input command is %r, expected one of %s" % (args.get(COMMAND), names))


def check_inputs(command, args):
    known = [each["input"] for each in command["arguments"]]
    for name in args:
        if name != COMMAND and name not in known:
            raise ValueError("The command %s has no input %s, it has %s" % (command["name"], name, ", ".join(known) or "none"))
    for each in command["arguments"]:
        if each["required"] and each["input"] not in args:
            option = "--blob %s=<file>" if each["file"] else "--arg %s=<value>"
            raise ValueError("The command %s needs the input %s: pass %s" % (command["name"], each["input"], option % each["input"]))
    return command


def create_words(command, args):
    options, positional = [], []
    for each in command["arguments"]:
        value = args.get(each["input"])
        if value is None:
            continue
        (options if each["flag"] else positional).extend(create_argument(each, value))
    if positional and not command["separates"]:
        # Without "--", a value that looks like an option would be one.
        for word in positional:
            check_word(word)
    separator = ["--"] if positional and command["separates"] else []
    return command["words"] + options + separator + positional


def create_argument(argument, value):
    flag, style = argument["flag"], argument["style"]
    value = [to_path(argument, each, at) for at, each in enumerate(value)] if isinstance(value, list) else to_path(argument, value)
    if style == "flag":
        return [flag] if value else []
    if style == "toggle":
        return [flag if value else "--no-" + flag[2:]]
    if style == "count":
        return [flag] * min(max(int(value), 0), 10)
    if style == "rest":
        return [to_text(each) for each in value]
    if style == "append":
        return [word for each in value for word in pair(flag, each)]
    if style == "many":
        words = [to_text(each) for each in value]
        if flag is None:
            return words
        for word in words:
            check_word(word)
        return [flag] + words if words else []
    return pair(flag, value) if flag else [to_text(value)]


def pair(flag, value):
    """A value that begins with a hyphen must not become an option."""
    text = to_text(value)
    if flag.startswith("--"):
        return [flag + "=" + text] if text.startswith("-") else [flag, text]
    check_word(text)
    return [flag, text]


def check_word(word):
    if word.startswith("-") and word != "-" and not word[1:].replace(".", "", 1).isdigit():
        raise ValueError("The value %r begins with a hyphen, which the script would read as an option" % word)


def to_text(value):
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("A value has a NUL character, which no argument can have")
        return value
    return json.dumps(value)


def to_path(argument, value, number=0):
    """The path of a file with the content of a blob; other values as they are."""
    if not isinstance(value, str) or not BLOB.fullmatch(value):
        return value
    os.makedirs("inputs", exist_ok=True)
    path = os.path.join("inputs", argument["input"] + ("-%d" % number if number else "") + argument["extension"])
    return copy_blob(value, path)


def copy_blob(blob, path):
    with blobs.open(blob, "rb") as source, open(path, "wb") as target:
        while True:
            piece = source.read(1 << 16)
            if not piece:
                return os.path.abspath(path)
            target.write(piece)


def list_files():
    found = []
    for folder, _, names in os.walk("."):
        found.extend(os.path.normpath(os.path.join(folder, name)) for name in names)
    return sorted(each for each in found if not each.startswith(("inputs" + os.sep, ".cache" + os.sep)) and os.path.isfile(each))


def create_result(output, created):
    result = {"summary": output.strip().split("\n")[-1][:500] or "It printed nothing", "output": output[:MAX_TEXT]}
    try:
        result["output"] = json.loads(output)
    except ValueError:
        pass
    if len(output) > MAX_TEXT:
        result["output"] = blobs.write_text(output)
    files = {}
    for path in created[:MAX_FILES]:
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        files[path] = blobs.write_file(path, kind)
    if files:
        result["files"] = files
    if len(created) > MAX_FILES:
        log.warning("%d more files were written and are not returned" % (len(created) - MAX_FILES))
    return result
