// Calls one function in the sandbox, of a skill or of submitted code, and reports the result to the
// host.
import { sendJson } from './channel.mjs'
import { store } from './drafts.mjs'
import { findFunction } from './entry.mjs'
import { EntrypointNotFound, failure, failureOf } from './errors.mjs'
import { job } from './job.mjs'
import { NotSerialisable, serialise } from './results.mjs'

const OUTPUT_LIMIT = 4096
const SUMMARY_LIMIT = 600
/** Exit code if the result could not be sent. The host only detects that the result is missing. */
const NOT_TOLD = 71
const exit = process.exit.bind(process)

let isTold = false

function tell(told) {
  if (isTold) return
  isTold = true
  try {
    sendJson('R', told)
  } catch {
    exit(NOT_TOLD)
  }
}

function end(told) {
  tell(told)
  exit(0)
}

function outcomeOf(value) {
  let data
  try {
    data = serialise(value)
  } catch (error) {
    if (!(error instanceof NotSerialisable)) return failureOf(error)
    const message = `The result is not JSON: ${error.message}`
    return failure('SerializationError', message, { hint: error.hint })
  }
  const summary = typeof value?.summary === 'string' ? value.summary.slice(0, SUMMARY_LIMIT) : null
  const told = summary === null ? {} : { summary }
  if (data.length <= OUTPUT_LIMIT) return { ...told, output: data.toString('utf8') }
  return { ...told, output_blob: store('application/json', [data], true) }
}

function failureOfCall(error) {
  if (!(error instanceof EntrypointNotFound)) return failureOf(error)
  return failure('EntrypointNotFound', error.message, { hint: job.entry.hint })
}

process.on('uncaughtException', (error) => end(failureOf(error)))
process.on('exit', (code) => {
  const message = `The code ended with exit code ${code} before it returned`
  tell(failure('Exited', message, { hint: 'Return a value instead of exiting', exit_code: code }))
})
process.on('beforeExit', () => {
  const message = `The promise of "${job.entry.export}" is never settled: nothing is left to wait for`
  end(failure('NeverSettled', message, { hint: 'Resolve the promise, or await what resolves it' }))
})

try {
  const call = await findFunction()
  end(outcomeOf(await call(job.args)))
} catch (error) {
  end(failureOfCall(error))
}
