import { refusedParam, type SkillsError } from '../../../errors.ts'
import { toWorkspacePath } from '../files/find-files.ts'

const TOP_FOLDERS = ['skills', 'work', 'out', 'runs']
const VARIABLE_PREFIX = /^\$(?:\{(\w+)\}|(\w+))/

/**
 * Working folder of a skill's command, relative to the workspace's root; a path outside falls back
 * to the skill's folder.
 */
export function resolveSkillFolder(cwd: string | undefined, skill: string): string {
  const own = `skills/${skill}`
  const trimmed = cwd?.trim() ?? ''
  if (trimmed === '') return own
  if (VARIABLE_PREFIX.test(trimmed)) return findKnownFolder(toWorkspacePath(trimmed)) ?? own
  if (trimmed.startsWith('/')) return findKnownFolder(toWorkspacePath(trimmed)) ?? own
  return normalizePath(`${own}/${trimmed}`, own) ?? own
}

/**
 * Working folder of a command without a skill; throws if the path is outside the allowed folders.
 */
export function resolveWorkspaceFolder(cwd: string | undefined): string {
  const trimmed = cwd?.trim() ?? ''
  if (trimmed === '') return ''
  if (/[*?[\]]/.test(trimmed)) throw invalidCwdError('cwd must not contain glob patterns')
  const plain = toWorkspacePath(trimmed)
  if (plain === undefined || trimmed.includes('\\') || plain.split('/').includes('..')) {
    throw invalidCwdError('cwd must stay within the workspace')
  }
  const folder = findKnownFolder(plain)
  if (folder !== undefined) return folder
  throw invalidCwdError(
    `cwd must stay under supported workspace roots such as work/, out/, or runs/: ${trimmed.slice(0, 200)}`,
  )
}

/** A path below one of the folders of every workspace, or the root. */
function findKnownFolder(plain: string | undefined): string | undefined {
  if (plain === undefined || plain.includes('\\')) return undefined
  const folder = normalizePath(plain, '')
  if (folder === undefined) return undefined
  const [top = ''] = folder.split('/')
  return top === '' || TOP_FOLDERS.includes(top) ? folder : undefined
}

/** Resolves dots; undefined if they lead above the base. */
function normalizePath(path: string, base: string): string | undefined {
  if (path.includes('\\') || path.includes('\0')) return undefined
  const least = base === '' ? 0 : base.split('/').length
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length <= least) return undefined
    else parts.pop()
  }
  return parts.join('/')
}

function invalidCwdError(reason: string): SkillsError {
  return refusedParam('cwd', reason)
}
