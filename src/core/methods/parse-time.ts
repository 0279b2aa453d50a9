import { invalidParamError } from '../../errors.ts'

/** Parses a time of a call that did not pass the schema, in milliseconds since 1970. */
export function parseTimeParam(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw invalidParamError(name, 'expected a time such as 2026-11-26T10:00:00Z')
  return ms
}
