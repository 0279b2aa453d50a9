// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { soak } from './soak.ts'
import { BIN } from '../helpers/built.ts'

const command = [BIN]

describe('a server under mixed calls and faults', () => {
  it(
    'loses nothing that it acknowledged, mixes nothing up and leaves nothing',
    { timeout: 300_000 },
    async () => {
      const { problems, acknowledged, counts } = await soak({ seconds: 30, command })
      expect(problems).toEqual([])
      for (const [kind, number] of Object.entries(acknowledged))
        expect(number, kind).toBeGreaterThan(0)
      for (const fault of ['servers killed', 'sandboxes killed', 'skills removed', 'clients gone'])
        expect(counts[fault], fault).toBeGreaterThan(0)
    },
  )
})
