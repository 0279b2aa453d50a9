// Folders that are removed at exit, by one listener for all of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = []
process.on('exit', () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true })
})

export function createTemporaryFolder(name) {
  const dir = mkdtempSync(join(tmpdir(), `skills-bench-${name}-`))
  made.push(dir)
  return dir
}
