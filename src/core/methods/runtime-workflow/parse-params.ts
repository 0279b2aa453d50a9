import type { z } from 'zod'
import { invalidParamError } from '../../../errors.ts'
import { checkEntries } from '../check-entries.ts'
import type { MethodDefinition, MethodParams } from '../define-method.ts'

/** Validates the parameters of a step. Throws `params/invalid` with the first problem. */
export function parseParams<Definition extends MethodDefinition>(
  method: Definition,
  params: unknown,
): MethodParams<Definition> {
  const schema = method.params as z.ZodType<MethodParams<Definition>>
  checkEntries(schema, params)
  const parsed = schema.safeParse(params)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const isUnknown = issue?.code === 'unrecognized_keys'
  const path = isUnknown ? issue.keys.slice(0, 1) : (issue?.path ?? [])
  const reason = isUnknown
    ? 'it is not a parameter of this method'
    : (issue?.message ?? 'not valid')
  throw invalidParamError(path.join('.') || 'params', reason)
}
