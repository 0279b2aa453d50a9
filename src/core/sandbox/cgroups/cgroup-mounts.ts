import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { once } from '../../../util/once.ts'

/** A control group hierarchy as seen by this process. */
interface CgroupHierarchy {
  version: 1 | 2
  /** The mount point. */
  top: string
  /** The group of this process. Limits of this group also apply to groups below it. */
  ownGroup: string
}

/** Finds the version 2 hierarchy if it offers these controllers, enabled or not. */
export function findHierarchy2(controllers: readonly string[]): CgroupHierarchy | undefined {
  const mount = readCgroupMounts().find(({ type }) => type === 'cgroup2')
  if (!mount) return undefined
  const available = readTextOrEmpty(join(mount.top, 'cgroup.controllers')).trim().split(' ')
  if (!controllers.every((each) => available.includes(each))) return undefined
  return {
    version: 2,
    top: mount.top,
    ownGroup: resolveOwnGroup(mount, (line) => line.startsWith('0::')),
  }
}

/** Finds the version 1 hierarchy of a controller. */
export function findHierarchy1(controller: string): CgroupHierarchy | undefined {
  const mount = readCgroupMounts().find(
    ({ type, options }) => type === 'cgroup' && options.includes(controller),
  )
  if (!mount) return undefined
  const isOwnLine = (line: string) => line.split(':')[1]?.split(',').includes(controller) === true
  return { version: 1, top: mount.top, ownGroup: resolveOwnGroup(mount, isOwnLine) }
}

interface CgroupMount {
  type: string
  /** Mounted part of the hierarchy; not the whole one in some containers. */
  root: string
  top: string
  options: readonly string[]
}

/** Cached: the groups of this process may change, but their mount points do not. */
const readCgroupMounts = once((): readonly CgroupMount[] =>
  readTextOrEmpty('/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const [type = '', , options = ''] = after.split(' ')
      const [, , , root = '', top = ''] = before.split(' ')
      return type.startsWith('cgroup') ? [{ type, root, top, options: options.split(',') }] : []
    }),
)

function resolveOwnGroup({ root, top }: CgroupMount, isOwnLine: (line: string) => boolean): string {
  const line = readTextOrEmpty('/proc/self/cgroup').split('\n').find(isOwnLine)
  const below = relative(root, line?.split(':').slice(2).join(':') ?? root)
  const group = join(top, below)
  return !below.startsWith('..') && existsSync(group) ? group : top
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
