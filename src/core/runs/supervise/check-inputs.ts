import type { Manifest, Plain, PlainObject, SkillInput } from '../../skills/manifest/manifest.ts'
import { findUndeclaredInput } from '../../skills/manifest/find-undeclared-input.ts'
import { listNames } from '../../../util/slices/list-names.ts'
import type { Steps } from '../../../util/slices/run-in-slices.ts'
import { writeJson } from '../../../util/slices/write-json.ts'
import { hasType } from '../../skills/manifest/has-type.ts'

/** Members that are copied in one step. */
const NAMES_PER_YIELD = 1024

/** A problem with one argument. */
interface InputProblem {
  message: string
  hint: string
}

/** Arguments with defaults, and the first problem with them. */
interface CheckedInputs {
  args: PlainObject
  problem: InputProblem | undefined
}

/**
 * Adds defaults and validates arguments against the declared inputs. Undeclared arguments pass
 * through unless the skill excludes them.
 */
export function* checkInputs(
  { inputs, runtime }: CheckedManifest,
  passedArgs: PlainObject,
  granted: readonly string[],
): Steps<CheckedInputs> {
  const names = yield* listNames(passedArgs)
  const args = yield* addDefaults(inputs, passedArgs, names)
  const undeclared = findUndeclaredInput(inputs, args === passedArgs ? names : Object.keys(args))
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
function* addDefaults(
  inputs: Manifest['inputs'],
  args: PlainObject,
  names: readonly string[],
): Steps<PlainObject> {
  const missing = Object.entries(inputs).flatMap(([name, { default: value }]) =>
    value === undefined || Object.hasOwn(args, name) ? [] : [[name, value] as const],
  )
  if (missing.length === 0) return args
  if (names.length < NAMES_PER_YIELD) return { ...args, ...Object.fromEntries(missing) }
  // An object with many members takes long to copy at once. This one has no special members.
  const copy = Object.create(null) as { [name: string]: Plain }
  for (const [index, name] of names.entries()) {
    if (index % NAMES_PER_YIELD === 0) yield
    copy[name] = args[name] as Plain
  }
  for (const [name, value] of missing) copy[name] = value
  return copy
}

type CheckedManifest = Pick<Manifest, 'inputs'> & Partial<Pick<Manifest, 'runtime'>>

function describeMissingInput(name: string, input: SkillInput): InputProblem {
  const hint = input.type === 'blob' ? passFile(name) : `Pass it with --arg ${name}=<${input.type}>`
  return { message: `The required argument "${name}" is missing`, hint }
}

function passFile(name: string): string {
  return `Pass a file with --blob ${name}=<file>`
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
      hint: input.type === 'blob' ? passFile(name) : 'Compare [inputs] in skill.toml',
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
