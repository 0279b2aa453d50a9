// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TierRuntime, TIERS } from './tier-runtime.ts'

/** Signals by which a program could harm later runs. */
const SIGNALS: readonly (readonly [name: string, words: string])[] = [
  ['kills all processes that it can', 'kill -9 -1'],
  ['terminates all processes that it can', 'kill -15 -1'],
  ['kills its parent', 'kill -9 $PPID; sleep 0.5'],
  ['terminates its parent', 'kill -15 $PPID; sleep 0.5'],
  ['stops its parent', 'kill -STOP $PPID; sleep 0.3'],
  ['kills PID 1', 'kill -9 1; sleep 0.3'],
]

/** Runs a shell command instead of the harness. */
async function shell(all: TierRuntime, words: string, isCold: boolean) {
  const result = await all.shell(`${words}; echo alive; exit 0`, { isCold })
  expect(result.isolation?.path).toBe(isCold ? 'cold' : 'warm')
  return result
}

describe.each(TIERS)('a program for %s', (tier) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier)
    await all.zygote()
  })
  afterAll(async () => await all.close())

  describe.each([
    ['cold', true],
    ['warm', false],
  ] as const)('with a %s start', (_, isCold) => {
    it.each(SIGNALS)('that %s survives, and so does the zygote', async (__, words) => {
      const zygote = await all.zygote()
      const { status, exitCode, output } = await shell(all, words, isCold)
      expect([status, exitCode, output]).toEqual(['success', 0, 'alive\n'])
      expect(await all.zygote()).toBe(zygote)
    })

    it('sees nothing of its parent', async () => {
      const words =
        'for at in 1 $PPID; do for name in mem environ maps root cwd exe fd; do head -c1 /proc/$at/$name 2>/dev/null && echo got $name; ls /proc/$at/$name/ 2>/dev/null; done; done'
      expect(await shell(all, words, isCold)).toMatchObject({
        status: 'success',
        output: 'alive\n',
      })
      const own = 'head -c0 /proc/$$/environ && echo control'
      expect(await shell(all, own, isCold)).toMatchObject({ output: 'control\nalive\n' })
    })

    it('holds only three file descriptors', async () => {
      const { output } = await shell(all, 'ls /proc/$$/fd', isCold)
      expect(output).toBe('0\n1\n2\nalive\n')
    })
  })
})
