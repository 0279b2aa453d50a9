import { formatTomlValue } from '../skills/scaffold/outline/toml-value.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { AdoptedInput, CommandInputs } from './to-inputs.ts'

interface AdoptedCase {
  name: string
  args: PlainObject
  /** Text of the error. */
  says: string
}

/**
 * Writes cases that pass without the packages and services of the scripts, which `skills adopt`
 * does not start. Undefined for a skill without inputs.
 */
export function createAdoptedTest(
  commands: readonly CommandInputs[],
  inputs: readonly AdoptedInput[],
): string | undefined {
  const cases = commands.length > 1 ? listCommandCases(commands) : listInputCases(inputs)
  if (cases.length === 0) return undefined
  return [
    '# Written by "skills adopt". Add cases with arguments and the results that you expect.',
    'suite = "adopted"',
    ...cases.flatMap(({ name, args, says }) => [
      '',
      '[[cases]]',
      `name = ${formatTomlValue(name)}`,
      `args = ${formatTomlValue(args)}`,
      `expect = [{ error = { message = { contains = ${formatTomlValue(says)} } } }]`,
    ]),
    '',
  ].join('\n')
}

/** An unknown command is refused, and so is each command that does not get what it needs. */
function listCommandCases(commands: readonly CommandInputs[]): AdoptedCase[] {
  const needing = commands.flatMap(({ command: { name, arguments: all } }) => {
    const missing = all.find(({ required }) => required)
    if (!missing) return []
    const says = `needs the input ${missing.input}`
    return [{ name: `${name} ${says}`, args: { command: name }, says }]
  })
  const unknown = { command: 'no such command' }
  return [{ name: 'refuses an unknown command', args: unknown, says: '"command"' }, ...needing]
}

/** A missing input is refused, or one of the wrong type. */
function listInputCases(inputs: readonly AdoptedInput[]): AdoptedCase[] {
  const missing = inputs.find(({ required }) => required)
  if (missing) {
    return [{ name: `needs the input ${missing.name}`, args: {}, says: `"${missing.name}"` }]
  }
  const [first] = inputs
  if (!first) return []
  const wrong = first.type === 'boolean' ? 'yes' : true
  const name = `refuses another type of ${first.name}`
  return [{ name, args: { [first.name]: wrong }, says: `"${first.name}"` }]
}
