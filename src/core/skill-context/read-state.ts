import { SkillsError } from '../../errors.ts'
import {
  LOAD_MODES,
  type AgentLoads,
  type LoadedPart,
  type LoadMode,
  type SessionState,
  type SkillLoad,
} from './session-state.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads a state that was stored as JSON; what is not one is refused, never taken for empty. */
export function readState(value: unknown): SessionState {
  const state = fields(value, 'state')
  if (state['version'] !== 1) {
    throw broken(`expected version 1, got ${JSON.stringify(state['version'])}`)
  }
  return { version: 1, agents: list(state['agents'], 'agents').map(readAgent) }
}

/** The same of the text that was stored. */
export function parseState(json: string): SessionState {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw broken('it is no JSON')
  }
  return readState(value)
}

function readAgent(value: unknown): AgentLoads {
  const agent = fields(value, 'agents')
  return {
    agent: text(agent['agent'], 'agent'),
    skills: list(agent['skills'], 'skills').map(readSkill),
    parts: list(agent['parts'], 'parts').map(readPart),
    fresh: list(agent['fresh'], 'fresh').map((each) => text(each, 'fresh')),
    ...readTurns(agent),
  }
}

/** What only callers over the wire say; all of it may be absent. */
function readTurns(agent: Fields): Partial<AgentLoads> {
  const { mode, maxLoaded, turn, ended, declared } = agent
  return {
    ...(mode !== undefined && { mode: readMode(mode) }),
    ...(maxLoaded !== undefined && { maxLoaded: readCount(maxLoaded) }),
    ...(turn !== undefined && { turn: text(turn, 'turn') }),
    ...(ended !== undefined && { ended: list(ended, 'ended').map((each) => text(each, 'ended')) }),
    ...(declared !== undefined && { declared: text(declared, 'declared') }),
  }
}

function readMode(value: unknown): LoadMode {
  const mode = LOAD_MODES.find((each) => each === value)
  if (mode) return mode
  throw broken(`"mode" is none of ${LOAD_MODES.join(', ')}`)
}

function readCount(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 0) return Number(value)
  throw broken('"maxLoaded" is no whole number')
}

function readSkill(value: unknown): SkillLoad {
  const skill = fields(value, 'skills')
  const docs = skill['docs']
  return {
    name: text(skill['name'], 'name'),
    loaded: skill['loaded'] === true,
    read: skill['read'] === true,
    docs: docs === '*' ? '*' : list(docs, 'docs').map((each) => text(each, 'docs')),
  }
}

function readPart(value: unknown): LoadedPart {
  const part = fields(value, 'parts')
  const shownAt = part['shownAt']
  return {
    skill: text(part['skill'], 'skill'),
    doc: part['doc'] === null ? null : text(part['doc'], 'doc'),
    digest: text(part['digest'], 'digest'),
    call: part['call'] === null ? null : text(part['call'], 'call'),
    ...(typeof shownAt === 'number' && { shownAt }),
  }
}

function fields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw broken(`"${what}" is no object`)
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw broken(`"${what}" is no list`)
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw broken(`"${what}" is no text`)
}

function broken(reason: string): SkillsError {
  return new SkillsError('params/invalid', `Cannot read the state of a session: ${reason}`, {
    hint: 'Pass what an agent session gave as its state, or leave it out to begin anew',
  })
}
