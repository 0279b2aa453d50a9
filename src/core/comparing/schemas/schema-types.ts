import type { Plain } from '../../skills/manifest/manifest.ts'

const ALL_TYPES = ['array', 'boolean', 'fraction', 'integer', 'null', 'object', 'string']

/** The types that `type` allows; `number` is integers and fractions, a missing one allows all. */
export function listAllowedTypes(type: Plain | undefined): ReadonlySet<string> {
  if (type === undefined) return new Set(ALL_TYPES)
  const names = Array.isArray(type) ? type : [type]
  return new Set(
    names.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name as string])),
  )
}
