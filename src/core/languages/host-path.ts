import type { Interpreter } from '../sandbox/backend.ts'

/** Converts a path inside the sandbox to the path on the host. */
export function resolveHostPath({ mounts }: Interpreter, path: string): string {
  const mount = mounts
    .filter(({ target }) => path === target || path.startsWith(`${target}/`))
    .sort((a, b) => b.target.length - a.target.length)[0]
  return mount ? mount.source + path.slice(mount.target.length) : path
}
