import { statSync } from 'node:fs'
import type { Interpreter } from '../backend.ts'

/** Computes a key that changes with the interpreter and with its executable's state. */
export function computeInterpreterKey(interpreter: Interpreter): string {
  const { executable, version, mounts, packages, hidden, libraries } = interpreter
  const { ino, size, ctimeMs } =
    statSync(resolveHostExecutable(interpreter), { throwIfNoEntry: false }) ?? {}
  const own = [executable, version, mounts, packages, hidden, libraries]
  return JSON.stringify([...own, ino, size, ctimeMs])
}

/** Maps the executable to its path on the host. */
function resolveHostExecutable({ executable, mounts }: Interpreter): string {
  const mount = mounts.find(({ target }) => executable.startsWith(`${target}/`))
  return mount ? mount.source + executable.slice(mount.target.length) : executable
}
