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

/** What a hook that is a program gets. */
interface CommandQuestion {
  command: readonly [string, ...string[]]
  /** One JSON object, on its standard input. */
  question: string
  env: Readonly<Record<string, string | undefined>>
  /** Folders whose programs are never started: those that are worked on. */
  excluded: readonly string[]
  /** Aborted when the time is over, or nobody waits any more. */
  signal: AbortSignal
}

const REFUSED_EXIT_CODE = 1

/**
 * Runs a program of the operator on this machine. Exit status 0 agrees, 1 refuses; a JSON object on
 * its standard output says more, and has to say the same. Anything else is no answer.
 */
export async function askCommand(asked: CommandQuestion): Promise<ApprovalAnswer> {
  const [program, ...args] = asked.command
  const checked = checkProgram(program, asked.excluded)
  if ('problem' in checked) return createFailedAnswer(checked.problem)
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' } = asked.env
  const result = await runHostProgram([program, ...args], {
    cwd: '/',
    env: { PATH, HOME, LANG },
    input: `${asked.question}\n`,
    signal: asked.signal,
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
  const said = stdout.trim()
  if (said === '') return { answer: byStatus }
  const answer = parseAnswer(said)
  if (!answer) return createFailedAnswer('It printed something that is no answer')
  return answer.answer === byStatus
    ? answer
    : createFailedAnswer('Its answer contradicts its exit status')
}
