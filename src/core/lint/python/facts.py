"""Extracts facts from Python files with Python's own parser. Nothing is imported or executed.

Protocol: one JSON object per line. Request: {"path", "text"}. Response: {"path", "facts"}. A request
may name another file of this program as its "reader", whose read_interface(text) returns the facts.
"""
import ast
import json
import builtins
import re
import symtable
import sys
import warnings

LINE_END = re.compile("\r\n|\n|\r")
MAX_ITEMS = 2000


class Positions:
    """Converts ast's lines and UTF-8 columns to UTF-16 offsets in the text as sent."""

    def __init__(self, text, lead):
        self.starts = [0]
        self.lines = []
        at = 0
        for match in LINE_END.finditer(text):
            self.lines.append(text[at:match.start()])
            at = match.end()
            self.starts.append(at)
        self.lines.append(text[at:])
        self.ascii = text.isascii()
        self.lead = lead
        if not self.ascii:
            units = [0]
            total = 0
            for index, start in enumerate(self.starts[1:]):
                total += utf16(text[self.starts[index]:start])
                units.append(total)
            self.starts = units

    def at(self, line, column):
        line = min(max(line, 1), len(self.starts))
        start = self.starts[line - 1] + self.lead
        if self.ascii:
            return start + column
        encoded = self.lines[line - 1].encode("utf-8", "surrogatepass")[:column]
        return start + utf16(encoded.decode("utf-8", "replace"))

    def span(self, node):
        end_line = getattr(node, "end_lineno", None) or node.lineno
        end_column = getattr(node, "end_col_offset", None)
        end = self.at(end_line, node.col_offset + 1 if end_column is None else end_column)
        return {"start": self.at(node.lineno, node.col_offset), "end": end}

    def name_span(self, node, keyword):
        """Span of the name of a def or class, without its body."""
        line = self.lines[min(node.lineno, len(self.lines)) - 1]
        found = re.compile(r"\b" + re.escape(node.name) + r"\b").search(
            line, len(line.encode()[: node.col_offset].decode("utf-8", "replace")) + len(keyword)
        )
        if found is None:
            return {"start": self.at(node.lineno, node.col_offset), "end": self.at(node.lineno, node.col_offset) + len(keyword)}
        start = self.starts[node.lineno - 1] + self.lead + utf16(line[: found.start()])
        return {"start": start, "end": start + utf16(node.name)}


def utf16(text):
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def read_facts(text, export):
    lead = 0
    if text.startswith("\ufeff"):
        text = text[1:]
        lead = 1
    positions = Positions(text, lead)
    facts = {
        "problem": None, "functions": [], "names": {}, "imports": [], "environment": [],
        "strings": [], "calls": [], "topLevelCalls": [], "requests": [], "undefinedNames": [],
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            compile(tree, "<skill>", "exec", dont_inherit=True)
    except SyntaxError as error:
        facts["problem"] = {"message": clean(error.msg), "span": syntax_span(positions, error)}
        return facts
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        reason = str(error) or type(error).__name__
        facts["problem"] = {"message": clean(reason), "span": {"start": lead, "end": lead}}
        return facts
    reader = Reader(positions, facts)
    reader.export = export
    reader.read(tree)
    reader.undefined_names(tree, symtable.symtable(text, "<skill>", "exec"))
    return facts


def clean(message):
    return (message or "invalid syntax").split("\n")[0][:300]


def syntax_span(positions, error):
    line = error.lineno or 1
    column = max((error.offset or 1) - 1, 0)
    text = positions.lines[min(line, len(positions.lines)) - 1]
    start = positions.starts[min(line, len(positions.starts)) - 1] + positions.lead + utf16(text[:column])
    end = start + 1
    if getattr(error, "end_lineno", None) == line and (error.end_offset or 0) - 1 > column:
        end = start + utf16(text[column:error.end_offset - 1])
    return {"start": start, "end": end}


class Reader:
    def __init__(self, positions, facts):
        self.positions = positions
        self.facts = facts

    def add(self, kind, item):
        if len(self.facts[kind]) < MAX_ITEMS:
            self.facts[kind].append(item)

    def read(self, tree):
        self.tree = tree
        for node in tree.body:
            self.top_level(node, False)
        nodes = list_executed(tree)
        self.own = {node.name: node for node in tree.body if isinstance(node, FUNCTIONS)}
        for function in self.facts["functions"]:
            if self.export in (None, function["name"]):
                self.complete(function)
        targets = self.string_targets(nodes)
        self.constants = string_constants(nodes)
        docstrings = set()
        for node in nodes:
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if node.body and isinstance(node.body[0], ast.Expr) and is_text(node.body[0].value):
                    docstrings.add(id(node.body[0].value))
        for node in nodes:
            self.visit(node, targets, docstrings)

    def top_level(self, node, guarded):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node, guarded)
        elif isinstance(node, ast.ClassDef):
            span = self.positions.name_span(node, "class")
            self.add("functions", {"name": node.name, "kind": "class", "required": 0, "maximum": -1,
                                   "requiredKeywords": [], "argumentKeys": [], "argumentAttributes": [], "exits": [],
                                   "results": [], "guarded": guarded, "span": span})
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.facts["names"].setdefault((alias.asname or alias.name).split(".")[0], self.positions.span(node))
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        self.facts["names"].setdefault(name.id, self.positions.span(name))
        elif isinstance(node, ast.If):
            main = is_main_guard(node.test)
            for child in node.body + node.orelse:
                self.top_level(child, guarded or (main and child in node.body))
            return
        elif isinstance(node, ast.Try):
            for child in node.body + node.orelse + node.finalbody:
                self.top_level(child, guarded)
            for handler in node.handlers:
                for child in handler.body:
                    self.top_level(child, guarded)
            return
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not guarded:
            self.add("topLevelCalls", {"name": dotted(node.value.func) or "?", "span": self.positions.span(node.value)})

    def function(self, node, guarded):
        arguments = node.args
        positional = arguments.posonlyargs + arguments.args
        required = len(positional) - len(arguments.defaults)
        keywords = [name.arg for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default is None]
        kind = "async" if isinstance(node, ast.AsyncFunctionDef) else "function"
        if is_generator(node):
            kind = "generator"
        self.add("functions", {
            "name": node.name, "kind": kind, "required": required,
            "maximum": -1 if arguments.vararg else len(positional),
            "requiredKeywords": keywords, "argumentKeys": [], "argumentAttributes": [], "exits": [],
            "results": [], "guarded": guarded,
            "span": self.positions.name_span(node, "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"),
        })

    def complete(self, function):
        """Adds what is read from the first argument, also by functions that get it, exits and results."""
        node = self.own.get(function["name"])
        if node is None or function["kind"] == "class":
            return
        positional = node.args.posonlyargs + node.args.args
        if positional:
            function["argumentKeys"] = self.argument_keys(node, positional[0].arg, set())[:MAX_ITEMS]
            function["argumentAttributes"] = self.argument_attributes(node, positional[0].arg)[:MAX_ITEMS]
        function["exits"] = self.exits(node, set())[:MAX_ITEMS]
        function["results"] = Results(self.positions, node, self.own_constants()).found[:MAX_ITEMS]

    def own_constants(self):
        if not hasattr(self, "module_values"):
            self.module_values = {}
            for node in self.tree.body:
                for target in getattr(node, "targets", ()):
                    if isinstance(target, ast.Name):
                        self.module_values[target.id] = None if target.id in self.module_values else node.value
        return self.module_values

    def argument_attributes(self, function, name):
        nodes = list(ast.walk(function))
        if any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in nodes):
            return []
        return [
            {"name": node.attr, "span": self.positions.span(node)} for node in nodes
            if isinstance(node, ast.Attribute) and is_name(node.value, name) and not hasattr(dict, node.attr)
        ]

    def exits(self, function, seen):
        """Calls that end the process, also in functions of the file that it calls."""
        found = []
        seen.add(function.name)
        for node in ast.walk(function):
            name = dotted(node.func) if isinstance(node, ast.Call) else None
            raised = node.exc if isinstance(node, ast.Raise) else None
            raised = raised.func if isinstance(raised, ast.Call) else raised
            if name in EXITS or is_name(raised, "SystemExit"):
                place = raised or node.func
                found.append({"name": dotted(place), "span": self.positions.span(place)})
            elif name in self.own and name not in seen:
                found.extend(self.exits(self.own[name], seen))
        return found

    def undefined_names(self, tree, table):
        """Names that are read as globals, and that neither the file nor Python defines."""
        known = set(dir(builtins)) | MODULE_NAMES | {each.get_name() for each in table.get_symbols() if each.is_local()}
        tables, wanted = [table], {}
        for each in tables:
            tables.extend(each.get_children())
            for symbol in each.get_symbols():
                if symbol.is_declared_global() and symbol.is_assigned():
                    known.add(symbol.get_name())
                if symbol.is_referenced() and symbol.is_global() or each is table and not symbol.is_local():
                    wanted.setdefault(symbol.get_name(), each.get_lineno())
        missing = {name: line for name, line in wanted.items() if name not in known}
        nodes = list(ast.walk(tree)) if missing else []
        # These define or expect names that the text does not show.
        if any(
            isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
            or isinstance(node, ast.Call) and dotted(node.func) in ("exec", "globals", "vars", "locals", "setattr")
            or isinstance(node, ast.ExceptHandler) and last_name(node.type) == "NameError"
            for node in nodes
        ):
            return
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.lineno >= missing.get(node.id, sys.maxsize):
                del missing[node.id]
                self.add("undefinedNames", {"name": node.id, "span": self.positions.span(node)})

    def argument_keys(self, function, name, seen):
        keys = []
        nodes = list(ast.walk(function))
        for node in nodes:
            if isinstance(node, ast.Subscript) and is_name(node.value, name) and isinstance(node.ctx, ast.Load):
                index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
                if is_text(index):
                    keys.append({"name": index.value, "required": True, "span": self.positions.span(index)})
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_name(node.func.value, name):
                if node.func.attr in ("get", "pop", "setdefault") and node.args and is_text(node.args[0]):
                    keys.append({"name": node.args[0].value, "required": False, "span": self.positions.span(node.args[0])})
            elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                if is_text(node.left) and is_name(node.comparators[0], name):
                    keys.append({"name": node.left.value, "required": False, "span": self.positions.span(node.left)})
        # If the argument is passed on as a whole, the keys that are read are unknown.
        for node in nodes:
            if isinstance(node, ast.Call):
                passed = list(node.args) + [keyword.value for keyword in node.keywords]
                own = self.own.get(getattr(node.func, "id", None))
                at = next((at for at, value in enumerate(node.args) if is_name(value, name)), None)
                if own is not None and at is not None and at < len(own.args.args) and sum(is_name(each, name) for each in passed) == 1:
                    if own.name not in seen:
                        seen.add(own.name)
                        keys.extend(self.argument_keys(own, own.args.args[at].arg, seen))
                elif any(is_name(value.value if isinstance(value, ast.Starred) else value, name) for value in passed):
                    keys.append({"name": "*", "required": False, "span": self.positions.span(node)})
            elif isinstance(node, (ast.Assign, ast.Return)) and is_name(node.value, name):
                keys.append({"name": "*", "required": False, "span": self.positions.span(node)})
            elif isinstance(node, (ast.For, ast.comprehension)) and (is_name(node.iter, name) or (
                isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Attribute) and is_name(node.iter.func.value, name)
            )):
                keys.append({"name": "*", "required": False, "span": self.positions.span(node.iter)})
        return keys

    def string_targets(self, nodes):
        targets = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and is_text(node.value):
                targets[id(node.value)] = last_name(node.targets[0])
            elif isinstance(node, ast.AnnAssign) and node.value is not None and is_text(node.value):
                targets[id(node.value)] = last_name(node.target)
            elif isinstance(node, ast.keyword) and is_text(node.value):
                targets[id(node.value)] = node.arg
            elif isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values):
                    if key is not None and is_text(key) and is_text(value):
                        targets[id(value)] = key.value
        return targets

    def visit(self, node, targets, docstrings):
        if not isinstance(node, VISITED):
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.add("imports", {"module": alias.name, "name": None, "alias": alias.asname, "level": 0, "span": self.positions.span(alias if hasattr(alias, "lineno") else node)})
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.add("imports", {"module": node.module or "", "name": alias.name, "alias": alias.asname, "level": node.level, "span": self.positions.span(node)})
        elif isinstance(node, ast.Call):
            self.call(node)
        elif isinstance(node, ast.BinOp):
            self.current_path(node)
        elif isinstance(node, ast.Subscript) and dotted(node.value) in ("os.environ", "environ"):
            index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
            if is_text(index) and isinstance(node.ctx, ast.Load):
                self.add("environment", {"name": index.value, "hasDefault": False, "span": self.positions.span(index)})
        elif is_text(node) and len(node.value) >= 8 and id(node) not in docstrings:
            self.add("strings", {"value": node.value[:4096], "target": targets.get(id(node)), "span": self.positions.span(node)})

    def current_path(self, node):
        """Records `Path.cwd() / "a" / "b"` like `Path("a/b")`."""
        parts = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and is_text(node.right):
            parts.insert(0, node.right.value)
            node = node.left
        if parts and isinstance(node, ast.Call) and dotted(node.func) in ("Path.cwd", "pathlib.Path.cwd"):
            self.add("calls", {"name": "Path", "firstArgument": "/".join(parts), "mode": None, "span": self.positions.span(node)})

    def call(self, node):
        name = dotted(node.func)
        if name is None:
            return
        first = node.args[0].value if node.args and is_text(node.args[0]) else None
        mode = node.args[1].value if len(node.args) > 1 and is_text(node.args[1]) else None
        for keyword in node.keywords:
            if keyword.arg == "mode" and is_text(keyword.value):
                mode = keyword.value.value
        self.add("calls", {"name": name, "firstArgument": first, "mode": mode, "span": self.positions.span(node.func)})
        self.request(node, name)
        if name in ("os.getenv", "getenv", "os.environ.get", "environ.get", "os.environ.pop") and first is not None:
            default = node.args[1] if len(node.args) > 1 else next((each.value for each in node.keywords if each.arg == "default"), None)
            has_default = default is not None and not (isinstance(default, ast.Constant) and default.value is None)
            self.add("environment", {"name": first, "hasDefault": has_default, "span": self.positions.span(node.args[0])})

    def request(self, node, name):
        """Records the literal at the beginning of the address of a request."""
        if REQUEST.search(name) is None:
            return
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        is_second = name.endswith((".request", ".stream")) and len(node.args) > 1
        address = named.get("url") or (node.args[1] if is_second else node.args[0] if node.args else None)
        prefix = text_prefix(address, self.constants, 0)
        if prefix is not None:
            text, is_complete, literal = prefix
            self.add("requests", {"name": name, "text": text[:4096], "isComplete": is_complete,
                                  "span": self.positions.span(literal)})


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
EXITS = ("sys.exit", "exit", "quit", "os._exit")
MODULE_NAMES = {"__file__", "__builtins__", "__annotations__", "__path__", "__class__", "WindowsError", "reveal_type",
                "exit", "quit", "help", "copyright", "credits", "license"}

# Calls whose results are not JSON, by their last names; methods have a dot.
NOT_JSON = {
    "set": "a set", "frozenset": "a set", "bytes": "bytes", "bytearray": "bytes", ".encode": "bytes",
    "map": "an iterator", "filter": "an iterator", "zip": "an iterator", "reversed": "an iterator",
    "enumerate": "an iterator", "iter": "an iterator", "range": "a range",
    ".keys": "a view of a dict", ".values": "a view of a dict", ".items": "a view of a dict",
    "Decimal": "a Decimal", "Path": "a Path", "datetime.now": "a date", "datetime.utcnow": "a date",
    "datetime.today": "a date", "date.today": "a date", "datetime.strptime": "a date",
    "datetime.fromisoformat": "a date", "timedelta": "a duration", "uuid4": "a UUID", "open": "a file",
    "re.match": "a match", "re.search": "a match",
}


class Results:
    """Finds parts of returned values that are not JSON."""

    def __init__(self, positions, function, module_values):
        self.positions = positions
        self.module_values = module_values
        self.found = []
        nodes = list(own_nodes(function))
        self.values = string_constants(nodes)
        for node in nodes:
            if isinstance(node, ast.Return):
                self.check(node.value, node.value, 0)
                self.check_members(node.value, nodes)

    def check_members(self, returned, nodes):
        """Checks values that are assigned to a key of the returned dict."""
        for node in nodes if isinstance(returned, ast.Name) else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and is_name(node.targets[0].value, returned.id):
                self.check(node.value, node.value, 0)

    def check(self, node, place, steps):
        """`place` is the part of the returned value that a name stands for."""
        if node is None or steps > 20:
            return
        if isinstance(node, ast.Name):
            value = self.values[node.id] if node.id in self.values else self.module_values.get(node.id)
            is_display = isinstance(value, (ast.Dict, ast.List, ast.Tuple))
            return self.check(value, None if is_display else place or node, steps + 1)
        parts = []
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and not isinstance(key.value, str) or isinstance(key, ast.Tuple):
                    self.report("a key that is not a string", key)
            parts = node.values
        elif isinstance(node, (ast.List, ast.Tuple)):
            parts = node.elts
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, (ast.ListComp, ast.DictComp)):
            parts = [node.elt if isinstance(node, ast.ListComp) else node.value]
        else:
            what = self.describe(node)
            if what is not None:
                self.report(what, place or node)
        for part in parts:
            self.check(part, part, steps + 1)

    def report(self, what, node):
        span = self.positions.span(node)
        if all(each["span"] != span for each in self.found):
            self.found.append({"name": what, "span": span})

    def describe(self, node):
        if isinstance(node, (ast.Set, ast.SetComp)):
            return "a set"
        if isinstance(node, ast.GeneratorExp):
            return "a generator"
        if isinstance(node, ast.Lambda):
            return "a function"
        if isinstance(node, ast.Constant) and isinstance(node.value, (bytes, complex)):
            return "bytes" if isinstance(node.value, bytes) else "a complex number"
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return self.describe(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left = self.module_values.get(node.left.id) if isinstance(node.left, ast.Name) else node.left
            return "a Path" if left is not None and self.describe(left) == "a Path" else None
        if not isinstance(node, ast.Call):
            return None
        if is_name(node.func, "float") and node.args and is_text(node.args[0]) and node.args[0].value.lower().strip("+-") in ("nan", "inf"):
            return "a number that is not finite"
        name = dotted(node.func)
        parts = (name or "").split(".")
        if isinstance(node.func, ast.Attribute) and (not node.args or node.func.attr == "encode") and "." + node.func.attr in NOT_JSON:
            return NOT_JSON["." + node.func.attr]
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("resolve", "absolute", "with_suffix"):
            return self.describe(node.func.value)
        if len(parts) == 1 or parts[0] in ("datetime", "decimal", "pathlib", "uuid", "re"):
            return NOT_JSON.get(".".join(parts[-2:])) or NOT_JSON.get(parts[-1])
        return NOT_JSON.get(".".join(parts[-2:]))


def own_nodes(function):
    """Nodes of a function without those of the functions in it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, FUNCTIONS + (ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


REQUEST = re.compile(
    r"^(?:urllib\.request\.)?(?:urlopen|urlretrieve)$|^urllib\.request\.Request$"
    r"|(?:^|\.)\w*(?:requests|httpx|client|session|http|api)\w*\.(?:get|post|put|patch|delete|head|request|stream)$",
    re.IGNORECASE,
)


def string_constants(nodes):
    """Values of names that are assigned once in the whole file."""
    values = {}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name):
                is_plain = isinstance(node, (ast.Assign, ast.AnnAssign)) and target.id not in values
                values[target.id] = node.value if is_plain else None
        if isinstance(node, ast.arg):
            values[node.arg] = None
    return values


def text_prefix(node, constants, steps):
    """The literal that a text begins with: the text, whether nothing follows, and its node."""
    if node is None or steps > 8:
        return None
    if is_text(node):
        return node.value, True, node
    if isinstance(node, ast.Name):
        return text_prefix(constants.get(node.id), constants, steps + 1)
    if isinstance(node, ast.JoinedStr) and node.values:
        first, second = node.values[0], node.values[1] if len(node.values) > 1 else None
        if is_text(first):
            return first.value, second is None, node
        found = text_prefix(first.value, constants, steps + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        found = text_prefix(node.left, constants, steps + 1)
        second = node.right if isinstance(node.op, ast.Add) else None
        if second is None:
            return found and (found[0].split("%")[0], False, found[2])
    else:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            found = text_prefix(node.func.value, constants, steps + 1)
            return found and (found[0].split("{")[0], False, found[2])
        return None
    if found is None or not found[1]:
        return found
    following = text_prefix(second, {}, steps + 1) if second is not None else None
    if second is None:
        return found
    ends = following is not None and following[0][:1] in ("/", "?", "#")
    return found[0], ends, found[2]


# Most nodes are names and contexts without facts: skipping them first saves most of the time.
VISITED = (ast.Import, ast.ImportFrom, ast.Call, ast.Subscript, ast.BinOp, ast.Constant)


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_name(node, name):
    return isinstance(node, ast.Name) and node.id == name


def is_main_guard(test):
    return isinstance(test, ast.Compare) and is_name(test.left, "__name__")


def is_type_guard(node):
    return isinstance(node, ast.If) and dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def list_executed(tree):
    """Lists all nodes in the order of ast.walk, without those that only type checkers read."""
    nodes = [tree]
    for node in nodes:
        nodes.extend(node.orelse if is_type_guard(node) else ast.iter_child_nodes(node))
    return nodes


def is_generator(function):
    pending = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))
    return False


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node):
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def load_reader(path, loaded={}):
    if path not in loaded:
        with open(path, encoding="utf-8") as file:
            names = loaded[path] = {"__name__": "reader"}
            exec(compile(file.read(), path, "exec"), names)
    return loaded[path]["read_interface"]


def main():
    standard = sorted(getattr(sys, "stdlib_module_names", ()))
    hello = {"version": list(sys.version_info[:3]), "standard": standard}
    sys.stdout.write(json.dumps(hello) + "\n")
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        job = json.loads(line)
        reader = job.get("reader")
        facts = load_reader(reader)(job["text"]) if reader else read_facts(job["text"], job.get("export"))
        answer = {"path": job["path"], "facts": facts}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
