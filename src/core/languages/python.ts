import { execFile } from 'node:child_process'
import { SkillsError } from '../../errors.ts'
import type { Interpreter } from '../sandbox/backend.ts'

/** Answered by the interpreter itself: a shim on PATH is not what runs in the end. */
const ASK = `import json, os, site, sys
print(json.dumps({
    "executable": os.path.realpath(sys.executable),
    "version": "%d.%d.%d" % sys.version_info[:3],
    "prefix": os.path.realpath(sys.prefix),
    "base": os.path.realpath(sys.base_prefix),
    "packages": [os.path.realpath(each) for each in site.getsitepackages()],
}))`

const ASK_MS = 20_000
const OLDEST = [3, 9] as const
/** Where an interpreter from elsewhere lies inside, and a virtual environment. */
const BASE = '/python'
const ENVIRONMENT = '/python-environment'

interface Answer {
  executable: string
  version: string
  prefix: string
  base: string
  packages: string[]
}

/** What the search needs of the caller. */
export interface PythonRequest {
  /** A program or a path; what PATH names unless given. */
  python: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** Finds the real interpreter and what a sandbox must mount for it. */
export async function findPython(request: PythonRequest): Promise<Interpreter> {
  const asked = request.python ?? 'python3'
  const answer = await ask(asked, request)
  if (!answer) {
    throw new SkillsError('language/not-installed', `"${asked}" is not there or does not start`, {
      hint: 'Install Python 3.9 or newer, then type "skills doctor" to check',
    })
  }
  const [major = 0, minor = 0] = answer.version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new SkillsError(
      'language/not-installed',
      `Expected Python 3.9 or newer, got ${answer.version} at "${answer.executable}"`,
      { hint: 'Name a newer one with run.python in skills.config.toml' },
    )
  }
  return toInterpreter(answer)
}

/** Renames what lies outside of /usr, so that a run does not see where this machine keeps it. */
function toInterpreter(answer: Answer): Interpreter {
  const moves: { source: string; target: string }[] = []
  if (!isBelow(answer.base, '/usr')) moves.push({ source: answer.base, target: BASE })
  const hasEnvironment = answer.prefix !== answer.base
  if (hasEnvironment && !isBelow(answer.prefix, '/usr')) {
    moves.push({ source: answer.prefix, target: ENVIRONMENT })
  }
  const inside = (path: string): string | undefined => {
    const move = moves
      .filter(({ source }) => isBelow(path, source))
      .sort((a, b) => b.source.length - a.source.length)[0]
    if (move) return move.target + path.slice(move.source.length)
    return isBelow(path, '/usr') ? path : undefined
  }
  const executable = inside(answer.executable)
  if (executable === undefined) {
    throw new SkillsError(
      'language/not-installed',
      `The interpreter "${answer.executable}" lies outside of its own folder "${answer.base}"`,
      { hint: 'Name another with run.python in skills.config.toml' },
    )
  }
  return {
    executable,
    version: answer.version,
    mounts: moves,
    packages: answer.packages.flatMap((path) => inside(path) ?? []),
    libraries: moves.some(({ target }) => target === BASE) ? `${BASE}/lib` : undefined,
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

async function ask(program: string, { cwd, env }: PythonRequest): Promise<Answer | undefined> {
  return await new Promise((resolve) => {
    const options = { cwd, env: { ...env }, timeout: ASK_MS, encoding: 'utf8' } as const
    execFile(program, ['-I', '-c', ASK], options, (error, stdout) => {
      if (error) return resolve(undefined)
      try {
        resolve(JSON.parse(stdout) as Answer)
      } catch {
        resolve(undefined)
      }
    })
  })
}
