import { createInterface } from 'node:readline'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import { performRun } from '../../../../src/core/runs/perform-run.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { SkillsError } from '../../../../src/errors.ts'
import type { TierResponse, TierRequest, TierOptions, TierProgramResult } from './tier-protocol.ts'
import { BARE_PLAN } from './bare-plan.ts'

/** A runtime with a zygote, in a process of its own; reads one request per line. */
const { base, maxForks, settings } = JSON.parse(process.argv[2] ?? '') as TierOptions
const env = { PATH: '/usr/bin:/bin' }
const sandboxes = new Sandboxes({ maxForks })
const warm = await sandboxes.keepWarm({ cwd: base, env })
const flags = { 'directories.data': base, ...settings }
const { config } = await loadConfig({ cwd: base, env, file: undefined, noFiles: true, flags })
const forking = createRuntime({ config, cacheDir: null, sandboxes })
const starting = createRuntime({ config, cacheDir: null })

async function perform({ number, code = '', args = {}, ...more }: TierRequest) {
  const controller = new AbortController()
  if (more.cancelAfterMs !== undefined) setTimeout(() => controller.abort(), more.cancelAfterMs)
  const onEvent = (event: RunEvent) => {
    if (more.tells && event.type === 'log') sendResponse({ number, printed: event.text })
  }
  const call = { cwd: base, env, signal: controller.signal, onEvent }
  const limits = { timeout_ms: more.timeoutMs ?? 60_000 }
  const runtime = more.isCold ? starting : forking
  return await runtime.runCode({ language: 'python', code, args, limits }, call)
}

/** Runs a shell instead of the harness, without granted files. */
async function performShell({ code = '', isCold }: TierRequest): Promise<TierProgramResult> {
  const printed: Buffer[] = []
  const take = (chunk: Buffer) => void printed.push(chunk)
  const program = { argv: ['/bin/sh', '-c', code], cwd: '/workspace', env }
  const outcome = await performRun(
    isCold ? starting : forking,
    {
      ...BARE_PLAN,
      sinks: { stdout: take, stderr: () => {} },
      program,
    },
    { cwd: base, env },
  )
  return { ...outcome, output: Buffer.concat(printed).toString('utf8') }
}

function sendResponse(response: TierResponse): void {
  process.stdout.write(`${JSON.stringify(response)}\n`)
}

async function stopAll(): Promise<void> {
  for (const { sandboxes: each } of [forking, starting]) await each.stop()
}

async function handleRequest(asked: TierRequest): Promise<TierResponse> {
  try {
    if (asked.what === 'run') return { number: asked.number, result: await perform(asked) }
    if (asked.what === 'program') {
      return { number: asked.number, program: await performShell(asked) }
    }
    if (asked.what === 'stop') await stopAll()
    else await warm.waitUntilSettled()
    return { number: asked.number, pid: warm.pid, problem: warm.problem }
  } catch (error) {
    const { code, message } = error as SkillsError
    return { number: asked.number, thrown: { code: String(code), message } }
  }
}

for await (const line of createInterface(process.stdin)) {
  void handleRequest(JSON.parse(line) as TierRequest).then(sendResponse)
}
await stopAll()
