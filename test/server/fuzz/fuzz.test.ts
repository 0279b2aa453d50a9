// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../helpers/app.ts'
import { IS_FULL } from '../../helpers/matrix.ts'
import { prefixPaths } from '../../helpers/projects.ts'
import { bodies } from './bodies.ts'
import { checkAnswer } from './check-answer.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? (IS_FULL ? 100_000 : 10_000))
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)

const note = {
  'skill.toml':
    'name = "demo.note"\nversion = "0.1.0"\ndescription = "A note."\nkind = "instruction"\n',
  'SKILL.md': '# Note\n',
}

describe('POST /rpc', () => {
  it(
    `answers ${RUNS} generated bodies according to JSON-RPC (seed ${SEED})`,
    { timeout: 600_000 },
    async () => {
      const { post, runtime } = await createTestApp(prefixPaths('skills/note', note))
      const property = fc.asyncProperty(bodies, async (body) => {
        await checkAnswer(body, await post(body))
      })
      await fc.assert(property, { numRuns: RUNS, seed: SEED })
      // Some bodies contained code that ran or tried to; no run is left unfinished.
      const { runs } = await (await runtime.runs()).list({ limit: 500 })
      expect(runs.filter(({ status }) => /running|interrupted/.test(status))).toEqual([])
    },
  )
})
