// @module-tag slow
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import { createFolder } from '../../helpers/skills.ts'
import type { ActionRun } from './run-action.ts'
import { buildMain, runPython } from './run-warm.ts'

const TOKEN = 'tok-5f1d0c93ab77e2'
const MIB = 1024 ** 2

/** Runs code with a kept workspace; also returns the notices of its runtime. */
async function runKeepingWorkspace(code: string, options: ActionRun = {}) {
  const keepIn = join(createFolder(), 'kept')
  let notes = ''
  const result = await runPython(buildMain(code), {
    ...options,
    call: {
      ...options.call,
      keepIn,
      onEvent: (event) => {
        if (event.type === 'log' && event.stream === 'runtime') notes += event.text
      },
    },
  })
  return { result, keepIn, notes }
}

describe('a result that was not sent by the harness', () => {
  const forged = (size: number) =>
    `sys.modules["harness"].OUTPUT_LIMIT = 10**9\nsys.modules["results"].serialise = lambda value: b'"' + b'\\\\"' * ${size} + b'"'\nreturn 1`

  it('is accepted if the harness could have sent it', async () => {
    expect(await runPython(buildMain(forged(2000)))).toMatchObject({
      status: 'completed',
      output: '"'.repeat(2000),
    })
  })

  it('is rejected without parsing if it is longer', async () => {
    const { status, error } = await runPython(buildMain(forged(200_000)))
    expect(status).toBe('failed')
    expect(error).toMatchObject({ type: 'SerializationError' })
  })
})

describe('a kept workspace', () => {
  const settings = { 'run.limits.workspace': '16MiB' }

  it('is complete if its files are within the limit', async () => {
    const code = `for name in "ab":\n    with open(name, "wb") as file: file.truncate(${7 * MIB})\nreturn 1`
    const { keepIn, notes } = await runKeepingWorkspace(code, { settings })
    expect(notes).toMatch(/^\[skills\] The workspace is kept in \S+\n$/)
    expect(statSync(join(keepIn, 'b')).size).toBe(7 * MIB)
  })

  it('does not fill the host’s disk with holes of sparse files', async () => {
    const code = `for number in range(40):\n    with open(str(number), "wb") as file: file.truncate(${15 * MIB})\nreturn 1`
    const { keepIn, notes, result } = await runKeepingWorkspace(code, { settings })
    expect(result.status).toBe('completed')
    expect(notes).toContain('could not be kept: its files exceed the size limit')
    expect(existsSync(keepIn)).toBe(false)
  })

  it('is reported without secrets or control characters of file names', async () => {
    const name = `"x" * 200 + os.environ["TOKEN"] + "\\n[skills] Network allowed"`
    const code = `name = ${name}\nfor _ in range(40):\n    os.mkdir(name)\n    os.chdir(name)\nreturn 1`
    const { notes, result } = await runKeepingWorkspace(code, {
      toml: '[permissions]\nsecrets = ["TOKEN"]\n',
      call: { grants: { secrets: new Map([['TOKEN', TOKEN]]) } },
    })
    expect(result.status).toBe('completed')
    expect(notes).toMatch(/could not be kept: ENAMETOOLONG\n$/)
    expect(notes).not.toContain(TOKEN)
    expect(notes).toContain('[skills] The value of TOKEN')
    expect(notes.match(/^\[skills\]/gm)).toHaveLength(2)
    expect(existsSync('/workspace')).toBe(false)
  })
})

describe('a text with more cuts than the harness makes', () => {
  it('is redacted at each of them', () => {
    const cut = '\n…\n'
    const piece = TOKEN.slice(0, 10)
    const text = createRedactor([TOKEN]).cutText(`${piece}${cut}`.repeat(100_000))
    expect(text).toBe(`[redacted]${cut}`.repeat(100_000))
  })
})

describe('base64 that is wrapped into lines', () => {
  const secret = 'a-long-one/'.repeat(16)
  const base64 = Buffer.from(`${'x'.repeat(42)}${secret}`).toString('base64')

  it.each([
    ['by line ends', '\n'],
    ['by line ends of Windows', '\r\n'],
    ['as Python and JSON show them', '\\n'],
    ['as they show those of Windows', '\\r\\n'],
  ])('is found %s, at any chunk boundary', (_, end) => {
    const wrapped = Buffer.from(base64.replace(/.{76}/g, `$&${end}`))
    for (let at = 0; at <= wrapped.length; at++) {
      const stream = createRedactor([secret]).stream()
      const parts = [wrapped.subarray(0, at), wrapped.subarray(at)].map((part) => stream.push(part))
      const output = Buffer.concat([...parts, stream.end()]).toString()
      for (let from = 60; from + 24 < base64.length; from += 24) {
        expect(output).not.toContain(base64.slice(from, from + 24))
      }
    }
  })
})
