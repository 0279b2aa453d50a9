/** Folder of a workspace in which runs leave their coverage. */
export const COVERAGE_FOLDER = '.skills-coverage'

/**
 * Python source of the tracer. `start` records the lines of files below the folders of skills, in all
 * threads and forks, and returns a function that writes them. `os._exit` writes them too. It is
 * `sys.settrace` for all versions of Python: `sys.monitoring` needs 3.12 and would be a second tracer.
 */
const TRACER = `
import ast, json, os, sys, threading

def start(roots, folder):
    lines, started = {}, os.getpid()

    def trace_line(frame, event, _):
        if event == "line":
            lines[frame.f_code.co_filename].add(frame.f_lineno)
        return trace_line

    def trace_call(frame, event, _):
        name = frame.f_code.co_filename
        if not name.startswith(roots):
            return None
        lines.setdefault(name, set())
        return trace_line

    def list_lines(code, found):
        found.update(line for _, _, line in code.co_lines() if line)
        for each in code.co_consts:
            if hasattr(each, "co_lines"):
                list_lines(each, found)
        return found

    def list_files():
        for root in roots:
            for path, folders, names in os.walk(root):
                folders[:] = [each for each in folders if not each.startswith(".") and each != "tests"]
                for name in names:
                    if name.endswith(".py"):
                        yield os.path.join(path, name)

    class SkipTypes(ast.NodeTransformer):
        # No run executes the body of "if TYPE_CHECKING".
        def visit_If(self, node):
            self.generic_visit(node)
            test = node.test
            if "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", "")):
                node.body = [ast.copy_location(ast.Pass(), test)]
            return node

    def read_statements(path):
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read(), path)
            tree = SkipTypes().visit(tree)
            return sorted(list_lines(compile(tree, path, "exec", dont_inherit=True), set()))
        except (OSError, SyntaxError, ValueError):
            return None

    def write():
        sys.settrace(None)
        threading.settrace(None)
        hits = {name: sorted(each) for name, each in list(lines.items())}
        statements = {name: read_statements(name) for name in list_files()}
        name = "%d-%s.python.json" % (os.getpid(), os.urandom(6).hex())
        try:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                json.dump({"hits": hits, "statements": statements}, file)
        except OSError:
            pass

    def exit_now(code, exit_now=os._exit):
        if os.getpid() != started:
            write()
        exit_now(code)

    os._exit = exit_now
    threading.settrace(trace_call)
    sys.settrace(trace_call)
    return write
`

/** Folders of skills inside: in a run of a function, and in the workspace of a command. */
export const SKILL_FOLDERS = ['/skills/', '/workspace/skills/'] as const

const ROOTS = `(${SKILL_FOLDERS.map((folder) => JSON.stringify(folder)).join(', ')})`

/** Starts the tracer in the harness; the namespace then has `write`. */
export const FUNCTION_TRACER = `${TRACER}
write = start(${ROOTS}, "/workspace/${COVERAGE_FOLDER}")
`

/** Starts the tracer in every Python process of a run that reads PYTHONPATH. */
export const PROCESS_TRACER = `${TRACER}
import atexit
atexit.register(start(${ROOTS}, "/workspace/${COVERAGE_FOLDER}"))
`
