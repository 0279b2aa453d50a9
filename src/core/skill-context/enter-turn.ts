import { invalidParam, type SkillsError } from '../../errors.ts'
import { beginTurn, keepNewest } from './change-loads.ts'
import type { AgentLoads, LoadMode } from './session-state.ts'

/** What a caller says of an agent's loads with any call; all but the turn is kept once it was said. */
interface TurnParams {
  load_mode?: LoadMode | undefined
  max_loaded?: number | undefined
  /** Any name; one that is new begins a turn. */
  turn?: string | undefined
}

/** Characters of the name of a turn. */
const MAX_NAME = 256
/** Names of turns that ended, to tell a late call from a new turn. */
const MAX_ENDED = 20

/** The mode by which loads go: for the turn, where nobody said another one. */
export function modeOf({ mode = 'turn' }: AgentLoads): LoadMode {
  return mode
}

/** What a change of these loads has to know of them. */
export function optionsOf(loads: AgentLoads): { maxLoaded: number | undefined; isOnce: boolean } {
  return { maxLoaded: loads.maxLoaded, isOnce: modeOf(loads) === 'once' }
}

/** The loads as a call finds them: those of an ended turn are gone, and the cap is kept. */
export function enterTurn(before: AgentLoads, params: TurnParams): AgentLoads {
  const { load_mode: mode = before.mode, max_loaded: maxLoaded = before.maxLoaded } = params
  const said: AgentLoads = {
    ...before,
    ...(mode !== undefined && { mode }),
    ...(maxLoaded !== undefined && { maxLoaded }),
  }
  const loads = keepNewest(inTurn(said, params.turn), maxLoaded)
  // What changed nothing is the same object, which nobody has to store.
  return isSame(loads, before) ? before : loads
}

function inTurn(loads: AgentLoads, turn: string | undefined): AgentLoads {
  if (turn === undefined || turn === loads.turn) return loads
  if (turn.trim() === '' || turn.length > MAX_NAME) {
    throw refused(`expected 1 to ${MAX_NAME} characters, got ${turn.length}`)
  }
  const { turn: last, ended = [] } = loads
  if (ended.includes(turn)) throw over(turn, last ?? '')
  return {
    ...beginTurn(loads, modeOf(loads)),
    turn,
    ...(last !== undefined && { ended: [...ended, last].slice(-MAX_ENDED) }),
  }
}

function isSame(a: AgentLoads, b: AgentLoads): boolean {
  return (
    a.mode === b.mode && a.maxLoaded === b.maxLoaded && a.turn === b.turn && a.skills === b.skills
  )
}

function over(turn: string, current: string): SkillsError {
  return refused(`"${turn}" has ended, and "${current}" goes on`)
}

function refused(reason: string): SkillsError {
  return invalidParam('turn', reason, 'Give each turn a name of its own')
}
