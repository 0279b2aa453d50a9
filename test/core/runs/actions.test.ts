// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/core/runs/run-call.ts'
import { createFolder } from '../../helpers/skills.ts'
import { runAction } from './run-action.ts'
import { createRuntimeIn } from './run-python.ts'

type Other = 'node' | 'typescript' | 'shell'
type Cases = Record<Other, string>
const OTHERS = ['node', 'typescript', 'shell'] as const

/** The same case in JavaScript and TypeScript; the TypeScript version has type annotations. */
function script(javascript: string, shell: string): Cases {
  return {
    node: javascript,
    typescript: `interface Any { [name: string]: any }\nconst typed: Any = {}\n${javascript.replace('main(args)', 'main(args: Any): any')}\nvoid typed\n`,
    shell,
  }
}

const ECHO = script(
  'export async function main(args) { return { got: args, summary: `for ${args.name}` } }',
  'main() { json got:="$(cat)" summary="for $(arg name)"; }',
)

const LOGS = script(
  'import { log } from "runtime"\nexport function main(args) { log.info("one"); console.log("two"); console.error("three"); log.warning("four"); return null }',
  'main() { log_info one; echo two >&2; echo three >&2; log_warning four; }',
)

const BLOBS = script(
  `import { blobs } from 'runtime'
export function main(args) {
  const text = blobs.readText(args.given)
  const id = blobs.writeText(text.toUpperCase(), 'text/x-loud')
  return { id, back: blobs.readText(id) }
}`,
  `main() {
  local id
  id=$(blob_read "$(arg given)" | tr a-z A-Z | blob_write text/x-loud)
  json id="$id" back="$(blob_read "$id")"
}`,
)

const LARGE = script(
  'export function main(args) { return { text: "x".repeat(9000) } }',
  `main() { json text="$(printf '%09000d' 0)"; }`,
)

const FAILS = script(
  'class Broken extends Error {}\nexport function main(args) { throw new Broken("no luck") }',
  'main() { fail no luck; }',
)

const SLEEPS = script(
  'export async function main(args) { await new Promise((done) => setTimeout(done, 60_000)) }',
  'main() { sleep 60; }',
)

const LEAVES_A_DAEMON = script(
  'import { spawn } from "node:child_process"\nexport function main(args) { spawn("sleep", ["60"], { detached: true, stdio: "inherit" }).unref(); return 1 }',
  'main() { setsid sleep 60 & echo 1; }',
)

const NO_FUNCTION = script('export const other = 1', 'other() { :; }')
const NOT_JSON = script('export const main = () => ({ when: NaN })', 'main() { echo hello; }')
const SECRET = script(
  'export function main(args) { console.log(process.env.API_KEY); return process.env.API_KEY.length }',
  'main() { echo "$API_KEY" >&2; echo "${#API_KEY}"; }',
)

describe.each(OTHERS)('an action in %s', (language) => {
  it('receives its arguments and returns JSON', async () => {
    const args = { name: 'Ada "L" \\', list: [1, { deep: true }], none: null }
    const result = await runAction(language, ECHO[language], { args })
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({
      status: 'completed',
      output: { got: args },
      summary: 'for Ada "L" \\',
    })
    expect(result.isolation).toMatchObject({ backend: 'namespaces', seccomp: true })
  })

  it('writes log lines with a level among its output', async () => {
    const events: RunEvent[] = []
    const call = { onEvent: (event: RunEvent) => void events.push(event) }
    const { logs_preview: logs } = await runAction(language, LOGS[language], { call })
    for (const word of ['one', 'two', 'three', 'four']) expect(logs).toContain(word)
    const levels = events.flatMap((each) =>
      each.type === 'log' && each.stream === 'log' ? [each.level] : [],
    )
    expect(levels).toEqual(['info', 'warning'])
  })

  it('reads its input blobs and writes new ones', async () => {
    const data = createFolder()
    const runtime = await createRuntimeIn(data)
    const { blob_id: inputBlob } = await runtime.createBlob({
      content: 'quiet',
      kind: 'text/plain',
    })
    const options = { data, args: { given: inputBlob }, blobs: [inputBlob] }
    const result = await runAction(language, BLOBS[language], options)
    expect(result.error).toBeUndefined()
    const { id, back } = result.output as { id: string; back: string }
    expect(back).toBe('QUIET')
    expect(result.output_blobs).toContain(id)
    expect(await runtime.readBlob({ blob_id: id })).toMatchObject({
      content: 'QUIET',
      kind: 'text/x-loud',
    })
  })

  it('cannot read blobs that are not its input', async () => {
    const data = createFolder()
    const runtime = await createRuntimeIn(data)
    const { blob_id: inputBlob } = await runtime.createBlob({
      content: 'quiet',
      kind: 'text/plain',
    })
    const result = await runAction(language, BLOBS[language], { data, args: { given: inputBlob } })
    expect(JSON.stringify(result)).not.toContain('QUIET')
  })

  it('stores a long result as a blob', async () => {
    const { output, output_blobs: blobIds } = await runAction(language, LARGE[language])
    expect(output).toMatchObject({ truncated: true, blob_id: blobIds[0] })
  })

  it('reports how and where it failed', async () => {
    const { status, error } = await runAction(language, FAILS[language])
    expect(status).toBe('failed')
    expect(error).toMatchObject({ message: 'no luck' })
    expect(error?.type).toBe(language === 'shell' ? 'SkillFailure' : 'Broken')
    if (language !== 'shell') {
      expect(error?.traceback).toMatch(/code\/main\.[jt]s:\d/)
      expect(error?.traceback).not.toContain('/guest/')
    }
  })

  it('ends at its timeout', async () => {
    const { error } = await runAction(language, SLEEPS[language], { timeoutMs: 1500 })
    expect(error?.type).toBe('Timeout')
  })

  it('is not delayed by a process that it leaves', async () => {
    const result = await runAction(language, LEAVES_A_DAEMON[language], { timeoutMs: 30_000 })
    expect(result).toMatchObject({ status: 'completed', output: 1 })
  })

  it('needs the function that its manifest names', async () => {
    const { error } = await runAction(language, NO_FUNCTION[language])
    expect(error).toMatchObject({
      type: 'EntrypointNotFound',
      message: expect.stringContaining('"main"') as string,
    })
  })

  it('reports the part of its result that is not JSON', async () => {
    const { error } = await runAction(language, NOT_JSON[language])
    expect(error).toMatchObject({ type: 'SerializationError', hint: expect.any(String) as string })
  })

  it('receives the secrets that it declares, which are redacted everywhere', async () => {
    const value = 's3cr3t-value-of-this-test'
    const result = await runAction(language, SECRET[language], {
      toml: '[permissions]\nsecrets = ["API_KEY"]\n',
      call: { grants: { secrets: new Map([['API_KEY', value]]) } },
    })
    expect(result.output).toBe(value.length)
    expect(result.logs_preview).toContain('[redacted')
    expect(JSON.stringify(result)).not.toContain(value)
  })

  it('runs on the backend process too', async () => {
    const settings = { 'run.backend': 'process' }
    const result = await runAction(language, ECHO[language], { args: { name: 'x' }, settings })
    expect(result).toMatchObject({ status: 'completed', output: { got: { name: 'x' } } })
  })

  it('has no network', async () => {
    const connects = script(
      `import { connect } from 'node:net'
export async function main(args) {
  return await new Promise((done) => {
    connect(53, '1.1.1.1').on('error', (error) => done(error.code)).on('connect', () => done('there'))
  })
}`,
      'main() { if (exec 3<>/dev/tcp/1.1.1.1/53) 2>/dev/null; then json it=there; else json it=none; fi; }',
    )
    const { output } = await runAction(language, connects[language])
    expect(output).toEqual(language === 'shell' ? { it: 'none' } : 'ENETUNREACH')
  })
})

describe('an action in JavaScript', () => {
  it.each([
    ['returns bytes', 'new Uint8Array(3)', 'bytes'],
    ['returns a map', '({ a: new Map() })', 'a Map at .a'],
    ['returns itself', '(() => { const a = []; a.push(a); return a })()', 'contains itself'],
    ['returns a function', '[() => 1]', 'a function at [0]'],
    ['returns a large integer', '10n ** 30n', 'a bigint'],
  ])('that %s gets an error that names it', async (_, value, message) => {
    const { error } = await runAction('node', `export const main = () => ${value}`)
    expect(error?.message).toContain(message)
  })

  it.each([
    ['exits with an error', 'process.exit(3)', 'Exited', 'exit code 3'],
    ['exits with success', 'process.exit(0)', 'Exited', 'exit code 0'],
    [
      'waits for a promise that never settles',
      'await new Promise(() => {})',
      'NeverSettled',
      'never settled',
    ],
    ['throws a text', 'throw "x"', 'Error', 'threw "x"'],
    [
      'throws later',
      'setTimeout(() => { throw new TypeError("late") }); await new Promise(() => {})',
      'TypeError',
      'late',
    ],
    [
      'is killed',
      'process.kill(process.pid, "SIGKILL"); await new Promise(() => {})',
      'Killed',
      'SIGKILL',
    ],
    ['cannot be read', '}}}', 'SyntaxError', ''],
  ] as const)('that %s has failed', async (...[, code, type, message]) => {
    const { status, error } = await runAction('node', `export async function main() { ${code} }`)
    expect(status).toBe('failed')
    expect(error?.type).toBe(type)
    expect(error?.message).toContain(message)
  })

  it('may be CommonJS', async () => {
    const code = 'const { log } = require("./helper.js")\nexports.main = () => log'
    const files = { 'code/helper.js': 'exports.log = 7' }
    expect((await runAction('node', code, { files })).output).toBe(7)
  })

  it('cannot forge a frame on the channel', async () => {
    const code = `import { writeSync } from 'node:fs'
export function main() { writeSync(7, Buffer.alloc(64, 'R')); return 1 }`
    const { status, error } = await runAction('node', code)
    expect([status, error?.type]).not.toEqual(['completed', undefined])
  })

  it('reports its memory limit', async () => {
    const code =
      'export function main() { const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1)) }'
    const settings = { 'run.limits.memory': 128 * 1024 ** 2 }
    const { error } = await runAction('node', code, { settings })
    expect(error?.type).toBe('MemoryLimit')
  })

  it('writes and reads blobs as streams', async () => {
    const code = `import { blobs } from 'runtime'
import { once } from 'node:events'
export async function main() {
  const out = blobs.openWrite('text/plain')
  for (let n = 0; n < 40; n++) if (!out.write('x'.repeat(100_000))) await once(out, 'drain')
  out.end()
  await once(out, 'finish')
  let size = 0
  for await (const piece of blobs.openRead(out.blobId)) size += piece.length
  return { size, file: (await import('node:fs')).statSync(blobs.path(out.blobId)).size }
}`
    expect((await runAction('node', code)).output).toEqual({ size: 4_000_000, file: 4_000_000 })
  })
})

describe('an action in TypeScript', () => {
  it('reports progress as JavaScript does', async () => {
    const code = `import { progress } from 'runtime'
export function main(): string { progress(1, 2, 'half'); return 'done' }`
    const events: RunEvent[] = []
    const onEvent = (event: RunEvent) => void events.push(event)
    const call = { cwd: '/', env: { PATH: process.env['PATH'] }, onEvent }
    expect((await runAction('typescript', code, { call })).output).toBe('done')
    expect(events).toContainEqual({ type: 'progress', done: 1, total: 2, message: 'half' })
  })

  it('may import other files with types, and use all syntax of TypeScript', async () => {
    const files = {
      'code/helper.ts': 'export type Name = string\nexport const hi = (name: Name): string => name',
    }
    const code = `import { hi, type Name } from './helper.ts'\nexport const main = (args: { name: Name }) => hi(args.name)`
    expect((await runAction('typescript', code, { files, args: { name: 'x' } })).output).toBe('x')
    const whole = `import { hi, Name } from './helper'
enum Size { Small = 1, Large }
namespace Names { export const first: Name = 'a' }
const logged = (value: () => string, _: ClassMethodDecoratorContext) => () => value() + '!'
class Person {
  constructor(public readonly name: Name) {}
  @logged greet() { return hi(Names.first) }
}
export const main = () => [Size.Large, new Person('b').greet(), new Person('b').name]`
    expect((await runAction('typescript', whole, { files })).output).toEqual([2, 'a!', 'b'])
  })

  it('that throws reports the line of its source', async () => {
    const code = 'enum A { B }\n\n\nexport const main = () => { throw new Error(`no ${A.B}`) }'
    const { error } = await runAction('typescript', code)
    expect(error?.traceback).toMatch(/\.ts:4:/)
    const broken = await runAction('typescript', 'export const main = (: number) => 1')
    expect(broken.error?.message).toMatch(/expected|expression/i)
  })
})

describe('an action in shell', () => {
  it('that fails reports the failed command', async () => {
    const { error } = await runAction('shell', 'main() {\n  ls /nowhere\n  return 4\n}')
    expect(error).toMatchObject({ type: 'CommandFailed', exit_code: 4 })
    expect(error?.traceback).toContain('main.sh:')
  })

  it('that cannot be loaded reports so', async () => {
    const { error, logs_preview: logs } = await runAction('shell', 'main() { if }')
    expect(error?.type).toBe('LoadFailed')
    expect(logs).toContain('syntax error')
  })

  it('may print while it is loaded, and use strict mode', async () => {
    const code = 'set -euo pipefail\necho loading\nmain() { echo 1; }'
    const { output, logs_preview: logs } = await runAction('shell', code)
    expect(output).toBe(1)
    expect(logs).toContain('loading')
  })

  it('that prints much says how to read the rest of its log', async () => {
    const code = 'export function main() { for (let n = 1000; n < 3000; n++) console.log(n) }'
    const { run_id: id, logs_preview: logs } = await runAction('node', code)
    expect(logs).toContain(`read them with runs, action logs, run_id ${id} …`)
    expect(Buffer.byteLength(logs)).toBeLessThanOrEqual(2048)
    expect(Buffer.byteLength(logs)).toBeGreaterThan(1900)
  })

  it('that sends two requests at once gets both responses', async () => {
    const code = `main() {
  for n in 1 2 3 4 5 6 7 8; do (for m in 1 2 3 4 5; do arg a$n >>"$TMPDIR/all"; done) & done
  wait
  json lines:="$(sort -u "$TMPDIR/all" | wc -l)" all:="$(wc -l <"$TMPDIR/all")"
}`
    const args = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [`a${n}`, `text ${n}`]))
    expect((await runAction('shell', code, { args })).output).toEqual({ lines: 8, all: 40 })
  })

  it('gets an error for a missing argument, and may pass a default', async () => {
    const { error, logs_preview: logs } = await runAction('shell', 'main() { arg who; }')
    expect(error?.type).toBe('CommandFailed')
    expect(logs).toContain('the argument "who" is missing')
    const { output } = await runAction('shell', 'main() { json who="$(arg who nobody)"; }')
    expect(output).toEqual({ who: 'nobody' })
  })

  it('that is killed is reported as killed', async () => {
    const { error } = await runAction('shell', 'main() { kill -KILL $$; }')
    expect(error).toMatchObject({ type: 'Killed', signal: 'SIGKILL' })
  })

  it('that prints forever exceeds its limit', async () => {
    const { error } = await runAction('shell', 'main() { yes >&2; }')
    expect(error?.type).toBe('OutputLimit')
  })
})
