import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'

/** The whole text is a reference, so code that contains one is never changed. */
const REFERENCE = /^\$(\d{1,2})((?:\.[A-Za-z_][A-Za-z0-9_]*|\.\d{1,6})+)$/
const ESCAPED = /^\$\$\d/

/** Lists the numbers of the steps that parameters refer to. */
export function listReferences(params: Plain): number[] {
  const found = new Set<number>()
  visitTexts(params, (text) => {
    const match = REFERENCE.exec(text)
    if (match) found.add(Number(match[1]))
    return text
  })
  return [...found]
}

/** A reference to a field that a result does not have. */
export class MissingFieldError extends Error {}

/** Replaces references by the fields of earlier results. Throws `MissingFieldError`. */
export function resolveReferences(
  params: PlainObject,
  results: readonly (PlainObject | undefined)[],
): PlainObject {
  return visitTexts(params, (text) => {
    if (ESCAPED.test(text)) return text.slice(1)
    const match = REFERENCE.exec(text)
    if (!match) return text
    const [, step = '', path = ''] = match
    const value = readPath(results[Number(step)], path.slice(1).split('.'))
    if (value === undefined)
      throw new MissingFieldError(`"${text}" is not in the result of the step`)
    return value
  }) as PlainObject
}

function readPath(result: PlainObject | undefined, path: readonly string[]): Plain | undefined {
  let value: Plain | undefined = result
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as PlainObject)[key]
  }
  return value ?? undefined
}

function visitTexts(value: Plain, replace: (text: string) => Plain): Plain {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((each: Plain) => visitTexts(each, replace))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([key, each]) => [key, visitTexts(each, replace)] as const,
  )
  return Object.fromEntries(entries)
}
