import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isScript } from './shims/is-script.ts'

/** Equal while the same program starts the same interpreter. */
interface InterpreterStamp {
  text: string
  /**
   * False if the stamp is valid in this process only, because a script may choose the interpreter
   * by any criterion.
   */
  isPersistent: boolean
}

/** Input of a version manager: the current folder and the environment. */
export interface LookupContext {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Stamps everything that decides which interpreter a program is, or which one a shim of pyenv
 * selects.
 */
export function stampInterpreter(path: string, { cwd, env }: LookupContext): InterpreterStamp {
  const real = realpathSync(path)
  const common = [path, real, stampFile(real)]
  if (!isScript(real)) {
    // A link into a virtual environment makes the same file another interpreter.
    const text = [...common, stampFile(join(dirname(path), '..', 'pyvenv.cfg'))]
    return { text: JSON.stringify(text), isPersistent: true }
  }
  const root = findPyenvRoot(path)
  if (root === undefined) {
    return { text: JSON.stringify([...common, cwd, env['PATH'] ?? null]), isPersistent: false }
  }
  const picked = [
    env['PYENV_VERSION'] ?? null,
    readNearestVersion(env['PYENV_DIR'] ?? cwd),
    readTextOrNull(join(root, 'version')),
    stampFile(join(root, 'versions')),
    env['PATH'] ?? null,
  ]
  return { text: JSON.stringify([...common, ...picked]), isPersistent: true }
}

/** Changes when a file is replaced or written; null if it does not exist. */
export function stampFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat ? `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}` : null
}

function findPyenvRoot(shim: string): string | undefined {
  const folder = dirname(shim)
  const root = dirname(folder)
  const isShim = basename(folder) === 'shims' && stampFile(join(root, 'versions')) !== null
  return isShim ? root : undefined
}

/** Reads the nearest .python-version, in this folder or above. */
function readNearestVersion(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const text = readTextOrNull(join(folder, '.python-version'))
    if (text !== null || folder === dirname(folder)) return text
  }
}

function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
