import { invalidParamError, type SkillsError } from '../../errors.ts'
import { beginTurn, limitLoadedSkills } from './change-loads.ts'
import type { AgentLoads, LoadMode } from './session-state.ts'

/** Load settings that a caller may send with any call; all but the turn are stored. */
interface TurnParams {
  load_mode?: LoadMode | undefined
  max_loaded?: number | undefined
  /** Any name; a new name starts a turn. */
  turn?: string | undefined
}

/** Characters of a turn's name. */
const MAX_TURN_NAME = 256
/** Names of ended turns, which tell a late call from a new turn. */
const MAX_ENDED_TURNS = 20

/** The load mode; "turn" by default. */
export function getLoadMode({ mode = 'turn' }: AgentLoads): LoadMode {
  return mode
}

/** Options for changes of these loads. */
export function getLoadOptions(loads: AgentLoads): {
  maxLoaded: number | undefined
  isOnce: boolean
} {
  return { maxLoaded: loads.maxLoaded, isOnce: getLoadMode(loads) === 'once' }
}

/** Loads at the start of a call: loads of an ended turn are removed, and the limit is applied. */
export function enterTurn(before: AgentLoads, params: TurnParams): AgentLoads {
  const { load_mode: mode = before.mode, max_loaded: maxLoaded = before.maxLoaded } = params
  const updated: AgentLoads = {
    ...before,
    ...(mode !== undefined && { mode }),
    ...(maxLoaded !== undefined && { maxLoaded }),
  }
  const loads = limitLoadedSkills(switchTurn(updated, params.turn), maxLoaded)
  // Returns the same object if nothing changed, so that callers need not store it.
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
  return invalidTurnError(`"${turn}" has ended, the current turn is "${current}"`)
}

function invalidTurnError(reason: string): SkillsError {
  return invalidParamError('turn', reason, 'Use a unique name for each turn')
}
