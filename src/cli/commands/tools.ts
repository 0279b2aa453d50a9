import { formatTools, TOOL_FORMATS } from '../../core/tool-formats/format-tools.ts'
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
    {
      flags: '--tool <name>',
      description:
        'Add this tool, or without --profile select only the tools of this option (repeatable)',
      isRepeatable: true,
    },
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
    const { defineTool } = await import('../../core/tool-formats/tool-definition.ts')
    const format = getTextOption(call, 'format') ?? 'openai'
    const { readToolChoice } = await import('../mcp/read-tool-choice.ts')
    const methods = resolveTools(await readToolChoice(call))
    const tools = methods.map((method) => defineTool(method))
    const formatted = await formatTools(format, tools)
    if (context.global.json) {
      const profile = readProfile(call)
      context.document('skills.tools/v1', { format, profile, tools: formatted as object })
    } else {
      context.print(JSON.stringify(formatted, null, 2))
    }
    return 0
  },
}

/** The profile that the tools come from; null for an exact list. */
function readProfile(call: CommandLine): string | null {
  const isList = getListOption(call, 'tool').length > 0
  return getTextOption(call, 'profile') ?? (isList ? null : 'protocol')
}
