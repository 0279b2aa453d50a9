import {
  FORMER_PROFILES,
  PROFILE_NAMES,
  type ProfileName,
} from '../../core/methods/define-method.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { TOOL_FORMATS } from '../../core/tool-formats/tool-format-names.ts'
import { SkillsError } from '../../errors.ts'
import {
  getListOption,
  getTextOption,
  toFlag,
  type CommandDefinition,
  type CommandLine,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { describeRepositoryProblem } from '../ui/describe-problem.ts'

const PROMPT_PARTS = ['system', 'overview', 'guidance', 'available-skills']

export const command: CommandDefinition = {
  summary: 'Print a system prompt or tool definitions for a model',
  details: [
    'Print a system prompt for the available skills, or tool definitions.',
    '',
    'It begins with the system prompt that the Skills Protocol recommends, if',
    'the profile has load_skills_protocol_guide. Rules for the tools of the',
    'profile follow, and the list of skills as <available_skills>. --part prints',
    'one part for another prompt.',
    '',
    'With --tools, the tools of the profile are printed as JSON, ready to use in a',
    'request. A dot in a name becomes two underscores for providers that reject',
    'dots.',
  ].join('\n'),
  options: [
    {
      flags: '--part <part>',
      description:
        'Select the part: all (default: system), the list, the rules, or <available_skills>',
      choices: PROMPT_PARTS,
    },
    {
      flags: '--profile <profile>',
      description: 'Select the profile of tools that the model has (default: protocol)',
      choices: PROFILE_NAMES,
      renamed: FORMER_PROFILES,
    },
    {
      flags: '--max <count>',
      description: 'Describe at most this many skills; list only the names of the others',
    },
    {
      flags: '--locations',
      description: 'Include the path of each SKILL.md, for models that read files',
    },
    {
      flags: '--tools <format>',
      description: 'Print tool definitions in this format instead',
      choices: TOOL_FORMATS,
    },
    {
      flags: '--tool <name>',
      description:
        'With --tools, add this tool, or without --profile select only the tools of this option (repeatable)',
      isRepeatable: true,
    },
  ],
  examples: [
    { command: 'skills prompt', explains: 'Print the whole system prompt' },
    {
      command: 'skills prompt --part overview --max 20',
      explains: 'Print the list as plain lines',
    },
    {
      command: 'skills prompt --part available-skills --locations',
      explains: 'Print paths for a client that reads files',
    },
    {
      command: 'skills prompt --profile knowledge --json',
      explains: 'Print all parts as JSON',
    },
    {
      command: 'skills prompt --tools anthropic',
      explains: 'Print the protocol tools for the Messages API',
    },
    {
      command: 'skills prompt --tools gemini --tool skill_load --tool skill_list_docs',
      explains: 'Print two tools for Gemini',
    },
  ],
  async run(context, call) {
    const format = getTextOption(call, 'tools')
    if (format !== undefined) return await printTools(context, call, format)
    checkPartOptions(context.global.json, call)
    const { repository } = await openRuntime(context)
    const pieces = await composePrompt(await repository.list(), call)
    const problems = await repository.problems()
    if (context.global.json) {
      const { availableSkills, ...rest } = pieces
      const document = { ...rest, available_skills: availableSkills, problems }
      context.document('skills.prompt/v1', document)
      return 0
    }
    const part = getTextOption(call, 'part') ?? 'system'
    context.print(
      {
        system: pieces.system,
        overview: pieces.overview,
        guidance: pieces.guidance,
        'available-skills': pieces.availableSkills,
      }[part] ?? '',
    )
    for (const problem of problems) context.note(describeRepositoryProblem(problem, context))
    if (pieces.skills === 0) context.note('No skills found here; type "skills new" to create one')
    return 0
  },
}

// eslint-disable-next-line max-params -- the context, the line and its format
async function printTools(context: Context, call: CommandLine, format: string): Promise<number> {
  const other = ['part', 'max', 'locations'].find((name) => call.options[name] !== undefined)
  if (other !== undefined) throw noEffectError(toFlag(other), '--tools', 'omit --tools')
  const { resolveTools } = await import('../../agent/profiles.ts')
  const { formatTools } = await import('../../core/tool-formats/format-tools.ts')
  const { defineTool } = await import('../../core/tool-formats/tool-definition.ts')
  const { readToolChoice } = await import('../mcp/read-tool-choice.ts')
  const methods = resolveTools(await readToolChoice(call))
  const offered = new Set(methods.map(({ name }) => name))
  const tools = await formatTools(
    format,
    methods.map((method) => defineTool(method, { offered })),
  )
  if (context.global.json) {
    const isList = getListOption(call, 'tool').length > 0
    const profile = getTextOption(call, 'profile') ?? (isList ? null : 'protocol')
    context.document('skills.tools/v1', { format, profile, tools: tools as object })
  } else context.print(JSON.stringify(tools, null, 2))
  return 0
}

function noEffectError(flag: string, other: string, remedy: string): SkillsError {
  return new SkillsError('usage/invalid', `${flag} has no effect on ${other}`, {
    hint: `Remove ${flag}, or ${remedy}`,
  })
}

/** Rejects options that do not apply to the selected part. */
function checkPartOptions(isWhole: boolean | undefined, call: CommandLine): void {
  if (getListOption(call, 'tool').length > 0) {
    throw noEffectError('--tool', 'a system prompt', 'add --tools <format>')
  }
  const part = getTextOption(call, 'part') ?? 'system'
  if (isWhole || part === 'system' || part === 'available-skills') return
  const usedFlags = {
    '--locations': call.options['locations'] === true,
    '--max': part === 'guidance' && getTextOption(call, 'max') !== undefined,
  }
  const [flag] = Object.entries(usedFlags).find(([, isGiven]) => isGiven) ?? []
  if (flag === undefined) return
  throw noEffectError(flag, `--part ${part}`, 'use --part available-skills')
}

async function composePrompt(entries: readonly SkillEntry[], call: CommandLine) {
  const { renderAvailableSkills, renderOverview } =
    await import('../../core/skill-context/prompt/overview.ts')
  const { renderGuidance } = await import('../../core/skill-context/prompt/guidance.ts')
  const { summariseSkills } = await import('../../core/skill-context/prompt/summarise-skills.ts')
  const { removeGuide } = await import('../../core/skills/repository/remove-guide.ts')
  const { readCountOption } = await import('../store/count-option.ts')
  const profile = (getTextOption(call, 'profile') ?? 'protocol') as ProfileName
  const max = readCountOption(call, 'max', Infinity)
  const names = PROFILES[profile]
  const skills = removeGuide(summariseSkills(entries))
  // Entries are ordered newest first, and a map keeps the last value of a key.
  const dirs = new Map(entries.toReversed().map((entry) => [entry.name, entry.dir]))
  const shown = skills.slice(0, max).map((skill) => ({
    ...skill,
    location: call.options['locations'] === true ? `${dirs.get(skill.name)}/SKILL.md` : undefined,
  }))
  const guidance = renderGuidance(names)
  const overview = renderOverview(skills, { max })
  const availableSkills = renderAvailableSkills(shown)
  const rest = skills.slice(shown.length).map((skill) => skill.name)
  const tail =
    rest.length === 0 ? [] : [`Additional skills (known by name only): ${rest.join(', ')}`]
  const system = [guidance, ['Available skills:', availableSkills, ...tail].join('\n')].join('\n\n')
  return { profile, skills: skills.length, system, guidance, overview, availableSkills }
}
