import { placeParts } from '../core/skill-context/place-parts.ts'
import type { AgentLoads, LoadedPart } from '../core/skill-context/session-state.ts'
import { joinText } from '../util/join-text.ts'
import type { CommandRules } from '../core/skill-context/prompt/command-rules.ts'
import { renderGuidance } from '../core/skill-context/prompt/guidance.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import { renderOverview } from '../core/skill-context/prompt/overview.ts'
import type { FileNotes } from './files/file-notes.ts'
import type { SessionFile } from './files/session-file.ts'
import { Recommender } from './recommend.ts'
import type { AgentSessionOptions } from './session-options.ts'

/** The facts about a conversation that an adapter passes to the session. */
export interface Conversation {
  /** Number of messages. */
  length: number
  /** Ids of the tool calls whose results the conversation contains. */
  results: ReadonlySet<string>
  /** Text of user messages, by message index. */
  userTexts?: ReadonlyMap<number, string>
  /** Documents and images of user messages, by message index. */
  userFiles?: ReadonlyMap<number, readonly SessionFile[]>
}

/** Texts that a request contains in addition to the conversation. */
export interface Composed extends ComposedTexts {
  /** The texts of the previous request, which these replace if a program passes it back. */
  earlier: ComposedTexts
}

export interface ComposedTexts {
  /** Appended to the system message; may be empty. */
  system: string
  /** Appended to tool results, by call id. */
  results: ReadonlyMap<string, string>
  /** Appended to user messages, by message index. */
  hints: ReadonlyMap<number, string>
}

/** Texts before the first request. */
export const NO_TEXTS: ComposedTexts = { system: '', results: new Map(), hints: new Map() }

interface ComposeInput {
  notes: FileNotes
  loads: AgentLoads
  skills: readonly SkillSummary[]
  tools: readonly string[]
  render: (part: LoadedPart) => string
  options: AgentSessionOptions
  /** The operator's rules for commands, if they are known. */
  rules?: CommandRules | undefined
}

/** Builds the additional texts: overview, guidance, and every loaded text at its position. */
export function composeRequest(conversation: Conversation, input: ComposeInput): ComposedTexts {
  const { loads, options } = input
  const placed = placeParts(loads, {
    placement: options.placement ?? 'tool-results',
    results: conversation.results,
    render: input.render,
  })
  const { overview, guidance = true } = options
  const blocks = [
    overview === false ? '' : getOverview(input.skills, overview),
    input.skills.length === 0 && overview !== false
      ? ''
      : resolveGuidance(guidance, input.tools, input.rules),
    input.notes.system,
    placed.system,
  ]
  const hints = options.recommend
    ? recommendSkills(conversation, input.skills)
    : new Map<number, string>()
  for (const [at, note] of input.notes.messages) hints.set(at, joinText(note, hints.get(at)))
  return { system: joinText(...blocks), results: placed.results, hints }
}

/** Cached by skill list, because every request of a conversation contains the same overview. */
const OVERVIEW_CACHE = new WeakMap<readonly SkillSummary[], Map<number | undefined, string>>()

function getOverview(
  skills: readonly SkillSummary[],
  options: Exclude<AgentSessionOptions['overview'], false>,
): string {
  if (options?.render) return renderOverview(skills, options)
  const cached = OVERVIEW_CACHE.get(skills) ?? new Map<number | undefined, string>()
  OVERVIEW_CACHE.set(skills, cached)
  const text = cached.get(options?.max) ?? renderOverview(skills, options)
  cached.set(options?.max, text)
  return text
}

const RECOMMENDER_CACHE = new WeakMap<readonly SkillSummary[], Recommender>()

function recommendSkills(
  { userTexts: texts = new Map() }: Conversation,
  skills: readonly SkillSummary[],
): Map<number, string> {
  const recommender = RECOMMENDER_CACHE.get(skills) ?? new Recommender(skills)
  RECOMMENDER_CACHE.set(skills, recommender)
  const hints = new Map<number, string>()
  for (const [index, text] of texts) {
    const line = recommender.recommend(text)
    if (line !== undefined) hints.set(index, line)
  }
  return hints
}

function resolveGuidance(
  guidance: boolean | string,
  tools: readonly string[],
  rules: CommandRules | undefined,
): string {
  if (typeof guidance === 'string') return guidance.trim()
  return guidance ? renderGuidance(tools, rules) : ''
}
