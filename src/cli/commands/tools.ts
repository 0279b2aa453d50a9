import { formatTools, TOOL_FORMATS } from '../../agent/formats.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import {
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Print tool definitions for a model as JSON',
  details: [
    'Print tool definitions for a model as JSON.',
    '',
    'The output is ready to use in a request. A dot in a name becomes two',
    'underscores for providers that reject dots.',
  ].join('\n'),
  options: [
    {
      flags: '--format <format>',
      description: 'Select the provider format',
      choices: TOOL_FORMATS,
      default: 'openai',
    },
    {
      flags: '--profile <profile>',
      description: 'Select the profile of tools (default: protocol)',
      choices: Object.keys(PROFILES),
    },
    { flags: '--tool <name>', description: 'Select this tool (repeatable)', isRepeatable: true },
  ],
  examples: [
    {
      command: 'skills tools --format anthropic',
      explains: 'Print the protocol tools for the Messages API',
    },
    {
      command: 'skills tools --format openai --profile knowledge_only',
      explains: 'Print the read-only tools for the Responses API',
    },
    {
      command: 'skills tools --format gemini --tool skill_load --tool skill_list_docs',
      explains: 'Print two tools for Gemini',
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
  throw new SkillsError('usage/invalid', '--profile and --tool cannot be combined', {
    hint: 'Remove one of them',
  })
}

function readProfile(call: CommandLine): string {
  return getTextOption(call, 'profile') ?? 'protocol'
}
