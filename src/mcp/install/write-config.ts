import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { syncFolder, writeSynced } from '../../util/durable-file.ts'
import type { McpConfigPlan } from './plan-change.ts'

/** Writes a plan atomically. Returns the path of the backup, if there was a file before. */
export async function writeConfig(plan: McpConfigPlan): Promise<string | undefined> {
  const { file, before, after } = plan
  const folder = dirname(file)
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(folder, { recursive: true })
    const backup = before === undefined ? undefined : await saveBackup(file, before)
    await writeSynced(draft, after)
    // Keeps the permissions of the file.
    if (before !== undefined) chmodSync(draft, statSync(file).mode & 0o7777)
    checkUnchanged(plan)
    renameSync(draft, file)
    await syncFolder(folder)
    return backup
  } catch (thrown) {
    rmSync(draft, { force: true })
    if (thrown instanceof SkillsError) throw thrown
    const { code, message } = thrown as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') throw toSkillsError(thrown)
    throw new SkillsError('store/unavailable', `Cannot write "${file}" (${code ?? message})`, {
      hint: 'Check the permissions of its folder, or add --print and paste the output',
    })
  }
}

/** A running client may have written the file in the meantime. */
function checkUnchanged({ file, before }: McpConfigPlan): void {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (current === before) return
  throw new SkillsError('config/invalid', `"${file}" changed in the meantime`, {
    hint: 'Run the command again',
  })
}

/** Uses the first free name next to the file. */
async function saveBackup(file: string, text: string): Promise<string> {
  for (let at = 1; ; at++) {
    const backup = at === 1 ? `${file}.bak` : `${file}.bak${at}`
    if (existsSync(backup)) {
      if (readFileSync(backup, 'utf8') === text) return backup
      continue
    }
    await writeSynced(backup, text)
    chmodSync(backup, statSync(file).mode & 0o777)
    return backup
  }
}
