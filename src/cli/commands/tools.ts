import { formatTools, TOOL_FORMATS } from '../../agent/formats.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import {
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Print the definitions of tools for a model, as JSON',
  details:
    'Print the definitions of the tools for skills as a request to a model has them: JSON on standard output, ready to be passed on. A dot in a name becomes two underscores where a provider takes no dots.',
  options: [
    {
      flags: '--format <format>',
      description: 'Whose requests they are for',
      choices: TOOL_FORMATS,
      default: 'openai',
    },
    {
      flags: '--profile <profile>',
      description: 'Which tools (protocol unless given)',
      choices: Object.keys(PROFILES),
    },
    { flags: '--tool <name>', description: 'Exactly this tool (repeatable)', isRepeatable: true },
  ],
  examples: [
    {
      command: 'skills tools --format anthropic',
      explains: 'The tools of the Skills Protocol for the Messages API',
    },
    {
      command: 'skills tools --format openai --profile knowledge_only',
      explains: 'Tools that only read, for the Responses API',
    },
    {
      command: 'skills tools --format gemini --tool skill_load --tool skill_list_docs',
      explains: 'Exactly two tools, for Gemini',
    },
  ],
  async run(context, call) {
    const { resolveTools } = await import('../../agent/profiles.ts')
    const { defineTool } = await import('../../agent/tool-definition.ts')
    const format = getTextOption(call, 'format') ?? 'openai'
    const tools = resolveTools(await selectTools(call)).map((method) => defineTool(method))
    const formatted = await formatTools(format, tools)
    if (context.global.json) {
      const profile = getListOption(call, 'tool').length > 0 ? null : readProfile(call)
      context.document('skills.tools/v1', { format, profile, tools: formatted as object })
    } else {
      context.print(JSON.stringify(formatted, null, 2))
    }
    return 0
  },
}

async function selectTools(call: CommandLine) {
  const names = getListOption(call, 'tool')
  if (names.length === 0) return readProfile(call) as never
  if (getTextOption(call, 'profile') === undefined) return names
  const { SkillsError } = await import('../../errors.ts')
  throw new SkillsError('usage/invalid', '--profile and --tool contradict each other', {
    hint: 'Leave one of them out',
  })
}

function readProfile(call: CommandLine): string {
  return getTextOption(call, 'profile') ?? 'protocol'
}
