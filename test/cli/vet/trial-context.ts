import { PassThrough } from 'node:stream'
import { createContext, type Context } from '../../../src/cli/context.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'

/** A context of a command line whose output is collected. */
export function openTestContext(cwd: string): { context: Context; readOutput(): string } {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  let text = ''
  stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  stderr.resume()
  const io = {
    cwd,
    env: { ...INHERITED_ENV, HOME: cwd },
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal: new AbortController().signal,
  }
  const global = {
    json: false,
    root: [],
    config: undefined,
    noConfig: true,
    color: false,
    quiet: true,
    debug: false,
  }
  return { context: createContext(io, global), readOutput: () => text }
}
