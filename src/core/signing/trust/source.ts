import { SkillsError } from '../../../errors.ts'
import { findKind, REMOTE_KINDS } from '../../sources/index.ts'
import type { SkillSourcePlace } from '../../sources/source-place.ts'

/** Examples of patterns, by the scheme that they begin with, and schemes without upper case. */
const SCHEMES = new Map(REMOTE_KINDS.flatMap((kind) => Object.entries(kind.trustPatterns ?? {})))
const CASELESS = new Set(
  REMOTE_KINDS.flatMap((kind) => (kind.isCaseless ? Object.keys(kind.trustPatterns ?? {}) : [])),
)

/** The pattern that every source matches, and a missing one. */
const ANY_SOURCE = '*'

/** The path of a source without `@ref`, `#fragment` and a trailing slash, in one notation. */
export function parseSource(text: string): string {
  const [, scheme, rest] = /^([a-z]+):(.*)$/s.exec(text) ?? []
  const problem = findSourceProblem(scheme, rest ?? '')
  if (problem !== undefined || scheme === undefined || rest === undefined) {
    throw invalidSourceError(text, problem ?? 'it has no scheme')
  }
  if (scheme === 'https') return parseHttpsSource(text)
  // The scope of an npm package begins with @ as well.
  const path = rest
    .replace(/#.*$/s, '')
    .replace(/(?<=[^/])@.*$/s, '')
    .replace(/\/$/, '')
  if (path === '') throw invalidSourceError(text, 'it names nothing')
  return `${scheme}:${CASELESS.has(scheme) ? path.toLowerCase() : path}`
}

function findSourceProblem(scheme: string | undefined, rest: string): string | undefined {
  if (scheme === undefined || !SCHEMES.has(scheme)) {
    return `expected one of ${[...SCHEMES.values()].join(', ')}`
  }
  if (!/^[!-~]*$/.test(rest)) return 'it has characters other than printable ASCII'
  if (/[\\%*]/.test(rest)) return 'it has "\\", "%" or "*"'
  const path = rest.replace(/^\/\//, '').replace(/\/$/, '')
  const hasGap = path.split('/').some((part) => part === '' || part === '.' || part === '..')
  return hasGap ? 'it has an empty, "." or ".." segment' : undefined
}

function parseHttpsSource(text: string): string {
  if (!URL.canParse(text)) throw invalidSourceError(text, 'it is not a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw invalidSourceError(text, 'it has a user name')
  }
  if (url.search !== '') throw invalidSourceError(text, 'it has a query')
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`
}

/** A pattern of sources: a source with everything below it, or `*`. */
export function parseSourcePattern(text: string): string {
  if (text === ANY_SOURCE) return text
  const base = text.endsWith('/*') ? text.slice(0, -2) : text
  const source = parseSource(base)
  return text.endsWith('/*') ? `${source}/*` : source
}

/**
 * True if a pattern covers a source. `a/*` covers what is below `a`, and `a` covers itself as well.
 */
export function matchesSource(pattern: string, source: string | undefined): boolean {
  if (pattern === ANY_SOURCE) return true
  if (source === undefined) return false
  if (pattern.endsWith('/*')) return source.startsWith(pattern.slice(0, -1))
  return source === pattern || source.startsWith(`${pattern}/`)
}

/** The source of a place, as patterns cover it; undefined for a path and for this machine. */
export function findTrustSource(place: SkillSourcePlace, resolved: string): string | undefined {
  const text = findKind(place).formatTrust(place, resolved)
  return text === undefined ? undefined : parseSource(text)
}

/** The source of a repository by its address; undefined if only the pattern `*` can cover it. */
export function findRepositorySource(address: string): string | undefined {
  if (/[@#?]/.test(address)) return undefined
  const text = address.replace(/^https:\/\/(github|gitlab)\.com\/(.+?)(?:\.git)?\/?$/i, '$1:$2')
  try {
    return parseSource(text.replace(/^git(?:hub|lab):/i, (scheme) => scheme.toLowerCase()))
  } catch (thrown) {
    if (thrown instanceof SkillsError) return undefined
    throw thrown
  }
}

function invalidSourceError(text: string, problem: string): SkillsError {
  return new SkillsError('usage/invalid', `"${text}" is not a source of skills: ${problem}`, {
    hint: 'Write it as "github:owner/repo", or with "/*" in a pattern: "github:owner/*"',
  })
}
