import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const { commit, reason } = JSON.parse(
  readFileSync(new URL('baseline.json', import.meta.url), 'utf8'),
) as { commit: string; reason: string }

const git = (...argv: string[]) => spawnSync('git', argv, { cwd: ROOT, encoding: 'utf8' })

it('the baseline of the bench has a full commit hash and a reason', () => {
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(reason).toMatch(/^[A-Z].{20,}\.$/)
})

it('the baseline of the bench is an ancestor of this commit', ({ skip }) => {
  const { stdout } = git('rev-parse', '--is-shallow-repository', '--show-cdup')
  // An empty second line: the top of the repository is here, and not in a folder above.
  if (stdout !== 'false\n\n') return skip('needs a clone with its history: git fetch --unshallow')
  expect(git('merge-base', '--is-ancestor', commit, 'HEAD')).toMatchObject({ status: 0 })
})
