import { createInterface } from 'node:readline'
import { executeAll, executeLine, INTERRUPTED, type Repl } from './repl.ts'

/** Executes the statements of a pipe as they arrive. Returns 1 if one of them failed. */
export async function runPiped(repl: Repl): Promise<number> {
  const { context, buffer } = repl
  const { stdin: input, signal } = context
  const lines = createInterface({ input, crlfDelay: Infinity, signal })
  let hasFailed = false
  try {
    for await (const line of lines) {
      const end = await executeLine(repl, line)
      if (end === 'exit') return hasFailed ? 1 : 0
      if (end === 'failed') hasFailed = true
    }
    if (signal.aborted) return INTERRUPTED
    if ((await executeAll(repl, buffer.finish())) === 'failed') hasFailed = true
    return hasFailed ? 1 : 0
  } finally {
    lines.close()
  }
}
