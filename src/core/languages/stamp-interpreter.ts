import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isScript } from './is-script.ts'

/** Equal while the same program would start the same interpreter. */
interface InterpreterStamp {
  text: string
  /** False where it holds for this process only: a script may decide by whatever it likes. */
  lasting: boolean
}

/** The caller's side of what a version manager looks at. */
export interface Surroundings {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** Names all that decides which interpreter a program is or, for a shim of pyenv, picks. */
export function stampInterpreter(path: string, { cwd, env }: Surroundings): InterpreterStamp {
  const real = realpathSync(path)
  const own = [path, real, stampFile(real)]
  if (!isScript(real)) {
    // A link into a virtual environment makes another interpreter of the same file.
    const text = [...own, stampFile(join(dirname(path), '..', 'pyvenv.cfg'))]
    return { text: JSON.stringify(text), lasting: true }
  }
  const root = pyenvRootOf(path)
  if (root === undefined) {
    return { text: JSON.stringify([...own, cwd, env['PATH'] ?? null]), lasting: false }
  }
  const picked = [
    env['PYENV_VERSION'] ?? null,
    nearestVersion(env['PYENV_DIR'] ?? cwd),
    readText(join(root, 'version')),
    stampFile(join(root, 'versions')),
    env['PATH'] ?? null,
  ]
  return { text: JSON.stringify([...own, ...picked]), lasting: true }
}

/** Changes when a file is replaced or written; null where there is none. */
export function stampFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat ? `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}` : null
}

function pyenvRootOf(shim: string): string | undefined {
  const folder = dirname(shim)
  const root = dirname(folder)
  const isShim = basename(folder) === 'shims' && stampFile(join(root, 'versions')) !== null
  return isShim ? root : undefined
}

/** What the nearest .python-version says, here or above. */
function nearestVersion(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const text = readText(join(folder, '.python-version'))
    if (text !== null || folder === dirname(folder)) return text
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
