import { readFileSync } from 'node:fs'

/**
 * Finds the host PID of a child from its PID in the parent's namespace and in its own. Safe only
 * until the parent has reaped the child: until then, the PID cannot be reused.
 */
export function findChildPid(
  parent: number,
  pidInParent: number,
  pidInChild: number,
): number | undefined {
  let children: string
  try {
    children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  } catch {
    return undefined
  }
  // The newest children come last.
  return children
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
    .findLast((pid) => readParentPid(pid, pidInChild) === pidInParent)
}

/** NSpid lists PIDs from the outermost namespace to the innermost. */
function readParentPid(pid: number, pidInChild: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const numbers = /^NSpid:\t(.+)$/m.exec(status)?.[1]?.split('\t').map(Number) ?? []
    return numbers.at(-1) === pidInChild ? numbers.at(-2) : undefined
  } catch {
    return undefined
  }
}
