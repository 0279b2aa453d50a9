import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'

/** A call that starts a run, as the functions of the application see it. */
export interface RunToolCall {
  /** Id of the model's tool call. */
  id: string
  /** Name of the tool. */
  name: string
  /** Validated arguments of the model. */
  arguments: Readonly<Record<string, unknown>>
  session: string
  agent: string
}

type CallValues = Readonly<Record<string, string>>

/** Values by name, for one call. */
export type CallValuesFunction = (
  call: RunToolCall,
) => CallValues | undefined | Promise<CallValues | undefined>

/** Functions of the application that give values to each call. */
export interface CallValueFunctions {
  secrets?: CallValuesFunction | undefined
  environment?: CallValuesFunction | undefined
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Reads the values of a call; only calls that start a run have some. */
export async function readCallValues(
  { secrets, environment }: CallValueFunctions,
  method: Pick<Method, 'effect'>,
  call: RunToolCall,
): Promise<{ secrets?: ReadonlyMap<string, string>; environment?: CallValues }> {
  if (method.effect !== 'run') return {}
  const values = {
    secrets: checkValues('secrets', await secrets?.(call)),
    environment: checkValues('environment', await environment?.(call)),
  }
  return {
    ...(values.secrets && { secrets: new Map(Object.entries(values.secrets)) }),
    ...(values.environment && { environment: values.environment }),
  }
}

/** The values themselves may be secret, so the message has only the name. */
function checkValues(option: string, values: unknown): CallValues | undefined {
  if (values === undefined) return undefined
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw invalidValuesError(option, 'something other than an object')
  }
  for (const [name, value] of Object.entries(values)) {
    if (!VARIABLE_NAME.test(name)) throw invalidValuesError(option, `the name "${name}"`)
    if (typeof value !== 'string' || value.includes('\0')) {
      throw invalidValuesError(option, `a value for "${name}" that is not a text without NUL`)
    }
  }
  return values as CallValues
}

function invalidValuesError(option: string, problem: string): SkillsError {
  const message = `The function "${option}" of the session returned ${problem}`
  return new SkillsError('usage/invalid', message, {
    hint: 'Return an object of variable names and texts, or undefined',
  })
}
