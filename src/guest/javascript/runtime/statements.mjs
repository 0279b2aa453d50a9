// A session in which a user types statements.
import { createInterface } from 'node:readline'
import { start } from 'node:repl'
import { PassThrough } from 'node:stream'
import { isatty } from 'node:tty'
import { findFunction } from './entry.mjs'
import * as runtime from './index.mjs'
import { job } from './job.mjs'

/** Executes the statements of standard input until its end. A pipe gets no prompts. */
export async function runStatements() {
  const isTTY = isatty(0)
  const names = await loadNames()
  if (isTTY) {
    const text = `Node ${process.versions.node} with the names of ${job.entry.skill}, runtime and args.`
    process.stdout.write(`${text} Ctrl-D ends the session.\n`)
  }
  const input = isTTY ? process.stdin : new PassThrough()
  const session = start({
    prompt: isTTY ? '> ' : '',
    input,
    output: process.stdout,
    terminal: isTTY,
    ignoreUndefined: true,
    breakEvalOnSigint: isTTY,
  })
  Object.assign(session.context, names, { runtime, args: job.args })
  if (!isTTY) feedLines(session, input)
  await new Promise((resolve) => session.once('exit', resolve))
}

/** Passes on a line when the result of the one before is printed. */
function feedLines(session, input) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  session.displayPrompt = async () => {
    const { done, value } = await lines.next()
    if (done) input.end()
    else input.write(`${value}\n`)
  }
  session.displayPrompt()
}

/** Without the module of the skill, the user can still look at the files and at the error. */
async function loadNames() {
  try {
    const call = await findFunction()
    return { [job.entry.export]: call }
  } catch (error) {
    process.stderr.write(`${error?.stack ?? error}\n`)
    return {}
  }
}
