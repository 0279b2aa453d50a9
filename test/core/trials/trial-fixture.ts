import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { runTrials, type TrialOptions, type TrialReport } from '../../../src/core/trials/index.ts'

const MANIFEST = '---\nname: tool\ndescription: Helps with files\n---\n'

/** Writes a skill, runs its trials and removes it. */
export async function tryFiles(
  files: Readonly<Record<string, string>>,
  options: Partial<TrialOptions> = {},
): Promise<TrialReport> {
  const dir = mkdtempSync(join(tmpdir(), 'trial-skill-'))
  const sandboxes = new Sandboxes()
  const all = files['skill.toml'] === undefined ? { 'SKILL.md': MANIFEST, ...files } : files
  try {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
    // A subject that ends has its proof on a busy machine, too.
    const patience = { subjectMs: 15_000 }
    const env = { PATH: process.env['PATH'] }
    return await runTrials(dir, { sandboxes, env, ...patience, ...options })
  } finally {
    await sandboxes.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
