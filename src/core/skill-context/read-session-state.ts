import { SkillsError } from '../../errors.ts'
import { parseSealedJson } from '../../util/sealed-json.ts'
import {
  LOAD_MODES,
  type AgentLoads,
  type LoadedPart,
  type LoadMode,
  type SessionOwner,
  type SessionState,
  type SkillLoad,
  type StagedFileState,
} from './session-state.ts'

type StateFields = Readonly<Record<string, unknown>>

/** Validates a stored state; an invalid one is an error, never treated as empty. */
export function readSessionState(value: unknown): SessionState {
  const state = readObject(value, 'state')
  if (state['version'] !== 1) {
    throw invalidStateError(`expected version 1, got ${JSON.stringify(state['version'])}`)
  }
  const { id, files, owner } = state
  return {
    version: 1,
    agents: readList(state['agents'], 'agents').map(readAgent),
    ...(id !== undefined && { id: readString(id, 'id') }),
    ...(files !== undefined && { files: readList(files, 'files').map(readFile) }),
    ...(owner !== undefined && { owner: readOwner(owner) }),
  }
}

function readOwner(value: unknown): SessionOwner {
  const { session, caller, principal, door } = readObject(value, 'owner')
  return {
    session: readString(session, 'session'),
    ...(caller !== undefined && { caller: readString(caller, 'caller') }),
    ...(principal !== undefined && { principal: readString(principal, 'principal') }),
    ...(door !== undefined && { door: readString(door, 'door') }),
  }
}

/** Parses and validates a stored state. */
export function parseSessionState(json: string): SessionState {
  let value: unknown
  try {
    value = parseSealedJson(json)
  } catch {
    throw invalidStateError('it is not valid JSON, or was damaged')
  }
  return readSessionState(value)
}

function readAgent(value: unknown): AgentLoads {
  const agent = readObject(value, 'agents')
  return {
    agent: readString(agent['agent'], 'agent'),
    skills: readList(agent['skills'], 'skills').map(readSkill),
    parts: readList(agent['parts'], 'parts').map(readPart),
    fresh: readList(agent['fresh'], 'fresh').map((each) => readString(each, 'fresh')),
    ...readTurns(agent),
  }
}

function readFile(value: unknown): StagedFileState {
  const file = readObject(value, 'files')
  const { name, originalName, sizeBytes } = file
  if (!Number.isInteger(sizeBytes)) throw invalidStateError('"sizeBytes" is not a whole number')
  return {
    key: readString(file['key'], 'key'),
    id: readString(file['id'], 'id'),
    path: readString(file['path'], 'path'),
    mimeType: readString(file['mimeType'], 'mimeType'),
    sizeBytes: Number(sizeBytes),
    ...(name !== undefined && { name: readString(name, 'name') }),
    ...(originalName !== undefined && { originalName: readString(originalName, 'originalName') }),
  }
}

/** Fields that only remote callers set; all are optional. */
function readTurns(agent: StateFields): Partial<AgentLoads> {
  const { mode, maxLoaded, turn, ended, declared } = agent
  return {
    ...(mode !== undefined && { mode: readMode(mode) }),
    ...(maxLoaded !== undefined && { maxLoaded: readCount(maxLoaded) }),
    ...(turn !== undefined && { turn: readString(turn, 'turn') }),
    ...(ended !== undefined && {
      ended: readList(ended, 'ended').map((each) => readString(each, 'ended')),
    }),
    ...(declared !== undefined && { declared: readString(declared, 'declared') }),
  }
}

function readMode(value: unknown): LoadMode {
  const mode = LOAD_MODES.find((each) => each === value)
  if (mode) return mode
  throw invalidStateError(`"mode" is not one of ${LOAD_MODES.join(', ')}`)
}

function readCount(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 0) return Number(value)
  throw invalidStateError('"maxLoaded" is not a whole number')
}

function readSkill(value: unknown): SkillLoad {
  const skill = readObject(value, 'skills')
  const docs = skill['docs']
  return {
    name: readString(skill['name'], 'name'),
    loaded: skill['loaded'] === true,
    read: skill['read'] === true,
    docs: docs === '*' ? '*' : readList(docs, 'docs').map((each) => readString(each, 'docs')),
  }
}

function readPart(value: unknown): LoadedPart {
  const part = readObject(value, 'parts')
  const shownAt = part['shownAt']
  return {
    skill: readString(part['skill'], 'skill'),
    doc: part['doc'] === null ? null : readString(part['doc'], 'doc'),
    digest: readString(part['digest'], 'digest'),
    call: part['call'] === null ? null : readString(part['call'], 'call'),
    ...(typeof shownAt === 'number' && { shownAt }),
  }
}

function readObject(value: unknown, field: string): StateFields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as StateFields
  throw invalidStateError(`"${field}" is not an object`)
}

function readList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidStateError(`"${field}" is not a list`)
}

function readString(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw invalidStateError(`"${field}" is not a string`)
}

function invalidStateError(reason: string): SkillsError {
  return new SkillsError('params/invalid', `Cannot read the state of a session: ${reason}`, {
    hint: 'Pass a state that an agent session returned, or omit it to start with an empty one',
  })
}
