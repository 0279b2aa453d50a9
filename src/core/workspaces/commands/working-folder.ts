import { refusedParam, type SkillsError } from '../../../errors.ts'
import { toWorkspacePath } from '../files/find-files.ts'

const TOP_FOLDERS = ['skills', 'work', 'out', 'runs']
const VARIABLE_PREFIX = /^\$(?:\{(\w+)\}|(\w+))/

/** Where a skill's command starts, from the top of the workspace: what leads elsewhere means the skill. */
export function resolveSkillFolder(cwd: string | undefined, skill: string): string {
  const own = `skills/${skill}`
  const trimmed = cwd?.trim() ?? ''
  if (trimmed === '') return own
  if (VARIABLE_PREFIX.test(trimmed)) return findKnownFolder(toWorkspacePath(trimmed)) ?? own
  if (trimmed.startsWith('/')) return findKnownFolder(toWorkspacePath(trimmed)) ?? own
  return normalizePath(`${own}/${trimmed}`, own) ?? own
}

/** Where a command of no skill starts; throws where the path leads elsewhere. */
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

/** Below one of the folders that every workspace has, or its top. */
function findKnownFolder(plain: string | undefined): string | undefined {
  if (plain === undefined || plain.includes('\\')) return undefined
  const folder = normalizePath(plain, '')
  if (folder === undefined) return undefined
  const [top = ''] = folder.split('/')
  return top === '' || TOP_FOLDERS.includes(top) ? folder : undefined
}

/** Without dots; undefined where they lead above the base. */
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
