import { refusedParam, type SkillsError } from '../../../errors.ts'
import { plainPath } from '../files/find-files.ts'

const TOPS = ['skills', 'work', 'out', 'runs']
const NAMED = /^\$(?:\{(\w+)\}|(\w+))/

/** Where a skill's command starts, from the top of the workspace: what leads elsewhere means the skill. */
export function skillFolder(cwd: string | undefined, skill: string): string {
  const own = `skills/${skill}`
  const asked = cwd?.trim() ?? ''
  if (asked === '') return own
  if (NAMED.test(asked)) return knownFolder(plainPath(asked)) ?? own
  if (asked.startsWith('/')) return knownFolder(plainPath(asked)) ?? own
  return normal(`${own}/${asked}`, own) ?? own
}

/** Where a command of no skill starts; throws where the path leads elsewhere. */
export function workspaceFolder(cwd: string | undefined): string {
  const asked = cwd?.trim() ?? ''
  if (asked === '') return ''
  if (/[*?[\]]/.test(asked)) throw wrong('cwd must not contain glob patterns')
  const plain = plainPath(asked)
  if (plain === undefined || asked.includes('\\') || plain.split('/').includes('..')) {
    throw wrong('cwd must stay within the workspace')
  }
  const folder = knownFolder(plain)
  if (folder !== undefined) return folder
  throw wrong(
    `cwd must stay under supported workspace roots such as work/, out/, or runs/: ${asked.slice(0, 200)}`,
  )
}

/** Below one of the folders that every workspace has, or its top. */
function knownFolder(plain: string | undefined): string | undefined {
  if (plain === undefined || plain.includes('\\')) return undefined
  const folder = normal(plain, '')
  if (folder === undefined) return undefined
  const [top = ''] = folder.split('/')
  return top === '' || TOPS.includes(top) ? folder : undefined
}

/** Without dots; undefined where they lead above the base. */
function normal(path: string, base: string): string | undefined {
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

function wrong(reason: string): SkillsError {
  return refusedParam('cwd', reason)
}
