import { cancelledError, SkillsError, toSkillsError } from '../../../errors.ts'
import { backendUnusableError } from '../start-errors.ts'
import { openArmouredStreams, readArmourCode } from './armoured-streams.ts'
import type { Executor, ExecutorCommand, ExecutorProcess } from './executor.ts'

const PYTHON = ['python3', '-I', '-S', '-B', '-c'] as const

/** Starts Python code by an executor. Its streams carry bytes, behind an armour if necessary. */
export async function startPython(
  executor: Executor,
  { code, ...command }: Omit<ExecutorCommand, 'argv'> & { code: string },
): Promise<ExecutorProcess> {
  const isText = executor.streams === 'text'
  const argv = [...PYTHON, ...(isText ? [readArmourCode(), code] : [code])]
  try {
    const started = await executor.start({ ...command, argv })
    for (const each of [started.stdin, started.stdout, started.stderr]) each.on('error', () => {})
    return isText ? openArmouredStreams(started) : started
  } catch (error) {
    if (command.signal?.aborted) throw cancelledError()
    const { message, hint } = toSkillsError(error)
    const why = error instanceof SkillsError ? message : (error as Error).message
    throw backendUnusableError(
      `The executor "${executor.name}" did not start a command: ${why}`,
      hint ?? 'Test it with checkExecutor of skills-protocol/executors',
    )
  }
}
