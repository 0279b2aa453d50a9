import type { SkillInput } from '../../core/skills/manifest/manifest.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { listBlobIds } from './list-ids.ts'
import { findNamedSkill } from './list-skill-values.ts'
import type { Candidates, ArgumentRequest } from './select-matches.ts'

/**
 * Completes the last of several `name=value`: the names of the skill's inputs, then the values that
 * an input declares. A completion replaces the whole argument, so each value begins with its start.
 */
export async function completeInputs(
  caller: ToolCaller,
  { value, others }: ArgumentRequest,
): Promise<Candidates> {
  const { repository } = caller.runtime
  const entry = await findNamedSkill(repository, others['skill'])
  if (!entry) return { values: [] }
  const { inputs } = await repository.manifest(entry)
  const before = value.slice(0, value.lastIndexOf(' ') + 1)
  const [name = '', ...rest] = value.slice(before.length).split('=')
  const prepend = (values: readonly string[]) => values.map((each) => `${before}${each}`)
  if (rest.length === 0) {
    const used = new Set(before.split(' ').map((each) => each.split('=')[0]))
    const names = Object.keys(inputs).filter((each) => !used.has(each))
    return { values: prepend(names.map((each) => `${each}=`)) }
  }
  const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
  const { values, isPartial } = input ? await listInputValues(caller, input) : { values: [] }
  return {
    values: prepend(values.map((each) => `${name}=${each}`)),
    ...(isPartial && { isPartial }),
  }
}

async function listInputValues(caller: ToolCaller, input: SkillInput): Promise<Candidates> {
  if (input.enum) return { values: input.enum.map(formatInputValue) }
  if (input.type === 'boolean') return { values: ['true', 'false'] }
  if (input.type === 'blob') {
    const { values, ...rest } = await listBlobIds(caller)
    return { values: values.map((id) => `blob:${id}`), ...rest }
  }
  return { values: input.default === undefined ? [] : [formatInputValue(input.default)] }
}

function formatInputValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
