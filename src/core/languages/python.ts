import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { findProgram, isExecutableFile } from '../../util/find-program.ts'
import type { Interpreter } from '../sandbox/backend.ts'
import { findHiddenFolders } from './packages/package-folders.ts'
import type { ModulesToCompile, PythonAnswer } from './query-python.ts'
import type { FoundProgram } from './trusted-program.ts'
import type { ProgramAnswers } from './program-answers.ts'
import { queryPythonCached } from './query-python-cached.ts'
import { isBelow, containsUserFolder, listUserFolders, resolveLinks } from './user-folders.ts'

const MIN_VERSION = [3, 9] as const
/** Mount targets of an interpreter and a virtual environment that are installed outside /usr. */
const PYTHON_TARGET = '/python'
const ENVIRONMENT_TARGET = '/python-environment'

/** Input of `findPython`. */
export interface PythonRequest {
  /** A program name or a path; `python3` in PATH by default. */
  python: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Project folders; programs in them are never started. */
  excluded?: readonly string[] | undefined
  answers: ProgramAnswers
  /** True if runs import the packages that are installed for this interpreter. */
  hostPackages?: boolean | undefined
  /** Modules that the queried interpreter also compiles. */
  modules?: ModulesToCompile | undefined
}

/** An interpreter, and where it is on the host: behind a shim, the program that the shim starts. */
interface FoundPython extends Interpreter {
  onHost: FoundProgram
}

/** Finds the real interpreter and the mounts that a sandbox needs for it. */
export async function findPython(request: PythonRequest): Promise<FoundPython> {
  const { env, hostPackages = false } = request
  return checkMounts(toInterpreter(await queryHostPython(request), hostPackages), env)
}

/** Returns the facts about the host's Python; throws if it is missing or too old. */
export async function queryHostPython(request: PythonRequest): Promise<PythonAnswer> {
  const command = request.python ?? 'python3'
  const { cwd, env, answers, modules } = request
  const program = locatePython(command, request)
  const answer =
    program !== undefined && isExecutableFile(program)
      ? await queryPythonCached(program, { cwd, env, answers, modules })
      : undefined
  if (!answer || 'words' in answer) throw notFoundError(command, answer?.words)
  checkVersion(answer)
  return answer
}

function checkVersion(answer: PythonAnswer): void {
  const [major = 0, minor = 0] = answer.version.split('.').map(Number)
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
    throw new SkillsError(
      'language/not-installed',
      `Expected Python 3.9 or newer, got ${answer.version} at "${answer.executable}"`,
      { hint: 'Set run.python to a newer Python in skills.config.toml' },
    )
  }
}

function notFoundError(command: string, words: string | undefined): SkillsError {
  const sentence =
    words === undefined ? `"${command}" was not found` : `"${command}" does not start: ${words}`
  return new SkillsError('language/not-installed', sentence, {
    hint: 'Install Python 3.9 or newer, then type "skills doctor" to check',
  })
}

function locatePython(
  command: string,
  { cwd, env, excluded = [] }: PythonRequest,
): string | undefined {
  if (command.includes('/')) return resolve(cwd, command)
  return findProgram(command, removeProjectFolders(env['PATH'] ?? '/usr/bin:/bin', excluded))
}

/** Removes project folders from a search path. */
function removeProjectFolders(searchPath: string, excluded: readonly string[]): string {
  const isProject = (folder: string) =>
    [folder, resolveLinks(folder)].some((path) => excluded.some((root) => isBelow(path, root)))
  return searchPath
    .split(':')
    .filter((folder) => !isProject(folder))
    .join(':')
}

/**
 * Throws if a mount would expose the user's files to every run, such as a Python that is installed
 * into the home folder.
 */
function checkMounts(interpreter: FoundPython, env: PythonRequest['env']): FoundPython {
  const userFolders = listUserFolders(env)
  const source = interpreter.mounts
    .map((mount) => mount.source)
    .find((each) => containsUserFolder(each, userFolders))
  if (source === undefined) return interpreter
  throw new SkillsError(
    'language/not-installed',
    `The folder of this Python, "${source}", contains more than Python: runs would see all of it`,
    { hint: 'Set run.python to a Python in a separate folder in skills.config.toml' },
  )
}

/**
 * Mounts folders from outside /usr at fixed targets, so that a run does not see their host paths.
 */
function toInterpreter(answer: PythonAnswer, hostPackages: boolean): FoundPython {
  const mounts: { source: string; target: string }[] = []
  if (!isBelow(answer.base, '/usr')) mounts.push({ source: answer.base, target: PYTHON_TARGET })
  const hasEnvironment = answer.prefix !== answer.base
  if (hasEnvironment && !isBelow(answer.prefix, '/usr')) {
    mounts.push({ source: answer.prefix, target: ENVIRONMENT_TARGET })
  }
  const toSandboxPath = (path: string): string | undefined => {
    const move = mounts
      .filter(({ source }) => isBelow(path, source))
      .sort((a, b) => b.source.length - a.source.length)[0]
    if (move) return move.target + path.slice(move.source.length)
    return isBelow(path, '/usr') ? path : undefined
  }
  const executable = toSandboxPath(answer.executable)
  if (executable === undefined) {
    throw new SkillsError(
      'language/not-installed',
      `The interpreter "${answer.executable}" is outside its own folder "${answer.base}"`,
      { hint: 'Set run.python to another Python in skills.config.toml' },
    )
  }
  const packages = answer.packages.flatMap((path) => toSandboxPath(path) ?? [])
  return {
    executable,
    onHost: { path: answer.started, real: answer.executable },
    version: answer.version,
    mounts,
    compiled: new Map(Object.entries(answer.compiled)),
    packages: hostPackages ? packages : [],
    hidden: hostPackages ? [] : findHiddenFolders([{ source: '/usr', target: '/usr' }, ...mounts]),
    libraries: mounts.some(({ target }) => target === PYTHON_TARGET)
      ? `${PYTHON_TARGET}/lib`
      : undefined,
  }
}
