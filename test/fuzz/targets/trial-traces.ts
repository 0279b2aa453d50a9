import { SkillsError } from '../../../src/errors.ts'
import { formatTrace, formatTraceFile, readTraceFile } from '../../../src/core/trials/index.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const EVENT =
  '{"atMs":1,"kind":"sent","detail":"POST http://a.example/","bytes":3,"markers":["~/.env"]}'
const TRIAL = `{"subject":"scripts/a.sh","variant":"plain","outcome":"exit 0","durationMs":9,"trace":[${EVENT}]}`
const PROOF = `{"kind":"persistence","subject":"scripts/a.sh","variant":"plain","message":"It wrote","event":${EVENT},"file":"scripts/a.sh","line":3,"repeat":"skills vet"}`

/** A trace of trials that someone else saved. */
export const target: FuzzTarget = {
  name: 'trial-traces',
  format: 'text',
  seeds: [
    `{"format":"skills-trials","version":1,"skill":"a","subjects":[${TRIAL}],"proofs":[${PROOF}],"notRun":[{"subject":"b","reason":"c"}]}`,
    '{"format":"skills-trials","version":1,"skill":"a","subjects":[],"proofs":[],"notRun":[]}',
  ],
  words: [
    '"opened"',
    '"wrote"',
    '"marker-sent"',
    '"__proto__":{"kind":"sent"}',
    '1e999',
    '-0',
    '\\u001b[31m',
    '\\u202e',
    '\\n',
    '[[[[[[[[',
    EVENT,
  ],
  open(isPlanted) {
    return (input) => {
      try {
        const report = readTraceFile(input.toString('utf8'))
        expectEqual(readTraceFile(formatTraceFile(report)), report, 'a written trace')
        // The planted bug: a name reaches the terminal as it is.
        const printed = formatTrace(report) + (isPlanted ? report.skill : '')
        expectThat(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(printed), 'plain text')
      } catch (error) {
        if (!(error instanceof SkillsError)) throw error
        expectThat(error.message.startsWith('The trace cannot be read: '), 'a refusal has a reason')
      }
    }
  },
}
