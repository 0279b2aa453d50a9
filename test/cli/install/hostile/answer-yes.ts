import { PassThrough } from 'node:stream'
import { runCommandLine } from '../../../../src/cli/program.ts'
import { INHERITED_ENV } from '../../../helpers/inherited-env.ts'
import type { HostileProject } from './attack.ts'

const openTerminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100_000 })

/** Runs a command on a terminal, and agrees to its question after a change. */
export async function answerYes(
  { cwd, env }: HostileProject,
  line = 'install ./greet',
  change: () => Promise<void> | void,
): Promise<{ code: number; text: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const [stdout, stderr] = [openTerminal(), openTerminal()]
  let text = ''
  const asked = new Promise<void>((done) => {
    for (const stream of [stdout, stderr]) {
      stream.on('data', (chunk) => {
        text += String(chunk)
        if (text.includes('Install greet?')) done()
      })
    }
  })
  const { CI: _, ...inherited } = { ...INHERITED_ENV, ...env, TERM: 'xterm' } as Record<
    string,
    string
  >
  const { signal } = new AbortController()
  const ended = runCommandLine(line.split(' '), {
    cwd,
    env: inherited,
    stdin,
    stdout,
    stderr,
    signal,
  })
  await Promise.race([asked, ended])
  await change()
  stdin.write('y')
  return { code: await ended, text }
}
