// @module-tag slow
// @module-tag nightly
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { warmRuntime, type WarmRuntime } from './warm-runtime.ts'
import { TierRuntime, TIERS } from './tier-runtime.ts'

/** Secrets of a process that the kernel draws when it executes a program. */
const READ_LAYOUT = `import ctypes, struct
auxv = open("/proc/self/auxv", "rb").read()
entries = dict(struct.unpack_from("@NN", auxv, at) for at in range(0, len(auxv), 16))
libc = ctypes.CDLL(None)
return {
    "at_random": ctypes.string_at(entries[25], 16).hex(),
    "stack": entries[25],
    "vdso": entries.get(33),
    "libc": ctypes.cast(libc.getpid, ctypes.c_void_p).value,
    "hash": str(hash("skills")),
}`

const RUNS = 4

async function readLayouts(all: TierRuntime) {
  const results: RunResult[] = []
  for (let at = 0; at < RUNS; at += 1) results.push(await all.run(READ_LAYOUT))
  for (const { error, isolation } of results)
    expect([error, isolation?.path]).toEqual([undefined, 'warm'])
  const names = Object.keys(results[0]?.output as object)
  return {
    reported: [...new Set(results.map(({ isolation }) => isolation?.memory_layout))],
    distinct: Object.fromEntries(
      names.map((name) => [
        name,
        new Set(results.map(({ output }) => (output as Record<string, unknown>)[name])).size,
      ]),
    ),
  }
}

const EACH = { at_random: RUNS, stack: RUNS, vdso: RUNS, libc: RUNS, hash: RUNS }
const ONE = { at_random: 1, stack: 1, vdso: 1, libc: 1, hash: 1 }

describe.each(TIERS)('forks of %s', (tier) => {
  let sharing: TierRuntime
  let separate: TierRuntime
  beforeAll(async () => {
    sharing = new TierRuntime(tier)
    separate = new TierRuntime(tier, { settings: { 'run.warm': 'aslr' } })
    await Promise.all([sharing.zygote(), separate.zygote()])
  })
  afterAll(async () => {
    await Promise.all([sharing.close(), separate.close()])
  })

  it('have a layout, AT_RANDOM and hash seed of their own with run.warm = "aslr"', async () => {
    expect(await readLayouts(separate)).toEqual({ reported: ['own'], distinct: EACH })
  })

  it('share those of the zygote without it, and report this', async () => {
    expect(await readLayouts(sharing)).toEqual({ reported: ['shared'], distinct: ONE })
  })

  it('report their exit, signal and exceptions with run.warm = "aslr" as without', async () => {
    for (const body of [
      'raise ValueError("x")',
      'sys.exit(3)',
      'os.kill(os.getpid(), 9)',
      'print("printed"); return open("/workspace/f", "w").write("12")',
      'return sorted(os.listdir("/proc/self/fd"))',
    ]) {
      const [one, other] = [await separate.run(body), await sharing.run(body)]
      const compared = ({ status, output, error, logs_preview }: typeof one) => ({
        status,
        output,
        error,
        logs_preview,
      })
      expect(compared(one)).toEqual(compared(other))
    }
  })
})

/** Reads the memory map of the process that supervises the shell. */
async function runShell({ runtime }: WarmRuntime) {
  const code = `main() { json map="$(head -n 1 "/proc/$PPID/maps")" auxv="$(od -An -tx8 "/proc/$PPID/auxv" | tr -d ' \\n')"; }`
  const call = { cwd: '/', env: { PATH: process.env['PATH'] } }
  const result = await runtime.runCode({ language: 'shell', code }, call)
  expect([result.error, result.isolation?.path]).toEqual([undefined, 'warm'])
  const { map, auxv } = result.output as { map: string; auxv: string }
  return { layout: `${map} ${auxv}`, reported: result.isolation?.memory_layout }
}

it.each([
  [true, 'shared', 1],
  ['aslr', 'own', 3],
])(
  'with run.warm = %s, shell scripts see harnesses with a layout that is %s',
  async (warm, kind, count) => {
    const all = await warmRuntime({ settings: { 'run.warm': warm } })
    const seen = [await runShell(all), await runShell(all), await runShell(all)]
    expect(new Set(seen.map(({ layout }) => layout)).size).toBe(count)
    expect(seen.map(({ reported }) => reported)).toEqual([kind, kind, kind])
  },
)

it('JavaScript and programs have layouts of their own in every warm run', async () => {
  const { runtime } = await warmRuntime()
  const call = { cwd: '/', env: { PATH: process.env['PATH'] } }
  const code = `import { readFileSync } from 'node:fs'
export const main = () => readFileSync('/proc/self/maps', 'utf8').split('\\n').find((line) => line.includes('libc.so'))`
  const runNode = async () => await runtime.runCode({ language: 'node', code }, call)
  // The next zygote sees the program of a language that was used several times.
  await expect.poll(async () => (await runNode()).isolation?.path, { timeout: 20_000 }).toBe('warm')
  const [one, other] = [await runNode(), await runNode()]
  expect(one.output).not.toEqual(other.output)
  expect(other.isolation).toMatchObject({ path: 'warm', memory_layout: 'own' })
  const program = { runtime: 'python', code: 'print(1)', detail: 'full' } as const
  const { isolation } = await runtime.execute(program, call)
  expect(isolation).toMatchObject({ path: 'warm', memory_layout: 'own' })
})

const rule = (language: string) =>
  `[[rules]]\nname = "own"\nwhen = { languages = ["${language}"] }\nrequire = { aslr = true }`

it.each([
  ['that requires it', '[require]\naslr = true', 'own'],
  ['with a rule that requires it for Python', rule('python'), 'own'],
  ['with a rule that requires it for Node', rule('node'), 'shared'],
  ['that does not require it', '[require]\naslr = false', 'shared'],
])('a policy %s decides about the layout of a Python run', async (_, policy, kind) => {
  const file = join(createFolder({ 'policy.toml': policy }), 'policy.toml')
  const { run } = await warmRuntime({ settings: { 'policy.file': file } })
  const { isolation } = await run('return 1')
  expect(isolation).toMatchObject({ path: 'warm', memory_layout: kind })
})

it('a fork that executes its interpreter again is in the namespaces and filter of the run', async () => {
  const { run } = await warmRuntime({ settings: { 'run.warm': 'aslr' } })
  const body = `words = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().split("\\n") if ":\\t" in line)
return [os.listdir("/proc").count("1"), words["CapEff"].strip(), words["CapBnd"].strip(), words["NoNewPrivs"], words["Seccomp"], os.getuid() == 0, open("/proc/self/cmdline").read().split("\\0")[-2]]`
  const { output, isolation } = await run(body)
  expect(isolation).toMatchObject({ path: 'warm', reason: 'zygote', memory_layout: 'own' })
  const none = '0000000000000000'
  expect(output).toEqual([1, none, none, '1', '2', false, '/guest/harness_main.py'])
})
