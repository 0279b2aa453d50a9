import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime, type Runtime } from '../../../../src/core/runtime.ts'
import { executeEntry } from '../../../../src/core/methods/execute-skill/handler.ts'
import { runCodeWithEntries } from '../../../../src/core/methods/run-code/handler.ts'
import { readEntryAt } from '../../../../src/core/skills/repository/open-repository.ts'
import type { RunCall } from '../../../../src/core/runs/run-call.ts'
import type { BackendName } from '../../../../src/core/sandbox/isolation.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { SkillsError } from '../../../../src/errors.ts'
import { writeTree } from '../../../helpers/skills.ts'
import type { RunReport, RunSpec } from './worker-protocol.ts'

/** Starts the runs that it reads from stdin and reports one per line. */
const {
  backend,
  path: asked,
  base,
  width,
  timeFactor,
  runs,
} = JSON.parse(await text(process.stdin)) as {
  backend: BackendName
  path: 'cold' | 'warm'
  base: string
  width: number
  timeFactor: number
  runs: RunSpec[]
}

const sandboxes = new Sandboxes({ backend })
if (asked === 'warm') {
  const pool = await sandboxes.keepWarm({ cwd: base, env: { PATH: '/usr/bin:/bin' } })
  await pool.waitUntilSettled()
}

const rest = runs.filter((each) => each.isAlone !== true)

async function work(): Promise<void> {
  for (let spec = rest.shift(); spec; spec = rest.shift()) {
    process.stdout.write(`${JSON.stringify(await report(spec))}\n`)
  }
}

async function report(spec: RunSpec): Promise<RunReport> {
  const home = mkdtempSync(join(base, 'home-'))
  const env = { HOME: home, PATH: '/usr/bin:/bin' }
  const flags = { 'directories.data': home, 'run.backend': backend, ...spec.settings }
  const { config } = await loadConfig({ cwd: home, env, file: undefined, noFiles: true, flags })
  const runtime = createRuntime({ config, cacheDir: null, sandboxes })
  const done: RunReport = { id: spec.id, logs: [], notes: [], blobs: [], grownBytes: 0 }
  const before = process.memoryUsage().rss
  const watch = setInterval(() => {
    done.grownBytes = Math.max(done.grownBytes, process.memoryUsage().rss - before)
  }, 20)
  const keepIn = spec.keep === true ? join(home, 'kept') : undefined
  const call: RunCall = {
    cwd: home,
    env: { PATH: '/usr/bin:/bin', SKILLS_CANARY: process.env['SKILLS_CANARY'] },
    grants: { secrets: new Map(Object.entries(spec.secrets ?? {})) },
    keepIn,
    onEvent: (event) => {
      if (event.type !== 'log') return
      if (event.stream === 'runtime') done.notes.push(event.text)
      else if (done.logs.length < 5000) done.logs.push(event)
    },
  }
  try {
    const result = await start(runtime, spec, { home, call })
    done.result = result
    const store = await runtime.blobs()
    for (const id of result.output_blobs.slice(0, 5)) {
      const content = (await buffer(await store.read(id, { end: 200_000 }))).toString('latin1')
      done.blobs.push({ kind: (await store.info(id)).kind ?? '', content })
    }
  } catch (error) {
    const { code, message } = error as SkillsError
    done.thrown = { code: String(code), message }
  }
  clearInterval(watch)
  if (keepIn !== undefined) done.kept = listPathsBelow(Buffer.from(keepIn))
  return done
}

async function start(
  runtime: Runtime,
  spec: RunSpec,
  { home, call }: { home: string; call: RunCall },
) {
  const granted = await storeAll(runtime, spec.blobs)
  const others = await storeAll(runtime, spec.otherBlobs)
  const common = {
    args: { ...spec.args, ids: granted, others },
    input_blobs: [...granted, ...(spec.blobIds ?? [])],
  }
  const timeout_ms = (spec.timeoutMs ?? 30_000) * timeFactor
  if (spec.as === 'code') {
    const limits = { timeout_ms }
    const params = { language: 'python', code: spec.code, ...common, limits, entries: [] }
    return await runCodeWithEntries(runtime, params, call)
  }
  const dir = join(home, 'skill')
  mkdirSync(dir)
  writeTree(dir, { 'skill.toml': createManifest(spec), 'main.py': spec.code, ...spec.files })
  if (spec.prepare !== undefined) execFileSync('/bin/sh', ['-ec', spec.prepare], { cwd: dir })
  const entry = await readEntryAt(dir)
  return await executeEntry(runtime, { entry, ...common, timeout_ms }, call)
}

function createManifest({ secrets = {}, toml = '' }: RunSpec): string {
  const names = JSON.stringify(Object.keys(secrets))
  return `name = "abuse.case"
version = "0.1.0"
description = "x"
kind = "action"
[runtime]
language = "python"
entrypoint = "main.py"
export = "main"
[permissions]
secrets = ${names}
${toml}`
}

async function storeAll(runtime: Runtime, contents: readonly string[] = []): Promise<string[]> {
  const ids: string[] = []
  for (const content of contents) {
    const writer = await (await runtime.blobs()).writer({ kind: 'text/plain' })
    await writer.write(Buffer.from(content))
    ids.push((await writer.commit()).id)
  }
  return ids
}

/** File names need not be valid text; each byte is shown as one character. */
function listPathsBelow(top: Buffer): string[] {
  const found: string[] = []
  const pending = existsSync(top) ? [top] : []
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      found.push(path.toString('latin1').slice(top.length + 1))
      if (lstatSync(path).isDirectory()) pending.push(path)
    }
  }
  return found.sort()
}

await Promise.all(Array.from({ length: width }, work))
for (const spec of runs.filter((each) => each.isAlone)) rest.push(spec)
await work()
await sandboxes.stop()
