import { invalidParam, type SkillsError } from '../../errors.ts'
import { beginTurn, limitLoadedSkills } from './change-loads.ts'
import type { AgentLoads, LoadMode } from './session-state.ts'

/** What a caller says of an agent's loads with any call; all but the turn is kept once it was said. */
interface TurnParams {
  load_mode?: LoadMode | undefined
  max_loaded?: number | undefined
  /** Any name; one that is new begins a turn. */
  turn?: string | undefined
}

/** Characters of the name of a turn. */
const MAX_TURN_NAME = 256
/** Names of turns that ended, to tell a late call from a new turn. */
const MAX_ENDED_TURNS = 20

/** The mode by which loads go: for the turn, where nobody said another one. */
export function getLoadMode({ mode = 'turn' }: AgentLoads): LoadMode {
  return mode
}

/** What a change of these loads has to know of them. */
export function getLoadOptions(loads: AgentLoads): {
  maxLoaded: number | undefined
  isOnce: boolean
} {
  return { maxLoaded: loads.maxLoaded, isOnce: getLoadMode(loads) === 'once' }
}

/** The loads as a call finds them: those of an ended turn are gone, and the cap is kept. */
export function enterTurn(before: AgentLoads, params: TurnParams): AgentLoads {
  const { load_mode: mode = before.mode, max_loaded: maxLoaded = before.maxLoaded } = params
  const updated: AgentLoads = {
    ...before,
    ...(mode !== undefined && { mode }),
    ...(maxLoaded !== undefined && { maxLoaded }),
  }
  const loads = limitLoadedSkills(switchTurn(updated, params.turn), maxLoaded)
  // What changed nothing is the same object, which nobody has to store.
  return hasSameTurn(loads, before) ? before : loads
}

function switchTurn(loads: AgentLoads, turn: string | undefined): AgentLoads {
  if (turn === undefined || turn === loads.turn) return loads
  if (turn.trim() === '' || turn.length > MAX_TURN_NAME) {
    throw invalidTurnError(`expected 1 to ${MAX_TURN_NAME} characters, got ${turn.length}`)
  }
  const { turn: last, ended = [] } = loads
  if (ended.includes(turn)) throw turnEndedError(turn, last ?? '')
  return {
    ...beginTurn(loads, getLoadMode(loads)),
    turn,
    ...(last !== undefined && { ended: [...ended, last].slice(-MAX_ENDED_TURNS) }),
  }
}

function hasSameTurn(a: AgentLoads, b: AgentLoads): boolean {
  return (
    a.mode === b.mode && a.maxLoaded === b.maxLoaded && a.turn === b.turn && a.skills === b.skills
  )
}

function turnEndedError(turn: string, current: string): SkillsError {
  return invalidTurnError(`"${turn}" has ended, and "${current}" goes on`)
}

function invalidTurnError(reason: string): SkillsError {
  return invalidParam('turn', reason, 'Give each turn a name of its own')
}
