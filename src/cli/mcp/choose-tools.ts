import type { ProfileName } from '../../agent/profiles.ts'
import { listOption, textOption, type Call, type OptionDefinition } from '../command.ts'

/** Which tools are offered; whatever serves MCP takes these. */
export const TOOL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    description: 'Offer the tools of this profile (default: "protocol")',
  },
  { flags: '--tool <name>', description: 'Offer exactly these tools (repeatable)', many: true },
]

/** The tools that were asked for. */
export async function chooseTools(call: Call) {
  const { toolsOf } = await import('../../agent/profiles.ts')
  const profile = textOption(call, 'profile')
  const tools = listOption(call, 'tool')
  if (tools.length === 0) return toolsOf((profile ?? 'protocol') as ProfileName)
  if (profile === undefined) return toolsOf(tools)
  const { SkillsError } = await import('../../errors.ts')
  throw new SkillsError('usage/invalid', 'There is a --profile, and a --tool as well', {
    hint: 'Leave out one of the two',
  })
}
