// @module-tag slow
import { describe, expect, it } from 'vitest'
import { ATTACK_SKILLS } from './attack-skills.ts'
import { INNOCENT_SKILLS } from './innocent-skills.ts'
import { STAND_IN_ATTACKS } from './stand-in-attacks.ts'
import { tryFiles } from './trial-fixture.ts'

describe('a skill that shows what it does only when it runs', () => {
  it.each([...ATTACK_SKILLS, ...STAND_IN_ATTACKS])(
    'is proved: $name',
    async ({ files, proof, variant }) => {
      const { proofs } = await tryFiles(files)
      expect(proofs.map(({ kind }) => kind)).toContain(proof)
      if (variant !== undefined) expect(proofs[0]?.variant).toMatch(new RegExp(variant))
    },
  )
})

describe('a skill that only looks like an attack', () => {
  it.each(INNOCENT_SKILLS)('has no proof: $name', async ({ files }) => {
    const { proofs, subjects } = await tryFiles(files)
    expect(proofs).toEqual([])
    expect(subjects.length).toBeGreaterThan(0)
  })
})
