"""Reads the command line interface of Python files with Python's own parser. Nothing is imported or executed.

lint/python/facts.py loads it, and calls read_interface. The result is a ScriptInterface of script-interface.ts.
"""
import ast
import warnings

MAX_ITEMS = 300
MAX_TEXT = 2000
TYPES = {"int": "integer", "float": "number", "bool": "boolean", "Path": "path", "INT": "integer",
         "FLOAT": "number", "BOOL": "boolean", "File": "file", "FileType": "file"}
SKIPPED_ACTIONS = ("help", "version")


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def list_in_order(tree):
    """All nodes in the order of the text, each with the function that contains it; without recursion."""
    nodes = []
    pending = [(tree, None)]
    while pending:
        node, scope = pending.pop()
        nodes.append((node, scope))
        inner = node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else scope
        pending.extend((child, inner) for child in ast.iter_child_nodes(node))
    placed = [each for each in nodes if hasattr(each[0], "lineno")]
    return sorted(placed, key=lambda each: (each[0].lineno, each[0].col_offset))


class Values:
    """Literal values of names that are assigned once."""

    def __init__(self, nodes):
        self.names = {}
        for node, _ in nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        self.names[target.id] = None if target.id in self.names else node.value

    def read(self, node, steps=0):
        """(True, value) of a literal; (False, None) of other expressions."""
        if node is None or steps > 6:
            return False, None
        if isinstance(node, ast.Name):
            return self.read(self.names.get(node.id), steps + 1)
        if isinstance(node, ast.Call) and dotted(node.func) in ("list", "sorted", "tuple", "set", "Path", "pathlib.Path", "str") and len(node.args) == 1:
            return self.read(node.args[0], steps + 1)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
            return self.read(node.func.value, steps + 1)
        if isinstance(node, ast.Dict):
            pairs = [self.read(key, steps + 1) for key in node.keys if key is not None]
            return all(known for known, _ in pairs), [value for _, value in pairs]
        try:
            value = ast.literal_eval(node)
        except Exception:
            return False, None
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=str)
        if isinstance(value, tuple):
            value = list(value)
        return True, value

    def text(self, node):
        known, value = self.read(node)
        if known and isinstance(value, str):
            return value[:MAX_TEXT]
        if isinstance(node, ast.JoinedStr):
            return "".join(each.value if is_text(each) else "…" for each in node.values)[:MAX_TEXT]
        return None


def keywords_of(call):
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def is_plain(value):
    if isinstance(value, list):
        return all(is_plain(each) and not isinstance(each, list) for each in value)
    return value is None or isinstance(value, (str, bool)) or (isinstance(value, int) and abs(value) < 2**53) or (
        isinstance(value, float) and value == value and abs(value) != float("inf"))


class Reader:
    def __init__(self, tree):
        self.nodes = list_in_order(tree)
        self.values = Values(self.nodes)
        self.commands = {}
        self.unknown = []
        self.parser = None

    def command(self, name, help_text=None, line=1):
        if name not in self.commands and len(self.commands) < MAX_ITEMS:
            self.commands[name] = {"words": list(name), "help": help_text, "line": line, "arguments": []}
        found = self.commands.get(name)
        if found is not None and help_text and not found["help"]:
            found["help"] = help_text
        return found

    def add(self, name, argument):
        command = self.command(name)
        if command is not None and len(command["arguments"]) < MAX_ITEMS:
            command["arguments"].append(argument)

    def doubt(self, node, reason):
        if len(self.unknown) < MAX_ITEMS:
            self.unknown.append({"line": node.lineno, "reason": reason})

    def facts_of(self, named, line):
        """Facts that argparse, click and typer write in the same keywords."""
        values = self.values
        fact = {"line": line, "help": values.text(named.get("help")), "metavar": values.text(named.get("metavar"))}
        known, choices = values.read(named.get("choices"))
        if known and isinstance(choices, list) and is_plain(choices):
            fact["choices"] = choices[:MAX_ITEMS]
        elif isinstance(named.get("choices"), ast.Call) and dotted(named["choices"].func) == "range":
            fact["type"] = "integer"
        known, default = values.read(named.get("default"))
        fact["hasDefault"] = "default" in named and not (known and default is None)
        if known and default is not None and is_plain(default):
            fact["default"] = default
        self.read_type(named.get("type"), fact)
        return fact

    def read_type(self, node, fact):
        call = node if isinstance(node, ast.Call) else None
        name = dotted(call.func if call else node) if node is not None else None
        if name is None:
            return
        last = name.split(".")[-1]
        if last == "Choice" and call and call.args:
            known, choices = self.values.read(call.args[0])
            if known and isinstance(choices, list) and is_plain(choices):
                fact["choices"] = choices[:MAX_ITEMS]
        elif last in ("IntRange", "FloatRange"):
            fact["type"] = "integer" if last == "IntRange" else "number"
        elif last in ("FileType", "File"):
            mode = self.values.text(call.args[0]) if call and call.args else "r"
            fact["type"] = "path" if mode and ("w" in mode or "a" in mode) else "file"
        elif last == "Path" and call:
            exists = keywords_of(call).get("exists")
            known, value = self.values.read(exists)
            fact["type"] = "file" if known and value else "path"
        elif last in TYPES:
            fact["type"] = TYPES[last]


class ArgparseReader(Reader):
    def read(self):
        self.parents = {}
        self.subparsers = {}
        self.inherited = []
        for node, scope in self.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                self.assigned(node.value, [dotted(each) for each in targets], scope)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "add_argument":
                    self.argument(node, scope)
                elif node.func.attr == "add_parser":
                    self.subcommand(node, scope)
        for name, parent in self.inherited:
            for argument in self.commands.get(parent, {}).get("arguments", []):
                self.add(name, argument)
        for name in [each for each in self.commands if each and str(each[0]).startswith("\0")]:
            del self.commands[name]
        return self

    def find(self, table, name, scope):
        return table.get((id(scope), name), table.get((id(None), name)))

    def assigned(self, call, targets, scope):
        name = dotted(call.func)
        attribute = call.func.attr if isinstance(call.func, ast.Attribute) else None
        owner = dotted(call.func.value) if attribute else None
        if name in ("argparse.ArgumentParser", "ArgumentParser"):
            self.parser = "argparse"
            named = keywords_of(call)
            # A parser without help is a parent of others.
            known, has_help = self.values.read(named.get("add_help"))
            path = ("\0" + str(targets[0]),) if known and has_help is False else ()
            for target in targets:
                self.parents[(id(scope), target)] = path
            self.command(path, self.values.text(named.get("description")), call.lineno)
        elif attribute == "add_subparsers":
            for target in targets:
                self.subparsers[(id(scope), target)] = self.find(self.parents, owner, scope) or ()
        elif attribute in ("add_argument_group", "add_mutually_exclusive_group"):
            for target in targets:
                self.parents[(id(scope), target)] = self.find(self.parents, owner, scope) or ()
        elif attribute == "add_parser":
            path = self.path_of(call, scope)
            for target in targets:
                if path is not None:
                    self.parents[(id(scope), target)] = path

    def path_of(self, call, scope):
        word = self.values.text(call.args[0]) if call.args else None
        if word is None:
            return None
        owner = dotted(call.func.value)
        return (self.find(self.subparsers, owner, scope) or ()) + (word,)

    def subcommand(self, call, scope):
        path = self.path_of(call, scope)
        if path is None:
            return self.doubt(call, "the name of a subcommand is computed")
        named = keywords_of(call)
        self.command(path, self.values.text(named.get("help")) or self.values.text(named.get("description")), call.lineno)
        parents = named.get("parents")
        for each in parents.elts if isinstance(parents, ast.List) else []:
            self.inherited.append((path, self.find(self.parents, dotted(each), scope) or ()))

    def argument(self, call, scope):
        names = [self.values.text(each) for each in call.args]
        if not names or any(each is None for each in names):
            return self.doubt(call, "the name of an argument is computed")
        named = keywords_of(call)
        fact = self.facts_of(named, call.lineno)
        action = self.values.text(named.get("action")) or "store"
        if dotted(named.get("action")) in ("argparse.BooleanOptionalAction", "BooleanOptionalAction"):
            action = "toggle"
        if action in SKIPPED_ACTIONS:
            return
        known, count = self.values.read(named.get("nargs"))
        if dotted(named.get("nargs")) in ("argparse.REMAINDER", "REMAINDER"):
            count = "*"
        known, required = self.values.read(named.get("required"))
        flags = [each for each in names if each.startswith("-")]
        dest = self.values.text(named.get("dest"))
        fact.update({"flags": flags, "name": dest or (sorted(flags, key=lambda each: not each.startswith("--"))[0] if flags else names[0]),
                     "action": action, "count": count if isinstance(count, (int, str)) else None,
                     "required": bool(required) if flags else count not in ("?", "*") and not fact["hasDefault"]})
        owner = dotted(call.func.value)
        path = self.find(self.parents, owner, scope)
        if path is None and owner is not None and not self.parents:
            return
        self.parser = "argparse"
        self.add(path or (), fact)


class DecoratorReader(Reader):
    """click and typer: functions with decorators."""

    def read(self):
        functions = [node for node, _ in self.nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        groups = {}
        apps = self.typer_apps()
        for function in functions:
            self.function(function, groups, apps)
        self.single_typer_command(apps)
        return self

    def typer_apps(self):
        apps = {}
        for node, _ in self.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and dotted(node.value.func) in ("typer.Typer", "Typer"):
                for target in node.targets:
                    apps[dotted(target)] = ()
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_typer" and node.args:
                name = self.values.text(keywords_of(node).get("name"))
                if name is not None:
                    apps[dotted(node.args[0])] = (apps.get(dotted(node.func.value)) or ()) + (name,)
        self.run_by_typer = {dotted(node.args[0]) for node, _ in self.nodes
                             if isinstance(node, ast.Call) and dotted(node.func) in ("typer.run",) and node.args}
        return apps

    def function(self, function, groups, apps):
        parameters = []
        path = None
        kind = "typer" if function.name in self.run_by_typer else None
        if kind:
            path = ()
        for decorator in function.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = dotted(call.func if call else decorator) or ""
            owner, _, last = name.rpartition(".")
            if last in ("option", "argument") and call and owner in ("click", "", "asyncclick", "rich_click"):
                parameters.append((last, call))
            elif last in ("command", "group", "callback"):
                word = self.values.text(call.args[0]) if call and call.args else None
                word = word or self.values.text(keywords_of(call).get("name") if call else None) or function.name.replace("_", "-")
                if owner in ("click", "", "rich_click"):
                    kind, path = "click", ()
                elif owner in groups:
                    kind, path = "click", groups[owner] + (word,)
                elif owner in apps:
                    kind, path = "typer", apps[owner] + ((word,) if last == "command" else ())
                if last == "group" and path is not None:
                    groups[function.name] = path
        if path is None:
            return
        self.parser = kind
        docstring = ast.get_docstring(function)
        self.command(path, docstring.split("\n")[0][:MAX_TEXT] if docstring else None, function.lineno)
        if kind == "click":
            # Decorators apply from the last to the first, and click restores the order of the text.
            for what, call in parameters:
                self.click_parameter(path, what, call)
        else:
            self.typer_parameters(path, function)

    def click_parameter(self, path, what, call):
        names = [self.values.text(each) for each in call.args]
        if not names or any(each is None for each in names):
            return self.doubt(call, "the name of an argument is computed")
        named = keywords_of(call)
        fact = self.facts_of(named, call.lineno)
        read = lambda key: self.values.read(named.get(key))[1]
        required = read("required")
        flags = [each for each in names if each.startswith("-")]
        action = "store"
        if what == "option":
            if any("/" in each for each in flags):
                flags = [each.split("/")[0].strip() for each in flags]
                action = "store_true"
            if read("is_flag") or read("count"):
                action = "count" if read("count") else "store_true"
            if read("multiple"):
                action = "append"
        count = {-1: "*", None: None}.get(read("nargs"), read("nargs"))
        plain = [each for each in names if not each.startswith("-")]
        longest = sorted(flags, key=len)[-1] if flags else ""
        fact.update({"flags": flags if what == "option" else [], "name": plain[0] if plain else longest, "action": action, "count": count,
                     "required": bool(required) if what == "option" or required is not None else count != "*" and not fact["hasDefault"]})
        self.add(path, fact)

    def typer_parameters(self, path, function):
        arguments = function.args
        positional = arguments.posonlyargs + arguments.args
        defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
        pairs = list(zip(positional, defaults)) + list(zip(arguments.kwonlyargs, arguments.kw_defaults))
        for parameter, default in pairs:
            self.typer_parameter(path, parameter, default)

    def typer_parameter(self, path, parameter, default):
        annotation = parameter.annotation
        info = default if isinstance(default, ast.Call) and (dotted(default.func) or "").split(".")[-1] in ("Option", "Argument") else None
        if isinstance(annotation, ast.Subscript) and (dotted(annotation.value) or "").endswith("Annotated"):
            inner = annotation.slice.value if type(annotation.slice).__name__ == "Index" else annotation.slice
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            annotation = parts[0]
            info = info or next((each for each in parts[1:] if isinstance(each, ast.Call)), None)
        if (dotted(annotation) or "").endswith("Context"):
            return
        named = keywords_of(info) if info else {}
        own = list(info.args) if info else []
        if info is default and own:
            default = own.pop(0)
        elif info is default and info is not None:
            default = named.get("default")
        fact = self.facts_of({**named, "default": default} if default is not None else named, parameter.lineno)
        is_many = False
        while isinstance(annotation, ast.Subscript):
            is_many = is_many or (dotted(annotation.value) or "").split(".")[-1] in ("List", "list")
            annotation = annotation.slice.value if type(annotation.slice).__name__ == "Index" else annotation.slice
        if isinstance(annotation, ast.BinOp):
            annotation = annotation.left
        self.read_type(annotation, fact)
        if fact.get("type") == "path" and self.values.read(named.get("exists"))[1]:
            fact["type"] = "file"
        is_flag = fact.get("type") == "boolean"
        kind = (dotted(info.func) or "").split(".")[-1] if info else None
        is_ellipsis = isinstance(default, ast.Constant) and default.value is Ellipsis
        has_default = default is not None and not is_ellipsis
        if is_ellipsis:
            fact["hasDefault"] = False
            fact.pop("default", None)
        is_option = kind == "Option" or (kind is None and (has_default or is_flag))
        flags = [each for each in (self.values.text(node) for node in own) if each and each.startswith("-")]
        flags = [each.split("/")[0] for each in flags] or ["--" + parameter.arg.replace("_", "-")]
        fact.update({"flags": flags if is_option else [], "name": parameter.arg,
                     "action": "toggle" if is_flag else "append" if is_many and is_option else "store",
                     "count": "*" if is_many and not is_option else None, "required": not has_default and not is_flag})
        self.add(path, fact)

    def single_typer_command(self, apps):
        """An app with one command and no callback has no subcommand."""
        paths = [path for path in self.commands if path]
        if self.parser == "typer" and len(paths) == 1 and len(self.commands) == 1:
            command = self.commands.pop(paths[0])
            command["words"] = []
            self.commands[()] = command


def read_argv(reader):
    """Names that are assigned from sys.argv[n], and whether sys.argv is used in another way."""
    named = {}
    uses = 0
    counted = 0
    for node, _ in reader.nodes:
        if dotted(node) in ("sys.argv", "argv"):
            uses += 1
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            # The index is the first branch of `sys.argv[1] if len(sys.argv) > 1 else default`.
            value, optional = node.value, False
            if isinstance(value, ast.IfExp):
                value, optional = value.body, True
            kind = None
            if isinstance(value, ast.Call) and reads_file(value):
                continue
            if isinstance(value, ast.Call) and len(value.args) == 1:
                kind, value = TYPES.get((dotted(value.func) or "").split(".")[-1]), value.args[0]
            if isinstance(value, ast.Subscript) and dotted(value.value) == "sys.argv" and isinstance(value.slice, ast.Constant):
                index = value.slice.value
                if isinstance(index, int) and index > 0 and index not in named:
                    counted += 1
                    named[index] = {"line": node.lineno, "help": None, "metavar": None, "hasDefault": optional, "flags": [], "type": kind,
                                    "name": node.targets[0].id, "action": "store", "count": None, "required": not optional}
    add_direct_uses(reader, named, uses)
    complete = sorted(named) == list(range(1, len(named) + 1))
    return [named[index] for index in sorted(named)] if named and complete else [], uses > 0


FILE_READERS = ("open", "load_workbook", "Document", "Presentation", "read_csv", "read_excel", "read_json")


def reads_file(call):
    last = (dotted(call.func) or "").split(".")[-1]
    return len(call.args) > 0 and (last in FILE_READERS or last.endswith("Reader"))


def add_direct_uses(reader, named, uses):
    """Arguments such as `open(sys.argv[1])`, if every use of sys.argv is such a one, or its length."""
    found, lengths = {}, 0
    for node, _ in reader.nodes:
        if isinstance(node, ast.Call) and dotted(node.func) == "len" and node.args and dotted(node.args[0]) == "sys.argv":
            lengths += 1
        if isinstance(node, ast.Subscript) and dotted(node.value) == "sys.argv" and isinstance(node.slice, ast.Constant):
            found.setdefault(node.slice.value, []).append(node)
    if lengths + sum(len(each) for each in found.values()) != uses:
        return
    files, parameters = set(), {}
    functions = {node.name: node.args.posonlyargs + node.args.args for node, _ in reader.nodes if isinstance(node, ast.FunctionDef)}
    for node, _ in reader.nodes:
        if not isinstance(node, ast.Call):
            continue
        if reads_file(node):
            files.add(id(node.args[0]))
        # `convert(sys.argv[1], sys.argv[2])` has the names of the parameters of `convert`.
        for argument, parameter in zip(node.args, functions.get(dotted(node.func), [])):
            parameters[id(argument)] = parameter.arg
    for index, nodes in found.items():
        if not isinstance(index, int) or index < 1 or index in named:
            continue
        is_file = any(id(node) in files for node in nodes)
        plain = "%s%s" % ("file" if is_file else "argument", "" if index == 1 else index)
        name = next((parameters[id(node)] for node in nodes if id(node) in parameters), plain)
        named[index] = {"line": nodes[0].lineno, "help": None, "metavar": None, "hasDefault": False, "flags": [], "type": "file" if is_file else None,
                        "name": name, "action": "store", "count": None, "required": index == 1 or lengths == 0}


STARTERS = ("run", "Popen", "call", "check_call", "check_output", "system", "getoutput", "create_subprocess_exec", "execvp", "which")


def read_uses(reader):
    programs, writes = [], []
    for node, _ in reader.nodes:
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func) or ""
        first = node.args[0] if node.args else None
        last = name.split(".")[-1]
        if last in STARTERS and name.split(".")[0] in ("subprocess", "os", "asyncio", "shutil", "Popen", "check_output", "check_call"):
            if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
                first = first.elts[0]
            text = reader.values.text(first)
            programs.append({"line": node.lineno, "name": text.split()[0][:100] if text and text.split() else None})
        elif name in ("open", "io.open", "codecs.open") and len(node.args) + len(node.keywords) > 1:
            mode = reader.values.text(node.args[1] if len(node.args) > 1 else keywords_of(node).get("mode"))
            if mode and any(each in mode for each in "wax+"):
                writes.append({"line": node.lineno, "name": reader.values.text(first)})
        elif last in ("write_text", "write_bytes") and isinstance(node.func, ast.Attribute):
            inner = node.func.value
            path = inner.args[0] if isinstance(inner, ast.Call) and inner.args else None
            writes.append({"line": node.lineno, "name": reader.values.text(path)})
    return programs[:MAX_ITEMS], writes[:MAX_ITEMS]


def is_program(tree):
    """True if the file does something when it is started: it is not only a module of others."""
    for node in tree.body:
        if isinstance(node, ast.If):
            test = node.test
            if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__":
                # A module that refuses to be started.
                return not isinstance(node.body[0], ast.Raise)
    plain = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If, ast.Try)
    calls = [node for node in tree.body if not isinstance(node, plain) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return len(calls) > 0 or any(reads_argv_or_prints(node) for node in tree.body)


def reads_argv_or_prints(node):
    """True for statements of the module that only a started program needs."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    if dotted(node) == "sys.argv" or isinstance(node, ast.Call) and dotted(node.func) == "print":
        return True
    return any(reads_argv_or_prints(each) for each in ast.iter_child_nodes(node))


def read_interface(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.lstrip("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"problem": (str(error) or type(error).__name__)[:200]}
    docstring = ast.get_docstring(tree)
    reader = ArgparseReader(tree).read()
    if reader.parser is None:
        reader = DecoratorReader(tree).read()
    programs, writes = read_uses(reader)
    parser = reader.parser
    commands = list(reader.commands.values())
    takes_rest = False
    if parser is None:
        arguments, used = read_argv(reader)
        parser = "argv" if used else None
        takes_rest = used and not arguments
        commands = [{"words": [], "help": None, "line": 1, "arguments": arguments}]
    return {"parser": parser, "isProgram": is_program(tree) or reader.parser == "click", "takesRest": takes_rest,
            "summary": docstring.strip().split("\n")[0][:MAX_TEXT] if docstring and docstring.strip() else None,
            "commands": commands, "unknown": reader.unknown, "programs": programs, "writes": writes}
