import { spawn, type ChildProcess } from 'node:child_process'
import { checkProgram } from '../../languages/trusted-program.ts'
import { failed, MAX_ANSWER, readAnswer, type ApprovalAnswer } from './question.ts'

/** What a hook that is a program gets. */
export interface CommandQuestion {
  command: readonly [string, ...string[]]
  /** One JSON object, on its standard input. */
  question: string
  env: Readonly<Record<string, string | undefined>>
  /** Folders whose programs are never started: those that are worked on. */
  excluded: readonly string[]
  /** Aborted when the time is over, or nobody waits any more. */
  signal: AbortSignal
}

const REFUSED = 1
const DRAIN_MS = 500

/**
 * Runs a program of the operator on this machine. Exit status 0 agrees, 1 refuses; a JSON object on
 * its standard output says more, and has to say the same. Anything else is no answer.
 */
export async function askCommand(asked: CommandQuestion): Promise<ApprovalAnswer> {
  const [program, ...args] = asked.command
  const checked = checkProgram(program, asked.excluded)
  if ('problem' in checked) return failed(checked.problem)
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' } = asked.env
  const child = spawn(program, args, {
    cwd: '/',
    env: { PATH, HOME, LANG },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own: what it starts ends with it.
    detached: true,
  })
  const end = () => killGroup(child)
  asked.signal.addEventListener('abort', end, { once: true })
  try {
    return await new Promise<ApprovalAnswer>((resolve) => {
      const said = collect(child, () => resolve(failed('It said too much')))
      child.on('error', (error) => resolve(failed(`It cannot be started: ${error.message}`)))
      child.on('exit', (code, signal) => {
        const conclude = () => resolve(judge({ code, signal }, said()))
        child.on('close', conclude)
        // Something that it left behind may hold its streams open.
        setTimeout(conclude, DRAIN_MS).unref()
      })
      child.stdin?.on('error', () => {})
      child.stdin?.end(`${asked.question}\n`)
      if (asked.signal.aborted) end()
    })
  } finally {
    asked.signal.removeEventListener('abort', end)
    end()
    child.stdout?.destroy()
  }
}

function collect(child: ChildProcess, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = []
  let size = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_ANSWER) onTooMuch()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8').trim()
}

function judge(
  { code, signal }: { code: number | null; signal: string | null },
  said: string,
): ApprovalAnswer {
  if (code !== 0 && code !== REFUSED) {
    return failed(signal === null ? `It ended with the exit status ${code}` : `${signal} ended it`)
  }
  const byStatus = code === 0 ? 'approved' : 'refused'
  if (said === '') return { answer: byStatus }
  const answer = readAnswer(said)
  if (!answer) return failed('It printed something that is no answer')
  return answer.answer === byStatus ? answer : failed('Its answer contradicts its exit status')
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
