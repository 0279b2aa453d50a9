import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runProgram, buildShellArgv } from '../runs/run-program.ts'

const OTHER_DISK = '/dev/shm'
const hasDisks = statSync(OTHER_DISK, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev

/** Creates a folder that only another user can enter. */
function closedFolder(parent: string): string {
  const dir = mkdtempSync(join(parent, 'skills-disk-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'a.txt'), `in ${parent}\n`, { mode: 0o600 })
  for (const path of [dir, join(dir, 'a.txt')]) chownSync(path, 65_533, 65_533)
  chmodSync(dir, 0o700)
  return dir
}

it.skipIf(process.getuid?.() !== 0 || !hasDisks)(
  'the first run with closed folders of two disks reads both (needs root and two disks)',
  async () => {
    const folders = [tmpdir(), OTHER_DISK].map((parent, at) => ({
      source: closedFolder(parent),
      target: `/given-${at}`,
      mode: 'overlay' as const,
    }))
    const ran = await runProgram(buildShellArgv('cat /given-0/a.txt /given-1/a.txt'), {
      plan: { folders },
    })
    expect(ran).toMatchObject({ status: 'success', stdout: `in ${tmpdir()}\nin ${OTHER_DISK}\n` })
  },
)
