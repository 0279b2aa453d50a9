import { describe, expect, it } from 'vitest'
import { findUnsafeNumber } from '../../../src/core/runs/supervise/result-numbers.ts'
import { FORGE } from '../sandbox/abuse/runs/forge.ts'
import { runAction, runPython } from './run-warm.ts'

/** JSON that code writes itself, and the values in Python and in JavaScript that mean the same. */
const UNSAFE = [
  ['[1e999]', '[float("inf")]', '[Infinity]'],
  ['{"b c": -1e999}', '{"b c": float("-inf")}', '({ "b c": -Infinity })'],
  ['[0, {"n": 9007199254740993}]', '[0, {"n": 2 ** 53 + 1}]', '[0, { n: 2 ** 53 }]'],
  ['-9007199254740992', '-(2 ** 53)', '-(2 ** 53)'],
] as const

const SAFE = [
  '0',
  '0.0',
  '[-0.0, -0]',
  '[-1, 9007199254740991, -9007199254740991, 1e300, 1.5e-7]',
  '{"-0": "1e999", "x\\"-0.0": "9007199254740993"}',
]

const pick = ({ error }: { error?: object | undefined }) => {
  const { type, message, hint } = (error ?? {}) as Record<string, unknown>
  return { type, message, hint }
}

describe('a number that JSON readers change', () => {
  it.each(UNSAFE)('is refused by the host as by Python: %s', async (json, python) => {
    const returned = pick(await runPython(`def main(args):\n    return ${python}\n`))
    expect(returned).toMatchObject({ type: 'SerializationError' })
    expect(returned.message).toMatch(/^The result is not JSON: \S/)
    const frame = JSON.stringify(JSON.stringify({ output: json }))
    const forged = `${FORGE}\ndef main(args):\n    forge(b"R", ${frame}.encode())\n    os._exit(0)\n`
    expect(pick(await runPython(forged))).toEqual(returned)
  })

  it.each(UNSAFE)('is refused by the host as by Node: %s', async (json, _, javascript) => {
    const code = `export function main() { return ${javascript} }\n`
    const { error } = await runAction('node', code)
    const returned = pick({ error })
    expect(returned).toMatchObject({ type: 'SerializationError' })
    expect(pick({ error: findUnsafeNumber(json, 'node') })).toEqual(returned)
  })

  it('is 0 if it is a negative zero, whatever wrote it', async () => {
    const frame = JSON.stringify(JSON.stringify({ output: '{"a": [1, -0.0, -0]}' }))
    const forged = `${FORGE}\ndef main(args):\n    forge(b"R", ${frame}.encode())\n    os._exit(0)\n`
    const results = [
      await runPython('def main(args):\n    return {"a": [1, -0.0, -0]}\n'),
      await runPython(forged),
      await runAction('node', 'export function main() { return { a: [1, -0, -0.0] } }\n'),
    ]
    expect(results.map(({ output }) => output)).toEqual([1, 2, 3].map(() => ({ a: [1, 0, 0] })))
  })

  it.each(SAFE)('is not found in %s', (json) => {
    expect(findUnsafeNumber(json, 'python')).toBeUndefined()
    expect(findUnsafeNumber(json, 'node')).toBeUndefined()
  })
})
