import { constants } from 'node:os'
import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { EXECUTE_BOUNDS } from '../../core/programs/execute-bounds.ts'
import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { LanguageName } from '../../core/languages/language.ts'
import type { RunEvent } from '../../core/runs/run-call.ts'
import type { OutputMode } from '../../core/outputs/view/output-view.ts'
import { SkillsError } from '../../errors.ts'
import { openHandle } from '../access/open-handle.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { showExecution } from '../ui/execution.ts'
import { createOutputForwarder } from '../ui/forward-output.ts'
import { isDetachedProgram, readDetach, showDetached } from './detach.ts'
import { checkDryRun, showDryRun } from './dry-run.ts'
import { readRunTimeout, readRunSettings } from './options.ts'
import type { Sources } from './sources.ts'

/** Input of a program run. */
export interface ProgramRequest {
  /** Undefined if the language's own program gets the arguments. */
  code: string | undefined
  sources: Sources
  /** True if standard input was already read for the code. */
  isInputTaken: boolean
}

/** Runs code as a program, or a language's own program; returns the exit code. */
export async function performAsProgram(
  context: Context,
  call: CommandLine,
  request: ProgramRequest,
): Promise<number> {
  const mode = getTextOption(call, 'outputMode') as OutputMode | undefined
  const params = await readExecuteParams(call, request)
  checkDryRun(context, call)
  if (getFlagOption(call, 'dryRun')) {
    const { createProgramJob } = await import('../../core/programs/execute.ts')
    const { cwd, env, signal } = context
    return await showDryRun(context, call, {
      createJob: async (runtime) =>
        (
          await createProgramJob(runtime, params, {
            call: { cwd, env, signal, caller: { door: 'cli' } },
          })
        ).job,
    })
  }
  const isDetached = readDetach(call)
  const handle = await openHandle(context, call, { settings: readRunSettings(call) })
  const isShown = mode === undefined && !context.global.json && !isDetached
  const output = isShown ? createOutputForwarder(context) : undefined
  const outputMode = mode ?? (isShown ? 'minimal' : 'summary')
  const onEvent = (event: RunEvent) =>
    event.type === 'output' ? output?.forward(event.stream, event.chunk) : undefined
  const result = await handle.call(
    'runtime.execute',
    { ...params, outputMode, ...(isDetached && { detach: true }) },
    { onEvent },
  )
  await output?.finish()
  if (context.global.json) context.document('skills.execute/v1', { ...result })
  else if (isDetachedProgram(result)) showDetached(context, result.runId)
  else showExecution(context, result, { isShown })
  return toProgramExitCode(result, getFlagOption(call, 'exitCode'))
}

function toProgramExitCode(
  { status, exitCode, signal }: ExecuteResult,
  usesOwnCode: boolean,
): number {
  if (status === 'cancelled') return 130
  if (usesOwnCode) {
    const number = signal === null ? 0 : (constants.signals[signal as NodeJS.Signals] ?? 0)
    if (exitCode !== null && (exitCode > 0 || status !== 'timeout')) return exitCode
    if (number > 0) return 128 + number
  }
  return status === 'success' || status === 'running' ? 0 : 1
}

async function readExecuteParams(
  call: CommandLine,
  { code, sources, isInputTaken }: ProgramRequest,
): Promise<ExecuteParams> {
  const dashed = call.dashed ?? 0
  const args = dashed === 0 ? [] : call.args.slice(-dashed)
  const terms = getListOption(call, 'query')
  const repoId = getTextOption(call, 'repo')
  const relativeCwd = getTextOption(call, 'cwd')
  if (relativeCwd !== undefined && repoId === undefined) {
    throw new SkillsError('usage/invalid', '--cwd requires a repository', {
      hint: 'Add a registered repository with --repo, or remove --cwd',
    })
  }
  return {
    runtime: (getTextOption(call, 'language') ?? 'python') as LanguageName,
    code,
    args,
    repoId,
    relativeCwd,
    executable: getTextOption(call, 'executable'),
    stdin: await readProgramInput(getTextOption(call, 'stdin'), { sources, isInputTaken }),
    timeoutMs: readProgramTimeout(call),
    ...(terms.length > 0 && { queryTerms: terms }),
    maxResponseLines: parseLineCount(getTextOption(call, 'maxLines')),
  }
}

/** Text, `@file`, or `-` for standard input. */
async function readProgramInput(
  inputSource: string | undefined,
  { sources, isInputTaken }: Pick<ProgramRequest, 'sources' | 'isInputTaken'>,
): Promise<string | undefined> {
  if (inputSource === undefined || (inputSource !== '-' && !inputSource.startsWith('@')))
    return inputSource
  if (inputSource.startsWith('@')) return sources.readText(inputSource.slice(1))
  if (!isInputTaken) return await sources.readStdin()
  throw new SkillsError('usage/invalid', 'Cannot read standard input for the code and --stdin', {
    hint: 'Read one of them from a file',
  })
}

function readProgramTimeout(call: CommandLine): number | undefined {
  const timeout = readRunTimeout(call)
  const [min, max] = EXECUTE_BOUNDS.timeoutMs
  if (timeout === undefined || (timeout >= min && timeout <= max)) return timeout
  const timeoutText = getTextOption(call, 'timeout')
  throw new SkillsError(
    'usage/invalid',
    `Expected 100 ms to 10 minutes for --timeout, got "${timeoutText}"`,
    {
      hint: 'Write it as 30 (seconds), 30s, 500ms or 5m',
    },
  )
}

function parseLineCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const lines = Number(text)
  if (Number.isSafeInteger(lines) && lines >= 5 && lines <= 1000) return lines
  throw new SkillsError('usage/invalid', `Expected 5 to 1000 for --max-lines, got "${text}"`, {
    hint: 'Write it as --max-lines 100',
  })
}
