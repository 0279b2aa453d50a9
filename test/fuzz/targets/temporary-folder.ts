import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder that is removed when the thread ends. */
export function createTemporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skills-fuzz-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}
