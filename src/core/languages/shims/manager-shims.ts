import { closeSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isScript } from './is-script.ts'
import type { FoundProgram } from '../trusted-program.ts'

/** A program that only starts another one, which its version manager selects. */
export interface ManagerShim {
  /** The name of the manager, such as `pyenv`. */
  manager: string
  /** A path, or a name in PATH. */
  program: string
  /** Subcommand that prints the path of a selected program. */
  subcommand: string
}

/** Managers whose shims are scripts with the line `exec <manager> exec <program>`. */
const EXEC_LINE =
  /\bexec\s+["']?(?<program>(?:[^\s"']*\/)?(?<manager>pyenv|rbenv|nodenv|goenv|jenv|phpenv|plenv|asdf|mise|rtx))["']?\s+(?:exec|x)\b/

/** Managers whose shims are links to one program, and the program that answers questions. */
const LINKED_MANAGERS: Readonly<Record<string, { manager: string; subcommand: string }>> = {
  asdf: { manager: 'asdf', subcommand: 'which' },
  mise: { manager: 'mise', subcommand: 'which' },
  'proto-shim': { manager: 'proto', subcommand: 'bin' },
  rtx: { manager: 'rtx', subcommand: 'which' },
  rustup: { manager: 'rustup', subcommand: 'which' },
  'rustup-init': { manager: 'rustup', subcommand: 'which' },
  'volta-shim': { manager: 'volta', subcommand: 'which' },
}

const MAX_SHIM_BYTES = 8192

/** Recognizes the shim of a known version manager. */
export function findManagerShim({ path, real }: FoundProgram): ManagerShim | undefined {
  if (isScript(real)) {
    const { program, manager } = EXEC_LINE.exec(readStart(real))?.groups ?? {}
    if (program === undefined || manager === undefined) return undefined
    return { manager, program, subcommand: 'which' }
  }
  const name = basename(real)
  const linked = Object.hasOwn(LINKED_MANAGERS, name) ? LINKED_MANAGERS[name] : undefined
  if (!linked || basename(path) === name) return undefined
  const isItself = name === linked.manager || name === `${linked.manager}-init`
  const program = isItself ? real : join(dirname(real), linked.manager)
  return { ...linked, program }
}

function readStart(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const start = Buffer.alloc(MAX_SHIM_BYTES)
    return start.toString('utf8', 0, readSync(fd, start, 0, MAX_SHIM_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}
