import { execFile } from 'node:child_process'
import type { Surroundings } from './stamp-interpreter.ts'

/** What an interpreter says of itself. */
export interface PythonAnswer {
  executable: string
  version: string
  prefix: string
  base: string
  packages: string[]
}

/** Answered by the interpreter itself: a shim on PATH is not what runs in the end. */
const QUESTION = `import json, os, site, sys
print(json.dumps({
    "executable": os.path.realpath(sys.executable),
    "version": "%d.%d.%d" % sys.version_info[:3],
    "prefix": os.path.realpath(sys.prefix),
    "base": os.path.realpath(sys.base_prefix),
    "packages": [os.path.realpath(each) for each in site.getsitepackages()],
}))`

const ASK_MS = 20_000

/** Starts a program as Python; undefined where it does not answer like one. */
export async function askPython(
  program: string,
  { cwd, env }: Surroundings,
): Promise<PythonAnswer | undefined> {
  return await new Promise((resolve) => {
    const options = { cwd, env: { ...env }, timeout: ASK_MS, encoding: 'utf8' } as const
    execFile(program, ['-I', '-c', QUESTION], options, (error, stdout) => {
      if (error) return resolve(undefined)
      try {
        resolve(JSON.parse(stdout) as PythonAnswer)
      } catch {
        resolve(undefined)
      }
    })
  })
}
