import { readFileSync } from 'node:fs'

/**
 * The host's number of a child that its parent knows by another one, and itself by a third. Of a parent
 * that has not heard of its end yet: until then nobody else can get the number.
 */
export function findChildPid(parent: number, inside: number, own: number): number | undefined {
  let children: string
  try {
    children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  } catch {
    return undefined
  }
  // The youngest stand last.
  return children
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
    .findLast((pid) => readParentPid(pid, own) === inside)
}

/** Its numbers go from the outermost namespace to its own. */
function readParentPid(pid: number, own: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const numbers = /^NSpid:\t(.+)$/m.exec(status)?.[1]?.split('\t').map(Number) ?? []
    return numbers.at(-1) === own ? numbers.at(-2) : undefined
  } catch {
    return undefined
  }
}
