import { describe, expect, it } from 'vitest'
import { findNetworkHint } from '../../../src/core/runs/supervise/network-hint.ts'

const DENIED = { type: 'URLError', message: 'Name or service not known' }

function hintFor(error: { type: string; message: string; hint?: string }, facts = {}) {
  const skill = (network: string[]) => ({ manifest: { permissions: { network, secrets: [] } } })
  return findNetworkHint(error, {
    kind: 'execute_skill',
    skills: [skill(['https://api.example.com'])],
    isOpen: false,
    decisions: [],
    ...facts,
  })
}

describe('findNetworkHint', () => {
  it('names --allow-network and the declared hosts', () => {
    expect(hintFor(DENIED)).toBe('Add --allow-network to allow https://api.example.com')
  })

  it('explains how to declare a host if the skill declares none', () => {
    expect(hintFor(DENIED, { skills: [] })).toContain('under [permissions] network in skill.toml')
    expect(hintFor(DENIED, { skills: [], kind: 'run_code' })).toContain('Code has no network')
  })

  it('names the setting for code that mounts the skill', () => {
    expect(hintFor(DENIED, { kind: 'run_code' })).toContain('run.code_inherits_permissions')
  })

  it('reports the last refusal of a run with a network', () => {
    const decision = {
      allowed: false,
      reason: 'host-not-listed',
      message: 'x.test is not in the list',
    }
    expect(hintFor(DENIED, { isOpen: true, decisions: [decision] })).toBe(
      'The network refused a request (host-not-listed): x.test is not in the list',
    )
    expect(hintFor(DENIED, { isOpen: true })).toBeUndefined()
    const trust = { allowed: true, reason: 'authority-refused', message: 'The client ended.' }
    const listed = { allowed: true, reason: 'listed', message: 'x.test is listed' }
    expect(hintFor(DENIED, { isOpen: true, decisions: [decision, trust, listed] })).toBe(
      'The client ended.',
    )
  })

  it('does not blame the network for other errors, and keeps another hint', () => {
    expect(hintFor({ type: 'KeyError', message: 'x' })).toBeUndefined()
    expect(hintFor({ ...DENIED, hint: 'own' })).toBeUndefined()
  })
})
