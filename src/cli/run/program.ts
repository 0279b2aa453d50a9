import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { EXECUTE_BOUNDS } from '../../core/programs/execute-bounds.ts'
import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { LanguageName } from '../../core/languages/language.ts'
import type { OutputMode } from '../../core/outputs/view/output-view.ts'
import { SkillsError } from '../../errors.ts'
import { openHandle } from '../access/open-handle.ts'
import { listOption, textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { showExecution } from '../ui/execution.ts'
import { passOn } from '../ui/pass-on.ts'
import { readTimeout, settingsOf } from './options.ts'
import type { Sources } from './sources.ts'

/** What a program is run from. */
export interface ProgramRequest {
  /** Undefined where the language's own program gets the arguments. */
  code: string | undefined
  sources: Sources
  /** Standard input has been read for the code. */
  isInputTaken: boolean
}

/** Runs code as a program, or a language's own program; answers with the exit code. */
export async function performAsProgram(
  context: Context,
  call: Call,
  request: ProgramRequest,
): Promise<number> {
  const mode = textOption(call, 'outputMode') as OutputMode | undefined
  const params = await paramsOf(call, request)
  const handle = await openHandle(context, call, { settings: settingsOf(call) })
  const isShown = mode === undefined && !context.global.json
  const output = isShown ? passOn(context) : undefined
  const outputMode = mode ?? (isShown ? 'minimal' : 'summary')
  const io = { onOutput: output?.take }
  const result = await handle.call('runtime.execute', { ...params, outputMode }, io)
  await output?.end()
  if (context.global.json) context.document('skills.execute/v1', { ...result })
  else showExecution(context, result, { isShown })
  return exitCodeOf(result)
}

function exitCodeOf({ status }: ExecuteResult): number {
  if (status === 'cancelled') return 130
  return status === 'success' ? 0 : 1
}

async function paramsOf(
  call: Call,
  { code, sources, isInputTaken }: ProgramRequest,
): Promise<ExecuteParams> {
  const dashed = call.dashed ?? 0
  const args = dashed === 0 ? [] : call.args.slice(-dashed)
  const terms = listOption(call, 'query')
  const repoId = textOption(call, 'repo')
  const relativeCwd = textOption(call, 'cwd')
  if (relativeCwd !== undefined && repoId === undefined) {
    throw new SkillsError('usage/invalid', '--cwd is a folder of a repository, and there is none', {
      hint: 'Name a registered repository with --repo, or leave --cwd out',
    })
  }
  return {
    runtime: (textOption(call, 'language') ?? 'python') as LanguageName,
    code,
    args,
    repoId,
    relativeCwd,
    executable: textOption(call, 'executable'),
    stdin: await readInput(textOption(call, 'stdin'), { sources, isInputTaken }),
    timeoutMs: readProgramTimeout(call),
    ...(terms.length > 0 && { queryTerms: terms }),
    maxResponseLines: readLines(textOption(call, 'maxLines')),
  }
}

/** Text, `@file`, or `-` for this command's own standard input. */
async function readInput(
  given: string | undefined,
  { sources, isInputTaken }: Pick<ProgramRequest, 'sources' | 'isInputTaken'>,
): Promise<string | undefined> {
  if (given === undefined || (given !== '-' && !given.startsWith('@'))) return given
  if (given.startsWith('@')) return sources.text(given.slice(1))
  if (!isInputTaken) return await sources.standardInput()
  throw new SkillsError('usage/invalid', 'Cannot read standard input for the code and --stdin', {
    hint: 'Put one of them into a file',
  })
}

function readProgramTimeout(call: Call): number | undefined {
  const timeout = readTimeout(call)
  const [least, most] = EXECUTE_BOUNDS.timeoutMs
  if (timeout === undefined || (timeout >= least && timeout <= most)) return timeout
  const given = textOption(call, 'timeout')
  throw new SkillsError('usage/invalid', `Expected 100ms to 10m for --timeout, got "${given}"`, {
    hint: 'Write it as 30s, 500ms or 5m',
  })
}

function readLines(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const lines = Number(text)
  if (Number.isSafeInteger(lines) && lines >= 5 && lines <= 1000) return lines
  throw new SkillsError('usage/invalid', `Expected 5 to 1000 for --max-lines, got "${text}"`, {
    hint: 'Write it as --max-lines 100',
  })
}
