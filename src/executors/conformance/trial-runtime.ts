import { assertThat, formatValue } from '../../conformance/assertions.ts'
import { loadConfig } from '../../core/config/load-config.ts'
import { createRuntime, type Runtime } from '../../core/runtime.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { ExecutorTrial } from './requirement.ts'

/** A runtime with the executor, whose data is in a folder of the check. */
export async function openTrialRuntime(
  { executor, folder, signal }: ExecutorTrial,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ runtime: Runtime; call: RunCall; data: string }> {
  const env = { HOME: folder, PATH: SEARCH_PATH }
  const flags = { 'directories.data': folder, ...settings }
  const { config } = await loadConfig({ cwd: folder, env, noFiles: true, flags })
  const runtime = createRuntime({ config, executor, cacheDir: null })
  return { runtime, call: { cwd: folder, env, signal }, data: folder }
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Fails unless both are the same as JSON. */
export function expectValue(actual: unknown, expected: unknown): void {
  const isEqual = JSON.stringify(actual) === JSON.stringify(expected)
  assertThat(isEqual, `expected ${formatValue(expected)}, got ${formatValue(actual)}`)
}
