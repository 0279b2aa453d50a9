import { invalidParamError } from '../../errors.ts'
import { getLanguage } from '../languages/index.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../languages/language.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { EXECUTE_BOUNDS, EXECUTE_DETAILS } from './execute-bounds.ts'
import { OUTPUT_MODES } from '../outputs/view/output-view.ts'

/** Rejects invalid parameters, independent of the transport. */
export function checkExecuteParams(params: ExecuteParams): void {
  const { runtime, code, args, stdin, executable, command, relativeCwd, repoId } = params
  checkRuntimeName(runtime)
  checkRanges(params)
  checkLists(params)
  if (code !== undefined && code.length > EXECUTE_BOUNDS.code) {
    throw invalidParamError(
      'code',
      `expected at most ${EXECUTE_BOUNDS.code} characters, got ${code.length}`,
    )
  }
  checkArgv('executable', [executable, command])
  checkArgv('args', args ?? [])
  const size = Buffer.byteLength(stdin ?? '')
  if (size > EXECUTE_BOUNDS.stdinBytes) {
    throw invalidParamError(
      'stdin',
      `expected at most 512 KiB (${EXECUTE_BOUNDS.stdinBytes} bytes), got ${size}`,
    )
  }
  checkCwd(relativeCwd, repoId)
  checkCodeMode(params)
}

function checkRuntimeName(runtime: string): void {
  if ((LANGUAGE_NAMES as readonly string[]).includes(runtime)) return
  const suggestion = findNearest(runtime, LANGUAGE_NAMES)
  const guess = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
  throw invalidParamError(
    'runtime',
    `expected one of ${LANGUAGE_NAMES.join(', ')}, got "${runtime}"${guess}`,
  )
}

function checkRanges(params: ExecuteParams): void {
  for (const name of ['timeoutMs', 'contextLines', 'maxResponseLines'] as const) {
    const value = params[name]
    const [minimum, maximum] = EXECUTE_BOUNDS[name]
    if (
      value === undefined ||
      (Number.isSafeInteger(value) && value >= minimum && value <= maximum)
    ) {
      continue
    }
    throw invalidParamError(
      name,
      `expected a whole number from ${minimum} to ${maximum}, got ${value}`,
    )
  }
}

function checkLists({ queryTerms = [], args = [], ...params }: ExecuteParams): void {
  const { outputMode = 'minimal', detail = 'standard' } = params
  if (queryTerms.length > EXECUTE_BOUNDS.queryTerms) {
    throw invalidParamError('queryTerms', `expected at most 10 terms, got ${queryTerms.length}`)
  }
  if (queryTerms.some(({ length }) => length > EXECUTE_BOUNDS.queryTerm)) {
    const maximum = EXECUTE_BOUNDS.queryTerm
    throw invalidParamError('queryTerms', `expected at most ${maximum} characters in a term`)
  }
  if (args.length > EXECUTE_BOUNDS.args) {
    throw invalidParamError('args', `expected at most 100 arguments, got ${args.length}`)
  }
  if (!OUTPUT_MODES.includes(outputMode)) {
    throw invalidParamError(
      'outputMode',
      `expected one of ${OUTPUT_MODES.join(', ')}, got "${outputMode}"`,
    )
  }
  if (!EXECUTE_DETAILS.includes(detail)) {
    throw invalidParamError(
      'detail',
      `expected one of ${EXECUTE_DETAILS.join(', ')}, got "${detail}"`,
    )
  }
}

/** Bytes of the longest argument that the kernel accepts. */
const MAX_ARGUMENT_BYTES = 131_071

function checkArgv(param: string, argv: readonly (string | undefined)[]): void {
  for (const argument of argv) {
    if (argument === undefined) continue
    if (argument.includes('\0')) throw invalidParamError(param, 'expected no NUL in it')
    if (param === 'executable' && argument.trim() === '')
      throw invalidParamError(param, 'expected a program, got ""')
    const size = Buffer.byteLength(argument)
    if (size > MAX_ARGUMENT_BYTES) {
      throw invalidParamError(
        param,
        `expected arguments of at most ${MAX_ARGUMENT_BYTES} bytes, got ${size}; stdin takes more`,
      )
    }
  }
}

function checkCwd(cwd: string | undefined, repoId: string | undefined): void {
  if (cwd === undefined) return
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:)/.test(cwd)
  if (isAbsolute || cwd.includes('\0') || cwd.split(/[/\\]/).includes('..')) {
    throw invalidParamError(
      'relativeCwd',
      `expected a path below the repository, got ${JSON.stringify(cwd)}`,
    )
  }
  if (repoId === undefined && cwd !== '' && cwd !== '.') {
    throw invalidParamError('relativeCwd', 'it is a folder of a repository, and repoId names none')
  }
}

function checkCodeMode({ runtime, code, args = [], stdin }: ExecuteParams): void {
  const language = getLanguage(runtime)
  if (language.codeOnly && (code ?? '') === '') {
    const example = EXAMPLES[runtime] ?? ''
    const reason = `${language.title} takes "code" on this platform (${process.platform}), such as ${example}`
    throw invalidParamError('code', `${reason}; a program is not started by args alone`)
  }
  if (code === undefined && args.length === 0 && stdin === undefined) {
    throw invalidParamError('code', 'there is nothing to run: give code, args or both')
  }
}

const EXAMPLES: Partial<Record<LanguageName, string>> = {
  shell: '{ runtime: "shell", code: "echo ok" }',
  powershell: '{ runtime: "powershell", code: "Write-Output ok" }',
}
