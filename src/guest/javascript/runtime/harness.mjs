// Calls one function in the sandbox, of a skill or of submitted code, and reports the result to the
// host.
import { sendJson } from './channel.mjs'
import { storeBlob } from './drafts.mjs'
import { findFunction } from './entry.mjs'
import { EntrypointNotFound, buildFailure, toFailure } from './errors.mjs'
import { job } from './job.mjs'
import { installFixedValues } from './fixed-values.mjs'
import { flushProgress } from './progress.mjs'
import { NotSerialisable, serialise } from './results.mjs'

const OUTPUT_LIMIT = 4096
const SUMMARY_LIMIT = 600
/** Exit code if the result could not be sent. The host only detects that the result is missing. */
const RESULT_NOT_SENT = 71
const exit = process.exit.bind(process)

let isSent = false

function sendResult(result) {
  if (isSent) return
  isSent = true
  try {
    flushProgress()
    sendJson('R', result)
  } catch {
    exit(RESULT_NOT_SENT)
  }
}

function finishRun(result) {
  sendResult(result)
  exit(0)
}

function buildOutcome(value) {
  let data
  try {
    data = serialise(value)
  } catch (error) {
    if (!(error instanceof NotSerialisable)) return toFailure(error)
    const message = `The result is not JSON: ${error.message}`
    return buildFailure('SerializationError', message, { hint: error.hint })
  }
  const summary = typeof value?.summary === 'string' ? value.summary.slice(0, SUMMARY_LIMIT) : null
  const result = summary === null ? {} : { summary }
  if (data.length <= OUTPUT_LIMIT) return { ...result, output: data.toString('utf8') }
  return { ...result, output_blob: storeBlob('application/json', [data], true) }
}

function toCallFailure(error) {
  if (!(error instanceof EntrypointNotFound)) return toFailure(error)
  return buildFailure('EntrypointNotFound', error.message, { hint: job.entry.hint })
}

process.on('uncaughtException', (error) => finishRun(toFailure(error)))
process.on('exit', (code) => {
  const message = `The code ended with exit code ${code} before it returned`
  sendResult(
    buildFailure('Exited', message, { hint: 'Return a value instead of exiting', exit_code: code }),
  )
})
process.on('beforeExit', () => {
  const message = `The promise of "${job.entry.export}" is never settled: nothing is left to wait for`
  finishRun(
    buildFailure('NeverSettled', message, {
      hint: 'Resolve the promise, or await what resolves it',
    }),
  )
})

try {
  if (job.inspect !== undefined) await waitForDebugger(job.inspect)
  if (job.interactive === 'repl') {
    const { runStatements } = await import('./statements.mjs')
    await runStatements()
    finishRun({ output: 'null' })
  }
  if (job.fixed !== undefined) installFixedValues(job.fixed)
  const call = await findFunction()
  finishRun(buildOutcome(await call(job.args)))
} catch (error) {
  finishRun(toCallFailure(error))
}

/** Opens the inspector, which prints its address, and waits until a client has started the code. */
async function waitForDebugger({ port }) {
  const inspector = await import('node:inspector')
  inspector.open(port, '127.0.0.1', true)
}
