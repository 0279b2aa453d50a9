import type { ProfileName, ToolChoice } from '../../agent/profiles.ts'
import { getListOption, getTextOption, type CommandLine } from '../command.ts'

/** Reads --profile and --tool: tools are added to a profile, and without one they are all. */
export async function readToolChoice(call: CommandLine): Promise<ToolChoice> {
  const tools = getListOption(call, 'tool')
  const profile = getTextOption(call, 'profile')
  if (tools.length === 0) return (profile ?? 'protocol') as ProfileName
  if (profile === undefined) return tools
  const { resolveTools } = await import('../../agent/profiles.ts')
  const ofProfile = resolveTools(profile as ProfileName).map(({ name }) => name)
  return [...ofProfile, ...tools]
}
