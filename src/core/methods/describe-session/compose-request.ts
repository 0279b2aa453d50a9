import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { openLoadedTexts } from '../../skill-context/open-loaded-texts.ts'
import { placeParts } from '../../skill-context/place-parts.ts'
import type { CommandRules } from '../../skill-context/prompt/command-rules.ts'
import { summariseSkills } from '../../skill-context/prompt/summarise-skills.ts'
import { removeGuide } from '../../skills/repository/remove-guide.ts'
import type { AgentLoads } from '../../skill-context/session-state.ts'
import { formatTools } from '../../tool-formats/format-tools.ts'
import type { ToolFormat } from '../../tool-formats/tool-format-names.ts'
import type { ProfileName } from '../define-method.ts'
import { PROFILES } from '../profiles.ts'
import { renderOpening } from '../skill-context/handler.ts'
import type { DescribeSessionResult } from './definition.ts'

const ENCODING = 'o200k'
const TIMEOUT_MS = 20_000
/** Characters of all texts of one answer. */
const MAX_CHARS = 2 * 1024 ** 2

interface ComposeOptions {
  loads: AgentLoads
  profile: ProfileName
  format: ToolFormat
  /** True for a session of the library, whose requests name the operator's rules for commands. */
  isLibrary: boolean
  call: Pick<RunCall, 'signal' | 'caller'>
}

type ComposedSession = Pick<DescribeSessionResult, 'parts' | 'request'>

/** Composes the next request of a session, and counts the tokens of its parts. */
export async function composeSessionRequest(
  services: Pick<Services, 'repository' | 'config' | 'offloader'>,
  { loads, profile, format, isLibrary, call: { signal, caller } }: ComposeOptions,
): Promise<ComposedSession> {
  const { repository, config, offloader } = services
  const rules = isLibrary ? config.workspace : undefined
  const texts = await openLoadedTexts(loads, repository)
  const placed = placeParts(loads, {
    placement: 'tool-results',
    results: new Set(loads.parts.flatMap(({ call }) => call ?? [])),
    render: (part) => texts.render(part),
  })
  const [overview = '', guidance = ''] = await renderOpening(services, { profile }, rules)
  const named = [
    { part: 'overview', text: overview },
    { part: 'guidance', text: guidance },
    { part: 'loaded', text: placed.system },
  ] as const
  const system = named.filter(({ text }) => text !== '')
  const results = [...placed.results].map(([call, text]) => ({ call, text }))
  const tools = await formatTools(format, await listTools(services, profile, rules))
  const rendered = loads.parts.map((part) => texts.render(part))
  const measured = [...system, ...results].map(({ text }) => text)
  const counts = await (
    await offloader()
  ).perform(
    'count',
    { texts: [...measured, JSON.stringify(tools), ...rendered], encoding: ENCODING },
    { timeoutMs: TIMEOUT_MS, signal, principal: caller?.principal },
  )
  const shorten = createTextBudget()
  const shown = [...system, ...results].map(({ text }, at) => ({
    ...shorten(text),
    tokens: counts[at] ?? 0,
  }))
  const toolsTokens = counts[measured.length] ?? 0
  return {
    parts: loads.parts.map(({ skill, doc, call }, at) => ({
      skill,
      doc,
      call,
      tokens: counts[measured.length + 1 + at] ?? 0,
    })),
    request: {
      profile,
      format,
      encoding: `${ENCODING}_base`,
      system: system.map(({ part }, at) => ({ part, ...(shown[at] as ShownText) })),
      results: results.map(({ call }, at) => ({
        call,
        ...(shown[system.length + at] as ShownText),
      })),
      tools,
      tools_tokens: toolsTokens,
      tokens: shown.reduce((sum, each) => sum + each.tokens, toolsTokens),
    },
  }
}

type ShownText = Omit<DescribeSessionResult['request']['results'][number], 'call'>

async function listTools(
  { repository }: Pick<Services, 'repository'>,
  profile: ProfileName,
  rules: CommandRules | undefined,
) {
  const names = PROFILES[profile]
  const skills = removeGuide(summariseSkills(await repository.list()))
  // The table of methods loads this file, and these load zod.
  const { METHODS_BY_NAME } = await import('../index.ts')
  const { defineTool } = await import('../../tool-formats/tool-definition.ts')
  const methods = names.flatMap((each) => METHODS_BY_NAME.get(each) ?? [])
  const known = { skills: skills.map(({ name }) => name), rules, offered: new Set<string>(names) }
  return methods.map((method) => defineTool(method, known))
}

/** Returns a function that cuts texts once all of them together are too large for one answer. */
function createTextBudget(): (text: string) => { text: string; cut_chars: number } {
  let left = MAX_CHARS
  return (text) => {
    const shown = text.slice(0, left)
    left -= shown.length
    return { text: shown, cut_chars: text.length - shown.length }
  }
}
