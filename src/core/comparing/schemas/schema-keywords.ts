import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { toSortedJson } from '../../skills/manifest/sorted-json.ts'

/** Limits of numbers, texts and lists: whether a greater value accepts less. */
const LIMITS: Readonly<Record<string, 'lower' | 'upper'>> = {
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minLength: 'lower',
  minItems: 'lower',
  minProperties: 'lower',
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxLength: 'upper',
  maxItems: 'upper',
  maxProperties: 'upper',
}

type KeywordEffect = 'narrowed' | 'widened' | 'changed'

interface KeywordChange {
  keyword: string
  effect: KeywordEffect
  before: string | undefined
  after: string | undefined
}

/** Compares keywords that restrict a value on their own, without those of `skipped`. */
export function compareKeywords(
  old: PlainObject,
  now: PlainObject,
  skipped: ReadonlySet<string>,
): KeywordChange[] {
  const keywords = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...keywords].flatMap((keyword) => {
    if (skipped.has(keyword)) return []
    const [was, is] = [printKeyword(old[keyword]), printKeyword(now[keyword])]
    if (was === is) return []
    const effect = findEffect(keyword, old[keyword], now[keyword])
    return [{ keyword, effect, before: was, after: is }]
  })
}

function findEffect(keyword: string, was: Plain | undefined, is: Plain | undefined): KeywordEffect {
  if (was === undefined) return 'narrowed'
  if (is === undefined) return 'widened'
  if (keyword === 'uniqueItems') return is === true ? 'narrowed' : 'widened'
  if (typeof was !== 'number' || typeof is !== 'number') return 'changed'
  if (keyword === 'multipleOf') return compareMultiples(was, is)
  const limit = Object.hasOwn(LIMITS, keyword) ? LIMITS[keyword] : undefined
  if (limit === undefined) return 'changed'
  return is > was === (limit === 'lower') ? 'narrowed' : 'widened'
}

function compareMultiples(was: number, is: number): KeywordEffect {
  if (!Number.isSafeInteger(was) || !Number.isSafeInteger(is)) return 'changed'
  if (was % is === 0) return 'widened'
  return is % was === 0 ? 'narrowed' : 'changed'
}

function printKeyword(value: Plain | undefined): string | undefined {
  return value === undefined ? undefined : toSortedJson(value)
}
