import { isCallRecord } from '../../core/audit/filter-records.ts'
import { readNewestFirst } from '../../core/audit/read-audit.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { findRunId } from './run-text.ts'

/** Digits of the shortest hash that an answer has. */
const MIN_HASH_DIGITS = 3
const MAX_SHOWN_IDS = 5

/** Completes the id of a run from the beginning of its id, or of the auditHash of its answer. */
export async function findRunOrHash(runtime: Runtime, word: string): Promise<string> {
  try {
    return await findRunId(runtime, word)
  } catch (error) {
    if (toSkillsError(error).code !== 'run/not-found') throw error
    const found = await findRunByHash(runtime, word)
    if (found === undefined) throw error
    return found
  }
}

async function findRunByHash(runtime: Runtime, hash: string): Promise<string | undefined> {
  if (hash.length < MIN_HASH_DIGITS || !/^[0-9a-f]+$/.test(hash)) return undefined
  const found = new Set<string>()
  for await (const record of readNewestFirst(await runtime.auditSource())) {
    if (isCallRecord(record) && record.decision.audit_hash.startsWith(hash))
      found.add(record.run_id)
    if (found.size > MAX_SHOWN_IDS) break
  }
  const [only] = found
  if (found.size < 2) return only
  const candidates = [...found].slice(0, MAX_SHOWN_IDS)
  throw new SkillsError('usage/invalid', `"${hash}" begins the auditHash of more than one run`, {
    hint: `Type the id of one of them: ${candidates.join(', ')}`,
    data: { candidates },
  })
}
