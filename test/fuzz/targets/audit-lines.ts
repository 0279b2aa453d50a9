import { decodeLine, encodeLine, CHAIN_START } from '../../../src/core/audit/chain.ts'
import type { AuditSource } from '../../../src/core/audit/audit-source.ts'
import { verifyAudit } from '../../../src/core/audit/verify-audit.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const TIME = new Date(0)
const ENTRY = { event: 'repaired', problem: 'a partial record', cut_bytes: 5 } as const

/** A valid log of three records. */
function buildLog(): string {
  let link = CHAIN_START
  let text = ''
  for (const event of ['repaired', 'pruned', 'repaired'] as const) {
    const entry = { ...ENTRY, event, ...(event === 'pruned' && { through: CHAIN_START }) }
    const encoded = encodeLine(entry, link, TIME)
    text += encoded.line
    link = encoded.link
  }
  return text
}

const LOG = buildLog()
const HEAD = decodeLine(LOG.trimEnd().split('\n').at(-1) ?? '')?.record ?? CHAIN_START

/** Segments of the audit log, as somebody else may have changed them. */
export const target: FuzzTarget = {
  name: 'audit-lines',
  format: 'text',
  seeds: [LOG, LOG.split('\n').slice(0, 2).join('\n')],
  words: [...LOG.split('\n'), '"seq":', '"prev":', '"hash":', '"through":null', ',"hash":"', '}\n'],
  open(isPlanted) {
    return async (input) => {
      const text = input.toString('utf8')
      for (const line of text.split('\n')) checkLine(line)
      const { problems } = await verifyAudit(openSource(text))
      // The planted bug: everything after the second record is ignored.
      const found = isPlanted ? problems.filter(({ seq }) => seq < 3) : problems
      const isUnchanged = text === LOG
      // Bytes after the last line feed are those of a crash: the next writer cuts them off.
      const isTorn = text.startsWith(LOG) && !text.slice(LOG.length).includes('\n')
      expectEqual(found.length === 0, isUnchanged || isTorn, 'whether the log is intact')
    }
  },
}

/** An intact line is encoded again from its own content: nothing else has its hash. */
function checkLine(line: string): void {
  const decoded = decodeLine(line)
  if (!decoded) return
  const { record, isIntact } = decoded
  expectThat(Number.isSafeInteger(record.seq), 'the number is whole')
  if (isIntact) expectThat(line.includes(record.hash), 'the line has its hash')
}

function openSource(text: string): AuditSource {
  const lines = text.split('\n')
  const rest = lines.pop() ?? ''
  const all = [
    ...lines.map((each, at) => ({ text: each, number: at + 1, isWhole: true })),
    ...(rest === '' ? [] : [{ text: rest, number: lines.length + 1, isWhole: false }]),
  ]
  return {
    head: async () => ({ seq: HEAD.seq, hash: HEAD.hash }),
    segments: async () => [
      {
        name: '000001.jsonl',
        async *lines() {
          yield all
        },
        async *newestFirst() {
          yield lines.toReversed()
        },
      },
    ],
  }
}
