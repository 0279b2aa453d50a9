import { keepSandboxes } from '../../helpers/kept-sandboxes.ts'
import * as cold from './run-action.ts'
import { runProgram as runProgramCold, type ProgramRun } from './run-program.ts'

export { buildShellArgv } from './run-program.ts'
export { buildMain } from './run-python.ts'

/**
 * Runs in forks of the sandboxes that the worker keeps, which takes a fraction of the time of a cold
 * start. Tests of sandboxes themselves use run-action.ts, run-python.ts and run-program.ts.
 */
export async function runAction(
  ...[language, code, options]: Parameters<typeof cold.runAction>
): ReturnType<typeof cold.runAction> {
  return await cold.runAction(language, code, { sandboxes: await keepSandboxes(), ...options })
}

export async function runPython(code: string, options: cold.ActionRun = {}) {
  return await runAction('python', code, { timeoutMs: 20_000, ...options })
}

export async function runProgram(argv: readonly string[], options: ProgramRun = {}) {
  return await runProgramCold(argv, { sandboxes: await keepSandboxes(), ...options })
}

export async function createRuntimeIn(data: string, settings: Record<string, unknown> = {}) {
  return await cold.createRuntimeIn(data, settings, await keepSandboxes())
}
