import { PassThrough } from 'node:stream'
import { runCommandLine } from '../../src/cli/program.ts'
import { INHERITED_ENV } from './inherited-env.ts'

interface AnsweredRun {
  cwd: string
  env: Record<string, string>
  /** Texts of questions in their order, and the keys that answer them. */
  answers: readonly (readonly [question: string, keys: string])[]
}

/** Runs a command line on a terminal; returns what was shown, and the questions that were not asked. */
export async function answerPrompts(argv: readonly string[], { cwd, env, answers }: AnsweredRun) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const openTerminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const [stdout, stderr] = [openTerminal(), openTerminal()]
  const unasked = [...answers]
  let shown = ''
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk) => {
      shown += String(chunk)
      const [next] = unasked
      if (next === undefined || !shown.includes(next[0])) return
      unasked.shift()
      setTimeout(() => stdin.write(next[1]), 100)
    })
  }
  const code = await runCommandLine(argv, {
    cwd,
    env: { ...INHERITED_ENV, CI: '', ...env },
    stdin,
    stdout,
    stderr,
    signal: AbortSignal.timeout(30_000),
  })
  return { code, shown, unasked }
}
