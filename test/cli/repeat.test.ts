// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const CODE =
  'from runtime import log\ndef main(args):\n    log.debug("d")\n    log.warning("w")\n    print("p")\n    return args["x"]\n'

async function runCode(...argv: string[]) {
  return await runSkills(['run-code', 'a.py', ...argv], {
    cwd: createFolder({ 'a.py': CODE }),
    isCold: true,
  })
}

describe('--repeat', () => {
  it('shows the times of each part by path', async () => {
    const ran = await runCode('--repeat', '3', '--arg', 'x=1', '--json')
    expect(ran.code).toBe(0)
    const { completed, failed, times, runs } = ran.json() as Record<string, unknown[]>
    expect({ completed, failed }).toEqual({ completed: 3, failed: 0 })
    expect(runs).toHaveLength(3)
    const parts = times as { path: string; part: string; runs: number; median_ms: number }[]
    expect(parts.map(({ part }) => part)).toEqual(['start', 'run', 'collect', 'total'])
    expect(parts.every((each) => each.path === 'cold' && each.runs === 3)).toBe(true)
    const [min, median, max] = ['min_ms', 'median_ms', 'max_ms'].map(
      (key) => (parts[3] as unknown as Record<string, number>)[key] as number,
    )
    expect([min, median, max].toSorted((a = 0, b = 0) => a - b)).toEqual([min, median, max])
  })

  it('fails if a run fails', async () => {
    const ran = await runCode('--repeat', '2')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/Path +Runs +Part +Median +Min +Max\ncold +2 +start/)
    expect(ran.stderr).toContain('failed: 2 of 2 runs, the first with KeyError')
  })

  it.each([
    [['--repeat', '0'], 'Expected 1 to 10000 for --repeat, got "0"'],
    [['--repeat', 'x'], 'Expected 1 to 10000 for --repeat, got "x"'],
    [['--repeat', '2', '--watch'], '--repeat cannot be combined with --watch'],
  ])('rejects %j', async (argv, message) => {
    const ran = await runCode(...argv)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(message)
  })
})

describe('--log-level', () => {
  it.each([
    ['debug', '[debug] d\n[warning] w\np\n'],
    ['warning', '[warning] w\np\n'],
    ['error', 'p\n'],
  ])('%s shows messages of this level and above, and printed text', async (level, text) => {
    const ran = await runCode('--arg', 'x=1', '--log-level', level)
    expect(ran.stderr.split('\n').toSorted()).toEqual(text.split('\n').toSorted())
  })
})
