import { onTestFinished } from 'vitest'
import type { RunCodeParams } from '../../../../src/core/methods/run-code/definition.ts'
import type { RunCall } from '../../../../src/core/runs/run-call.ts'
import type { KernelBounds } from '../../../../src/core/runs/kernels/kernels.ts'
import { createRuntime, type Runtime } from '../../../../src/core/runtime.ts'
import { endAllSessions } from '../../../../src/core/workspaces/sessions/end-sessions.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createRuntimeIn } from '../run-action.ts'

type CellOptions = Partial<RunCodeParams> & { call?: Partial<RunCall> }

export type RunCell = (code: string, options?: CellOptions) => ReturnType<Runtime['runCode']>

/** Opens a runtime whose kernels end with the test. */
export async function openKernels(
  settings: Record<string, unknown> = {},
  kernels?: Partial<KernelBounds>,
) {
  const data = createFolder()
  const { config } = await createRuntimeIn(data, settings)
  const runtime = createRuntime({ config, cacheDir: null, bounds: { kernels } })
  onTestFinished(async () => await endAllSessions(runtime))
  const env = { PATH: process.env['PATH'] }
  const call: RunCall = { cwd: data, env, caller: { principal: 'ada' } }
  const runIn =
    (language: 'python' | 'node'): RunCell =>
    async (code, { call: own, ...params } = {}) =>
      await runtime.runCode(
        { language, code, kernel: 'k', limits: { timeout_ms: 60_000 }, ...params },
        { ...call, ...own },
      )
  return { runtime, call, python: runIn('python'), node: runIn('node') }
}
