import { describe, expect, it } from 'vitest'
import { changeLoads, MAX_REMEMBERED } from '../../../src/core/skill-context/change-loads.ts'
import { enterTurn } from '../../../src/core/skill-context/enter-turn.ts'
import {
  getAgentLoads,
  createSessionState,
  type AgentLoads,
} from '../../../src/core/skill-context/session-state.ts'

const createEmptyLoads = () => getAgentLoads(createSessionState(), 'a')

function loadSkill(loads: AgentLoads, skill: string): AgentLoads {
  const texts = [{ doc: null, digest: skill }]
  return changeLoads(loads, { skill, docs: undefined, load: true, texts, call: null })
}

describe('changeLoads()', () => {
  it('drops the least recently used skill with all of its parts', () => {
    let loads = createEmptyLoads()
    for (let index = 0; index <= MAX_REMEMBERED; index++) loads = loadSkill(loads, `s${index}`)
    expect(loads.skills).toHaveLength(MAX_REMEMBERED)
    expect(loads.skills[0]?.name).toBe('s1')
    expect(loads.parts.map((part) => part.skill)).toEqual(loads.skills.map((each) => each.name))
  })
})

describe('enterTurn()', () => {
  it('returns the same object if nothing changes', () => {
    const loads = enterTurn(loadSkill(createEmptyLoads(), 's'), {
      turn: '1',
      load_mode: 'turn',
      max_loaded: 3,
    })
    expect(enterTurn(loads, { turn: '1', load_mode: 'turn', max_loaded: 3 })).toBe(loads)
    expect(enterTurn(loads, {})).toBe(loads)
    expect(enterTurn(loads, { load_mode: 'session' })).not.toBe(loads)
  })

  it('keeps only the last ended turns', () => {
    let loads = createEmptyLoads()
    for (let turn = 0; turn < 30; turn++) loads = enterTurn(loads, { turn: `${turn}` })
    expect(loads.ended).toHaveLength(20)
    expect(() => enterTurn(loads, { turn: '28' })).toThrow(
      '"28" has ended, the current turn is "29"',
    )
    expect(enterTurn(loads, { turn: '0' }).turn).toBe('0')
  })
})
