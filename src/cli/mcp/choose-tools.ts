import type { ProfileName } from '../../agent/profiles.ts'
import type { Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import {
  getListOption,
  getTextOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'

/** Skills described to a model; the others are listed by name. */
const MAX_DESCRIBED_SKILLS = 100

/** Options of every command that serves MCP. */
export const TOOL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    description: 'Offer the tools of this profile (default: "protocol")',
  },
  {
    flags: '--tool <name>',
    description: 'Offer this tool; repeat for an exact list',
    isRepeatable: true,
  },
]

/** The selected tools and the instructions for a model. */
export async function chooseTools(
  call: CommandLine,
): Promise<{ methods: readonly Method[]; instructions: (runtime: Runtime) => Promise<string> }> {
  const { resolveTools } = await import('../../agent/profiles.ts')
  const profile = getTextOption(call, 'profile')
  const tools = getListOption(call, 'tool')
  if (profile !== undefined && tools.length > 0) {
    throw new SkillsError('usage/invalid', '--profile and --tool cannot be combined', {
      hint: 'Remove one of them',
    })
  }
  const methods = resolveTools(tools.length > 0 ? tools : ((profile ?? 'protocol') as ProfileName))
  const names = methods.map(({ name }) => name)
  return { methods, instructions: async (runtime) => await buildInstructions(runtime, names) }
}

/**
 * With the guide among the tools, points to it; otherwise explains the tools and lists the skills.
 */
async function buildInstructions(
  { repository }: Runtime,
  tools: readonly string[],
): Promise<string> {
  const { PROTOCOL_PROMPT } = await import('../../core/skill-context/prompt/protocol-prompt.ts')
  if (tools.includes('load_skills_protocol_guide')) return PROTOCOL_PROMPT
  const { renderGuidance } = await import('../../core/skill-context/prompt/guidance.ts')
  const { renderOverview } = await import('../../core/skill-context/prompt/overview.ts')
  const newest = new Map((await repository.list()).toReversed().map((each) => [each.name, each]))
  const skills = [...newest.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const overview = renderOverview(skills, { max: MAX_DESCRIBED_SKILLS })
  return [renderGuidance(tools), overview].filter((each) => each !== '').join('\n\n')
}
