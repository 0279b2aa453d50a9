import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OutputShares } from '../../../src/core/runs/supervise/output-shares.ts'

type Printed = readonly ['stdout' | 'stderr', string]

function print(limit: number, pieces: Iterable<Printed>) {
  const shares = new OutputShares(limit)
  const kept = { stdout: '', stderr: '' }
  for (const [name, text] of pieces) kept[name] += shares.push(name, Buffer.from(text)).toString()
  kept.stdout += shares.finish('stdout').toString()
  kept.stderr += shares.finish('stderr').toString()
  return { ...kept, omitted: shares.omitted }
}

function* printLines(name: 'stdout' | 'stderr', count: number): Generator<Printed> {
  for (let at = 1; at <= count; at++) yield [name, `${name} ${at}\n`]
}

const LIMIT = 100 * 1024

describe('the output limit', () => {
  it('keeps output within it unchanged, however the streams share it', () => {
    const piece = fc.tuple(
      fc.constantFrom('stdout' as const, 'stderr' as const),
      fc.integer({ min: 0, max: 30_000 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (sizes) => {
        const whole = { stdout: '', stderr: '' }
        const pieces = sizes.map(([name, size]) => [name, 'x'.repeat(size)] as const)
        for (const [name, text] of pieces) whole[name] += text
        const total = whole.stdout.length + whole.stderr.length
        const { omitted, ...kept } = print(total + 256, pieces)
        if (total >= 4096) expect({ omitted, kept }).toEqual({ omitted: NONE, kept: whole })
        const less = print(Math.ceil(total * 0.7), pieces)
        const size = less.stdout.length + less.stderr.length
        expect(size).toBeLessThanOrEqual(Math.ceil(total * 0.7))
      }),
      // Bytes that stderr passes on took no place from the end of stdout.
      { numRuns: 100, examples: [[[['stdout', 10] as const, ['stderr', 1] as const]]] },
    )
  })

  const NONE = { stdout: 0, stderr: 0 }

  it('keeps all of a short stderr after a long stdout', () => {
    const { stderr, stdout, omitted } = print(LIMIT, [
      ...printLines('stdout', 100_000),
      ...printLines('stderr', 3),
    ])
    expect(stderr).toBe('stderr 1\nstderr 2\nstderr 3\n')
    expect(stdout).toMatch(/^stdout 1\nstdout 2\n/)
    expect(stdout).toMatch(/\nstdout 99999\nstdout 100000\n$/)
    const [, bytes] =
      /\n\[skills\] (\d+) bytes are omitted here: .*\nstdout \d+\n/.exec(stdout) ?? []
    expect(omitted).toEqual({ stdout: Number(bytes), stderr: 0 })
  })

  it('keeps the end of both if both are long, in either order', () => {
    for (const order of [['stdout', 'stderr'] as const, ['stderr', 'stdout'] as const]) {
      const { stdout, stderr } = print(
        LIMIT,
        order.flatMap((name) => [...printLines(name, 50_000)]),
      )
      expect(stdout).toMatch(/\nstdout 50000\n$/)
      expect(stderr).toMatch(/\nstderr 50000\n$/)
      const ends = [stdout, stderr].map((each) => each.split('are omitted here')[1]?.length ?? 0)
      expect(Math.min(...ends)).toBeGreaterThan(LIMIT / 4 - 2000)
    }
  })

  it('cuts no character in the middle, and adds no line to a tiny limit', () => {
    const { stdout } = print(LIMIT, [['stdout', '€'.repeat(100_000)]])
    expect(stdout.split('omitted here: the limit is run.limits.output\n')[1]).toMatch(/^€+$/)
    const tiny = print(100, [['stdout', 'x'.repeat(10_000)]])
    expect(tiny.stdout).toBe('x'.repeat(100))
    expect(tiny.omitted.stdout).toBe(9900)
  })
})
