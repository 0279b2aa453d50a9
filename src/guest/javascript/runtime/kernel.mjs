// Executes the cells of a kernel: pieces of one caller's code that share their variables. Code of a
// cell runs in this process and can change it: the host relies on nothing here.
import { Session } from 'node:inspector'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { inspect as inspectValue } from 'node:util'
import { runInThisContext, Script } from 'node:vm'
import { prepareCell } from './cell-syntax.mjs'
import { enterCell, isLeftBehind, leaveCell, runInCell } from './cell-streams.mjs'
import {
  CHANNEL,
  HEADER_BYTES,
  joinBytes,
  parseHeader,
  send,
  sendJson,
  useKey,
} from './channel.mjs'
import { storeBlob, useSecret } from './drafts.mjs'
import { writeSkillPackage } from './entry.mjs'
import { buildFailure, rememberCell, toFailure } from './errors.mjs'
import { job } from './job.mjs'
import { flushProgress } from './progress.mjs'
import { NotSerialisable, serialise } from './results.mjs'

const OUTPUT_LIMIT = 4096
const SUMMARY_LIMIT = 600
const VALUE_LIMIT = 8000
const EXIT_HINT = 'End the kernel to end its interpreter'

class CellExit extends Error {
  constructor(code) {
    super('exit')
    this.code = code
  }
}

/** Those of the start: code of a cell may replace them. */
const exit = process.exit.bind(process)
const parse = JSON.parse.bind(JSON)
const inspect = inspectValue
const session = new Session()
session.connect()
/** Runs with the inspector's values: they are not accessible otherwise. */
const getReceived = await createReceiver()
let interrupt = () => {}
/** Error that no code of a cell has handled. */
let failCell = () => {}

globalThis.require = createRequire(join(job.folders.workspace, 'cell.js'))

process.on('SIGINT', () => interrupt())
process.on('uncaughtException', (error) => {
  if (!isLeftBehind()) failCell(error)
})

await receiveCells()

/** Reads requests until the socket is closed. One cell runs at a time. */
async function receiveCells() {
  const socket = new Socket({ fd: CHANNEL, readable: true, writable: false })
  let pending = Buffer.alloc(0)
  for await (const chunk of socket) {
    pending = joinBytes([pending, chunk])
    if (pending.length < HEADER_BYTES) continue
    const { key, size } = parseHeader(pending)
    if (pending.length < HEADER_BYTES + size) continue
    const cell = parse(pending.subarray(HEADER_BYTES, HEADER_BYTES + size).toString('utf8'))
    pending = pending.subarray(HEADER_BYTES + size)
    await performCell(key, cell)
  }
  exit(0)
}

async function performCell(key, cell) {
  enterCell(cell)
  useSecret(Buffer.from(cell.blob_secret, 'hex'))
  await runInCell(async () => {
    useKey(key, () => !isLeftBehind())
    const result = await executeCell(cell)
    flushProgress()
    leaveCell(() => sendJson('R', result))
  })
}

async function executeCell(cell) {
  const interrupted = new Promise((_, reject) => {
    interrupt = () => reject(createInterruption())
    failCell = reject
  })
  interrupted.catch(() => {})
  const restoreExit = replaceExit()
  try {
    if (cell.args !== null) globalThis.args = cell.args
    return describeCellValue(await Promise.race([runCode(cell), interrupted]))
  } catch (error) {
    return error instanceof CellExit ? describeExit(error) : toFailure(error)
  } finally {
    interrupt = () => {}
    failCell = () => {}
    restoreExit()
  }
}

async function runCode({ number, code }) {
  const name = `cell-${number}`
  rememberCell(name, code)
  const value = await evaluate(wrapObject(await prepareCell(code, writeSkillPackage())), name)
  if (value !== undefined) globalThis._ = value
  return value
}

/** A literal of an object is no block, as in other REPLs. */
function wrapObject(code) {
  if (!/^\s*\{/.test(code) || /;\s*$/.test(code)) return code
  try {
    const wrapped = `(${code}\n)`
    void new Script(wrapped)
    return wrapped
  } catch {
    return code
  }
}

/** Evaluates as REPLs do: top-level await works, and names may be declared again. */
async function evaluate(code, name) {
  const expression = `${code}\n//# sourceURL=${name}`
  const { result, exceptionDetails } = await new Promise((resolve, reject) => {
    interruptibly(() =>
      session.post('Runtime.evaluate', { expression, replMode: true }, (error, answer) =>
        error ? reject(new Error(error.message)) : resolve(answer),
      ),
    )
  })
  if (exceptionDetails) throw getThrown(exceptionDetails, name)
  return getReceived(result)
}

/** The stack of a syntax error of the cell itself names no line. */
function getThrown({ exception, lineNumber, columnNumber }, name) {
  const error = getReceived(exception)
  if (error instanceof SyntaxError && !String(error.stack).includes(`${name}:`)) {
    error.stack = `${error}\n    at ${name}:${lineNumber + 1}:${columnNumber + 1}`
  }
  return error
}

/** SIGINT ends code that never returns to the event loop. */
function interruptibly(work) {
  globalThis.__runCell = () => {
    delete globalThis.__runCell
    // From now on, signals are delivered.
    send('S')
    work()
  }
  try {
    runInThisContext('__runCell()', { breakOnSigint: true })
  } catch (error) {
    if (error?.code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error
    interrupt()
  }
}

async function createReceiver() {
  let received
  globalThis.__receive = (value) => {
    received = value
  }
  const receiver = await post('Runtime.evaluate', { expression: '__receive' })
  delete globalThis.__receive
  const { objectId } = receiver.result
  return (remote) => {
    const { type, value, unserializableValue, objectId: id } = remote
    const argument = id
      ? { objectId: id }
      : unserializableValue
        ? { unserializableValue }
        : { value }
    received = undefined
    if (type === 'undefined') return undefined
    const declaration = 'function (value) { this(value) }'
    session.post('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: declaration,
      arguments: [argument],
    })
    if (id) session.post('Runtime.releaseObject', { objectId: id })
    const result = received
    received = undefined
    return result
  }
}

function post(method, params) {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

/** `process.exit` ends a cell, not the interpreter. */
function replaceExit() {
  const original = process.exit.bind(process)
  process.exit = (code = process.exitCode ?? 0) => {
    const end = new CellExit(Number(code) & 255)
    failCell(end)
    throw end
  }
  return () => {
    process.exit = original
    process.exitCode = undefined
  }
}

function describeExit({ code }) {
  const message = `The code ended with exit code ${code} before it returned`
  return buildFailure('Exited', message, { hint: EXIT_HINT, exit_code: code })
}

function createInterruption() {
  const error = new Error('The cell was interrupted')
  error.name = 'Interrupted'
  error.stack = 'Interrupted: The cell was interrupted'
  return error
}

/** Returns the value as JSON, as far as it is that, and as text. */
function describeCellValue(value) {
  if (value === undefined) return { output: 'null' }
  const text = inspect(value)
  return {
    ...describeJson(value),
    value: text.length <= VALUE_LIMIT ? text : `${text.slice(0, VALUE_LIMIT)} …`,
  }
}

function describeJson(value) {
  let data
  try {
    data = serialise(value)
  } catch (error) {
    if (error instanceof NotSerialisable) return { output: 'null' }
    throw error
  }
  const summary = typeof value?.summary === 'string' ? value.summary.slice(0, SUMMARY_LIMIT) : null
  const result = summary === null ? {} : { summary }
  if (data.length <= OUTPUT_LIMIT) return { ...result, output: data.toString('utf8') }
  return { ...result, output_blob: storeBlob('application/json', [data], true) }
}
