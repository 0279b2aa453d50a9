import { formatTools, TOOL_FORMATS } from '../../agent/formats.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import { listOption, textOption, type Call, type CommandDefinition } from '../command.ts'

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
    { flags: '--tool <name>', description: 'Exactly this tool (repeatable)', many: true },
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
    const { toolsOf } = await import('../../agent/profiles.ts')
    const { defineTool } = await import('../../agent/tool-definition.ts')
    const format = textOption(call, 'format') ?? 'openai'
    const tools = toolsOf(await chosen(call)).map((method) => defineTool(method))
    const formatted = await formatTools(format, tools)
    if (context.global.json) {
      const profile = listOption(call, 'tool').length > 0 ? null : profileOf(call)
      context.document('skills.tools/v1', { format, profile, tools: formatted as object })
    } else {
      context.print(JSON.stringify(formatted, null, 2))
    }
    return 0
  },
}

async function chosen(call: Call) {
  const names = listOption(call, 'tool')
  if (names.length === 0) return profileOf(call) as never
  if (textOption(call, 'profile') === undefined) return names
  const { SkillsError } = await import('../../errors.ts')
  throw new SkillsError('usage/invalid', '--profile and --tool contradict each other', {
    hint: 'Leave one of them out',
  })
}

function profileOf(call: Call): string {
  return textOption(call, 'profile') ?? 'protocol'
}
