import { decodePercents } from '../../../util/text/decode-percents.ts'

/** Parses a link into the skill's folder; undefined for every other link. */
export function parseLocalTarget(target: string): { path: string; rest: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || /^(?:#|\/|\\)/.test(target)) return undefined
  const end = target.search(/[?#]/)
  const rest = end === -1 ? '' : target.slice(end)
  const path = resolveSegments(decodePercents(end === -1 ? target : target.slice(0, end)))
  return path === undefined ? undefined : { path, rest }
}

/** True if a link leaves the folder: upwards, absolute, or a file URL. */
export function leavesSkill(target: string): boolean {
  if (/^(?:file:|\/|\\|[a-z]:[\\/])/i.test(target)) return !target.startsWith('//')
  if (/^[a-z][a-z0-9+.-]*:|^#/i.test(target)) return false
  return resolveSegments(decodePercents(target.replace(/[?#].*$/s, ''))) === undefined
}

/** Resolves "." and ".."; undefined if the path leaves its root. */
function resolveSegments(path: string): string | undefined {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
