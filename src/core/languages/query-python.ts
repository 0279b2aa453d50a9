import { QUERY_TIMEOUT_MS, runHostProgram } from '../host-programs/run-host-program.ts'
import { quoteProgram } from './query-program.ts'
import type { LookupContext } from './stamp-interpreter.ts'

/** Facts that an interpreter reports about itself. */
export interface PythonAnswer {
  /** The path by which it was started: behind a shim, and before links. */
  started: string
  executable: string
  version: string
  prefix: string
  base: string
  packages: string[]
  /** Compiled modules in base64, by the file names of the interpreter's bytecode cache. */
  compiled: Record<string, string>
}

/** Modules that the interpreter which runs them also compiles. */
export interface ModulesToCompile {
  folder: string
  /** Changes with the source text of the modules. */
  digest: string
}

/** The interpreter answers itself, because a shim on PATH is not the program that runs. */
const QUERY_SCRIPT = `import json, os, site, sys

def compile_modules(folder):
    import base64, importlib.util, marshal
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read()
        code = compile(text, name, "exec", dont_inherit=True, optimize=0)
        # Python itself compares the text with this hash, whoever changed either.
        head = importlib.util.MAGIC_NUMBER + (3).to_bytes(4, "little")
        data = head + importlib.util.source_hash(text) + marshal.dumps(code)
        path = os.path.basename(importlib.util.cache_from_source(name, optimization=""))
        yield path, base64.b64encode(data).decode()

print(json.dumps({
    "compiled": dict(compile_modules(sys.argv[1]) if sys.argv[1:] else []),
    "started": os.path.abspath(sys.executable),
    "executable": os.path.realpath(sys.executable),
    "version": "%d.%d.%d" % sys.version_info[:3],
    "prefix": os.path.realpath(sys.prefix),
    "base": os.path.realpath(sys.base_prefix),
    "packages": [os.path.realpath(each) for each in site.getsitepackages()],
}))`

/** Queries a program as Python. Returns its explanation if it fails or prints no JSON. */
export async function queryPython(
  program: string,
  { cwd, env, modules }: LookupContext & { modules?: ModulesToCompile | undefined },
): Promise<PythonAnswer | { words: string }> {
  const argv = [program, '-I', '-c', QUERY_SCRIPT, ...(modules ? [modules.folder] : [])]
  const result = await runHostProgram(argv, { cwd, env, timeoutMs: QUERY_TIMEOUT_MS })
  if (!result.ok) return { words: quoteProgram(result) }
  try {
    return JSON.parse(result.stdout) as PythonAnswer
  } catch {
    return { words: 'It is not Python' }
  }
}
