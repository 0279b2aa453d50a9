import { statSync } from 'node:fs'
import type { Interpreter } from '../backend.ts'

/** Another one for another interpreter, or for the same one in another state. */
export function computeInterpreterKey(interpreter: Interpreter): string {
  const { executable, version, mounts, packages, libraries } = interpreter
  const { ino, size, ctimeMs } =
    statSync(resolveHostExecutable(interpreter), { throwIfNoEntry: false }) ?? {}
  return JSON.stringify([executable, version, mounts, packages, libraries, ino, size, ctimeMs])
}

/** Where its program lies on the host. */
function resolveHostExecutable({ executable, mounts }: Interpreter): string {
  const mount = mounts.find(({ target }) => executable.startsWith(`${target}/`))
  return mount ? mount.source + executable.slice(mount.target.length) : executable
}
