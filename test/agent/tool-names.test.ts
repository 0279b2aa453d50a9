import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromProviderName, toProviderName } from '../../src/core/tool-formats/tool-names.ts'

describe('toProviderName()', () => {
  it('keeps names that every provider accepts', () => {
    for (const name of ['skill_load', 'execute_skill', 'a-b', 'load_skills_protocol_guide']) {
      expect(toProviderName(name)).toBe(name)
    }
  })

  it('encodes a dot as two underscores', () => {
    expect(toProviderName('runtime.execute')).toBe('runtime__execute')
    expect(fromProviderName('runtime__execute')).toBe('runtime.execute')
  })

  it('is reversible and unique', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'x', '5', '_', '.', '-', 'é', '/'),
      minLength: 1,
      maxLength: 9,
    })
    fc.assert(
      fc.property(name, (each) => {
        const providerName = toProviderName(each)
        expect(providerName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(fromProviderName(providerName)).toBe(each)
      }),
      { numRuns: 2000 },
    )
  })

  it('rejects a name that no provider accepts', () => {
    expect(() => toProviderName('a'.repeat(65))).toThrow('providers accept 1 to 64 characters')
    expect(() => toProviderName('')).toThrow('Cannot encode the tool name ""')
  })
})
