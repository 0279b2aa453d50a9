import { readSessionState } from '../../../src/core/skill-context/read-session-state.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowErrors, expectEqual } from './expect.ts'

const STATE = {
  version: 1,
  agents: [
    {
      agent: 'main',
      skills: [{ name: 'demo.greet', loaded: true, read: false, docs: ['a.md'] }],
      parts: [{ skill: 'demo.greet', doc: null, digest: 'd', call: null, shownAt: 3 }],
      fresh: ['demo.greet'],
      mode: 'turn',
      maxLoaded: 3,
      turn: 't',
      ended: ['s'],
      declared: 'x',
    },
  ],
}

/** The stored state of an agent session. */
export const target: FuzzTarget = {
  name: 'session-state',
  format: 'json',
  seeds: [JSON.stringify(STATE), '{"version":1,"agents":[]}'],
  words: ['*', 'main', 'demo.greet', 'turn', 'session', 'once'],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const state = allowErrors(() => readSessionState(JSON.parse(text)), SyntaxError)
    if (!state) return
    const printed = JSON.stringify(state)
    expectEqual(readSessionState(JSON.parse(printed)), state, 'the state as printed')
    // The planted bug: an agent that has seen nothing is dropped.
    const { agents } = JSON.parse(text) as { agents: unknown[] }
    const isDropped = isPlanted && state.agents.some(({ parts }) => parts.length === 0)
    expectEqual(isDropped ? 0 : state.agents.length, agents.length, 'the number of agents')
  },
}
