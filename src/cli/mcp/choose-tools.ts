import { FORMER_PROFILES } from '../../core/methods/define-method.ts'
import type { Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { CommandLine, OptionDefinition } from '../command.ts'
import { readToolChoice } from './read-tool-choice.ts'

/** Skills described to a model; the others are listed by name. */
const MAX_DESCRIBED_SKILLS = 100

/** Options of every command that serves MCP. */
export const TOOL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    description: 'Offer the tools of this profile (default: "protocol")',
    renamed: FORMER_PROFILES,
  },
  {
    flags: '--tool <name>',
    description:
      'Offer this tool too, or without --profile only the tools of this option (repeatable)',
    isRepeatable: true,
  },
]

/** The selected tools and the instructions for a model. */
export async function chooseTools(
  call: CommandLine,
): Promise<{ methods: readonly Method[]; instructions: (runtime: Runtime) => Promise<string> }> {
  const { resolveTools } = await import('../../agent/profiles.ts')
  const methods = resolveTools(await readToolChoice(call))
  const names = methods.map(({ name }) => name)
  return { methods, instructions: async (runtime) => await buildInstructions(runtime, names) }
}

/**
 * With the guide among the tools, points to it; otherwise explains the tools and lists the skills.
 */
async function buildInstructions(
  { repository, config }: Runtime,
  tools: readonly string[],
): Promise<string> {
  const { PROTOCOL_PROMPT } = await import('../../core/skill-context/prompt/protocol-prompt.ts')
  if (tools.includes('load_skills_protocol_guide')) return PROTOCOL_PROMPT
  // Programs run without skills.
  if (tools.every((name) => name.startsWith('runtime.'))) return ''
  const { renderGuidance } = await import('../../core/skill-context/prompt/guidance.ts')
  const { renderOverview } = await import('../../core/skill-context/prompt/overview.ts')
  const newest = new Map((await repository.list()).toReversed().map((each) => [each.name, each]))
  const skills = [...newest.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const overview = renderOverview(skills, { max: MAX_DESCRIBED_SKILLS })
  return [renderGuidance(tools, config.workspace), overview]
    .filter((each) => each !== '')
    .join('\n\n')
}
