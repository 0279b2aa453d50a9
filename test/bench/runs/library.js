// The library as a program uses it, with generated skills.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = process.env.BENCH_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url))
const { createRuntime, loadConfig } = await import(join(DIST, 'index.js'))

export const GUEST = join(DIST, 'guest')
const dir = mkdtempSync(join(tmpdir(), 'skills-bench-runs-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

/** A runtime whose data and caches are removed at the end of the benchmark. */
export async function openRuntime(settings = {}, { warm = false } = {}) {
  const env = { HOME: dir, PATH: process.env.PATH }
  const flags = { 'directories.data': join(dir, 'data'), ...settings }
  const { config } = await loadConfig({ cwd: dir, env, file: undefined, noFiles: true, flags })
  const runtime = createRuntime({ config, cacheDir: join(dir, 'cache') })
  mkdirSync(join(dir, 'cache'), { recursive: true })
  const call = { cwd: dir, env: { PATH: process.env.PATH } }
  const kept = warm ? await runtime.keepWarm(call) : undefined
  await kept?.waitUntilSettled()
  const run = (code, params = {}) => runtime.runCode({ language: 'python', code, ...params }, call)
  return Object.assign(run, { runtime, stop: async () => await kept?.stop() })
}

/** Executes a function that only returns, which must take the warm or the cold path as requested. */
export async function runTrivialCode(run, path) {
  const { status, isolation, error } = await run('def main(args):\n    return 1\n')
  if (status !== 'completed') throw new Error(`A ${path} run ${status}: ${error?.message}`)
  if (isolation.path !== path)
    throw new Error(`A ${path} run was ${isolation.path}: ${isolation.reason}`)
}

/** For arms that need small input files. */
export function writeFile(name, text) {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
