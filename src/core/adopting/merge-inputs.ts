import type { AdoptedInput } from './to-inputs.ts'
import { cleanText } from './script-interface.ts'

/** A command whose arguments name its inputs. */
export interface MergeableCommand {
  command: { name: string; arguments: readonly { input: string }[] }
  summary: string
  place: string
  inputs: readonly AdoptedInput[]
}

interface MergedInputs<T> {
  commands: T[]
  inputs: AdoptedInput[]
}

/** Limit on inputs of a skill: a model reads them all. */
const MAX_INPUTS = 150

/**
 * The inputs of a skill with several commands: `command` selects one, and an input of the same name
 * and type is shared. Which inputs a command needs is checked by the adapter.
 */
export function mergeInputs<T extends MergeableCommand>(commands: readonly T[]): MergedInputs<T> {
  const [first] = commands
  if (!first) return { commands: [], inputs: [] }
  if (commands.length === 1) return { commands: [first], inputs: [...first.inputs] }
  const merged = new Map<string, { input: AdoptedInput; users: string[] }>()
  const renamed = commands.map((each) => renameInputs(each, merged))
  const shared = [...merged.values()].map(({ input, users }): AdoptedInput => {
    const { default: value, enum: choices, ...rest } = input
    const text =
      value === undefined
        ? input.description
        : `${input.description} (default: ${JSON.stringify(value)})`
    const description = cleanText(`${users.join(', ')}: ${text}`, 400)
    // Two commands may allow different values.
    const keepsChoices = choices !== undefined && users.length === 1
    return { ...rest, description, required: false, ...(keepsChoices && { enum: choices }) }
  })
  return { commands: renamed, inputs: [createSelector(commands), ...shared] }
}

function renameInputs<T extends MergeableCommand>(
  each: T,
  merged: Map<string, { input: AdoptedInput; users: string[] }>,
): T {
  const { name } = each.command
  const names = new Map<string, string>()
  for (const input of each.inputs) {
    const prefix = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[^a-z]+|_+$/g, '')
    const other = merged.get(input.name)
    const fits = other === undefined || other.input.type === input.type
    const own = fits ? input.name : `${prefix}_${input.name}`.slice(0, 64)
    const found = merged.get(own)
    if (found && found.input.type !== input.type) continue
    if (!found && merged.size >= MAX_INPUTS) continue
    if (found) found.users.push(name)
    else merged.set(own, { input: { ...input, name: own }, users: [name] })
    names.set(input.name, own)
  }
  const words = each.command.arguments.flatMap((argument) => {
    const own = names.get(argument.input)
    return own === undefined ? [] : [{ ...argument, input: own }]
  })
  return { ...each, command: { ...each.command, arguments: words } }
}

function createSelector(commands: readonly MergeableCommand[]): AdoptedInput {
  const lines = commands.map(({ command, summary }) =>
    summary === '' ? command.name : `${command.name} (${cleanText(summary, 80)})`,
  )
  return {
    name: 'command',
    type: 'string',
    description: cleanText(`The command to run: ${lines.join('; ')}`, 1000),
    required: true,
    enum: commands.map(({ command }) => command.name),
    place: commands[0]?.place ?? '',
    certainty: 'certain',
  }
}
