import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames } from '../../util/leftovers.ts'
import { parseSealedJson } from '../../util/sealed-json.ts'
import { DamageCollector, ItemGoneError, type DamageReport } from '../storage/damage-report.ts'
import { readSessionState } from './read-session-state.ts'

/** Verifies the state of every session. Changes nothing. */
export async function checkSessions(dir: string): Promise<DamageReport> {
  const collector = new DamageCollector()
  for (const key of (await listNames(dir)).filter((name) => !name.startsWith('.'))) {
    for (const number of await listNames(join(dir, key))) {
      const path = join(dir, key, number)
      await collector.check(`${key}/${number}`, async () => await checkState(path))
    }
  }
  return collector.report
}

async function checkState(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new ItemGoneError() : error
  })
  readSessionState(parseSealedJson(text))
}
