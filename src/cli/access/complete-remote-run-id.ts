import { toSkillsError } from '../../errors.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import { findId } from '../store/find-id.ts'

const WHOLE_ID = /^[0-9a-f]{20,64}$/
const ID_START = /^(?:run_)?[0-9a-f]{1,19}$/
/** Pages of runs that are searched for the beginning of an id. */
const MAX_PAGES = 20
const PAGE_SIZE = 500

/** Completes the id of a run of a remote runtime, if that lists its runs. */
export async function completeRemoteRunId(handle: RuntimeHandle, word: string): Promise<string> {
  if (WHOLE_ID.test(word)) return `run_${word}`
  if (!ID_START.test(word)) return word
  try {
    return await findId(word, {
      prefix: 'run_',
      noun: 'run',
      find: async (start, limit) => await findRunIds(handle, start, limit),
      recent: async () => (await readPage(handle, {})).ids,
    })
  } catch (error) {
    // A runtime of another kind has no such method.
    if (toSkillsError(error).code === 'rpc/unknown-method') return word
    throw error
  }
}

async function findRunIds(handle: RuntimeHandle, start: string, limit: number): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES && found.length < limit; pages++) {
    const { ids, next } = await readPage(handle, { text: start, ...(cursor && { cursor }) })
    found.push(...ids.filter((id) => id.startsWith(start)))
    if (next === null) break
    cursor = next
  }
  return found.slice(0, limit)
}

async function readPage(handle: RuntimeHandle, query: { text?: string; cursor?: string }) {
  const { runs, next_cursor: next } = await handle.call('list_run_history', {
    ...query,
    limit: PAGE_SIZE,
  })
  return { ids: runs.map(({ run_id }) => run_id), next }
}
