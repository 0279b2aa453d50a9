import type { Manifest, Plain, PlainObject, SkillInput } from '../../skills/manifest/manifest.ts'
import { findUndeclaredInput } from '../../skills/manifest/find-undeclared-input.ts'
import { writeJson } from '../../../util/slices/write-json.ts'
import { hasType } from '../../skills/manifest/has-type.ts'

/** A problem with one argument. */
interface InputProblem {
  message: string
  hint: string
}

/**
 * Adds defaults and validates arguments against the declared inputs. Undeclared arguments pass
 * through unless the skill excludes them.
 */
export function checkInputs(
  { inputs, runtime }: CheckedManifest,
  passedArgs: PlainObject,
  granted: readonly string[],
): { args: PlainObject; problem: InputProblem | undefined } {
  const args: PlainObject = addDefaults(inputs, passedArgs)
  const undeclared = findUndeclaredInput(inputs, Object.keys(args))
  if (undeclared && runtime?.additionalInputs === false) return { args, problem: undeclared }
  for (const [name, input] of Object.entries(inputs)) {
    if (!Object.hasOwn(args, name)) {
      if (!input.required) continue
      // A misspelt name explains the missing one.
      const isMisspelt = undeclared?.suggestion === name
      return { args, problem: isMisspelt ? undeclared : describeMissingInput(name, input) }
    }
    const problem = checkInput(name, input, args[name] as Plain, granted)
    if (problem) return { args, problem }
  }
  return { args, problem: undefined }
}

/** Copies the arguments only if a default is added. */
function addDefaults(inputs: Manifest['inputs'], args: PlainObject): PlainObject {
  const missing = Object.entries(inputs).flatMap(([name, { default: value }]) =>
    value === undefined || Object.hasOwn(args, name) ? [] : [[name, value] as const],
  )
  return missing.length === 0 ? args : { ...args, ...Object.fromEntries(missing) }
}

type CheckedManifest = Pick<Manifest, 'inputs'> & Partial<Pick<Manifest, 'runtime'>>

function describeMissingInput(name: string, input: SkillInput): InputProblem {
  const hint =
    input.type === 'blob'
      ? `Pass a file with --blob ${name}=<file>`
      : `Pass it with --arg ${name}=<${input.type}>`
  return { message: `The required argument "${name}" is missing`, hint }
}

// eslint-disable-next-line max-params -- one argument and all that it is checked against
function checkInput(
  name: string,
  input: SkillInput,
  value: Plain,
  granted: readonly string[],
): InputProblem | undefined {
  // An optional argument may be null.
  if (value === null && !input.required && input.type !== 'any') return undefined
  if (!hasType(value, input.type)) {
    return {
      message: `The argument "${name}" must be ${formatTypeName(input.type)}, got ${formatValue(value)}`,
      hint: 'Compare [inputs] in skill.toml',
    }
  }
  if (input.enum && !input.enum.some((each) => isSameJson(each, value))) {
    return {
      message: `The argument "${name}" must be one of ${input.enum.map(formatValue).join(', ')}, got ${formatValue(value)}`,
      hint: 'Compare [inputs] in skill.toml',
    }
  }
  if (input.type === 'blob' && !granted.includes(value as string)) {
    return {
      message: `The blob ${formatValue(value)} of the argument "${name}" is not an input of this run`,
      hint: 'Also list it in input_blobs',
    }
  }
  return undefined
}

function formatTypeName(type: SkillInput['type']): string {
  if (type === 'blob') return 'the id of a blob'
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`
}

function formatValue(value: Plain): string {
  const chunks: Buffer[] = []
  // The rest of a large value is not needed.
  for (const _ of writeJson(value, (bytes) => void chunks.push(bytes))) {
    if (chunks.length > 0) break
  }
  const text = chunks[0]?.toString('utf8') ?? ''
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}

function isSameJson(a: Plain, b: Plain): boolean {
  // A listed value is short, but an argument may be very long.
  const isScalar = typeof a !== 'object' && typeof b !== 'object'
  return isScalar ? a === b : JSON.stringify(a) === JSON.stringify(b)
}
