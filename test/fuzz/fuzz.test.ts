// @module-tag slow
// @module-tag nightly
import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { GUEST_TARGETS } from './run-guest-target.ts'
import { TARGET_NAMES } from './targets/index.ts'
import { BUILT_MODULES } from '../helpers/built.ts'
import { IS_FULL } from '../helpers/matrix.ts'

const ALL = [...TARGET_NAMES, ...GUEST_TARGETS]
const SECONDS = IS_FULL ? ALL.length : Math.ceil(ALL.length / 2)
/** More on a busy machine, where the same time has fewer executions. */
const PLANTED_SECONDS = [4, 20, 60]

interface Session {
  target: string
  executions: number
  kept: number
  finding: { message: string } | null
}

/** Runs one session per target in one process, and returns their reports. */
async function fuzz(targets: readonly string[], ...args: string[]): Promise<Session[]> {
  const names = targets.flatMap((name) => ['--target', name])
  const command = [
    '--import',
    BUILT_MODULES,
    'test/fuzz/main.ts',
    ...names,
    '--seed',
    '1',
    '--json',
    ...args,
  ]
  const output = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, command, (error, stdout, stderr) => {
      // The exit code is 1 if something was found.
      if (error && error.code !== 1) reject(new Error(stderr))
      else resolve(stdout)
    }),
  )
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Session)
}

describe('fuzzing', () => {
  it('replays the corpus of each target, and finds nothing in the seconds after', async () => {
    const sessions = await fuzz(ALL, '--seconds', String(SECONDS))
    expect(sessions.map(({ target }) => target)).toEqual(ALL)
    for (const { target, finding } of sessions)
      expect({ target, finding }).toMatchObject({ finding: null })
    for (const { target, executions } of sessions)
      expect([target, executions]).not.toEqual([target, 0])
    const total = sessions.reduce((sum, { executions }) => sum + executions, 0)
    process.stdout.write(`${total} executions of ${sessions.length} targets\n`)
  }, 600_000)

  it('finds the bug that is planted in each target, the control of the other test', async () => {
    let left: readonly string[] = ALL
    for (const seconds of PLANTED_SECONDS) {
      const sessions = await fuzz(left, '--planted', '--seconds', String(seconds * left.length))
      left = sessions.filter(({ finding }) => finding === null).map(({ target }) => target)
      if (left.length === 0) break
    }
    expect(left).toEqual([])
  }, 1_200_000)
})
