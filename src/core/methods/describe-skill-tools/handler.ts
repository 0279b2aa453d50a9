import { renderOverview } from '../../skill-context/prompt/overview.ts'
import { readBody } from '../../skill-context/skill-texts.ts'
import type { Services } from '../../services.ts'
import { formatTools } from '../../tool-formats/format-tools.ts'
import { PROFILES } from '../profiles.ts'
import type { DescribeSkillToolsParams, DescribeSkillToolsResult } from './definition.ts'

/** `describe_skill_tools`: the parts of a request about one skill, in the form of a vendor. */
export async function describeSkillTools(
  { repository }: Pick<Services, 'repository'>,
  { name, version, format = 'openai' }: DescribeSkillToolsParams,
): Promise<DescribeSkillToolsResult> {
  const entry = await repository.resolve(name, version)
  // The table of methods loads this file, and these load zod.
  const { METHODS_BY_NAME } = await import('../index.ts')
  const { defineTool } = await import('../../tool-formats/tool-definition.ts')
  const methods = PROFILES.agent.flatMap((each) => METHODS_BY_NAME.get(each) ?? [])
  const tools = methods.map((method) => defineTool(method, { skills: [entry.name] }))
  const { text } = await readBody(repository, entry)
  const overview = renderOverview([{ name: entry.name, description: entry.description }])
  return { format, overview, body: text, tools: await formatTools(format, tools) }
}
