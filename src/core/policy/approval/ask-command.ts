import {
  describeFailure,
  runHostProgram,
  type HostProgramResult,
} from '../../host-programs/run-host-program.ts'
import { checkProgram } from '../../languages/trusted-program.ts'
import {
  createFailedAnswer,
  MAX_ANSWER_BYTES,
  parseAnswer,
  type ApprovalAnswer,
} from './question.ts'

/** Input of a command hook. */
interface CommandQuestion {
  command: readonly [string, ...string[]]
  /** One JSON object, written to stdin. */
  question: string
  env: Readonly<Record<string, string | undefined>>
  /** Folders whose programs are never started: registered repositories, which runs may modify. */
  excluded: readonly string[]
  /** Aborted at the timeout, or when the caller disconnects. */
  signal: AbortSignal
}

const REFUSED_EXIT_CODE = 1

/**
 * Runs a program of the operator on this machine. Exit code 0 approves, 1 refuses; a JSON object on
 * stdout adds details and must agree with the exit code. Anything else is a failed approval.
 */
export async function askCommand(request: CommandQuestion): Promise<ApprovalAnswer> {
  const [program, ...args] = request.command
  const checked = checkProgram(program, request.excluded)
  if ('problem' in checked) return createFailedAnswer(checked.problem)
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' } = request.env
  const result = await runHostProgram([program, ...args], {
    cwd: '/',
    env: { PATH, HOME, LANG },
    input: `${request.question}\n`,
    signal: request.signal,
    maxBytes: MAX_ANSWER_BYTES,
    ignoresStderr: true,
  })
  return result.ok || isRefusal(result)
    ? parseCommandAnswer(result)
    : createFailedAnswer(describeFailure(result))
}

function isRefusal({ exitCode, wasCut, wasCancelled }: HostProgramResult): boolean {
  return exitCode === REFUSED_EXIT_CODE && !wasCut && !wasCancelled
}

function parseCommandAnswer({ ok, stdout }: HostProgramResult): ApprovalAnswer {
  const byStatus = ok ? 'approved' : 'refused'
  const output = stdout.trim()
  if (output === '') return { answer: byStatus }
  const answer = parseAnswer(output)
  if (!answer) return createFailedAnswer('Its output is not a valid answer')
  return answer.answer === byStatus
    ? answer
    : createFailedAnswer('Its answer contradicts its exit code')
}
