// Standard output and errors of the cells of a kernel. Each cell has streams of its own, which the
// processes that it starts inherit. What code prints after the end of its cell is dropped.
import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const SLEEP_CELL = new Int32Array(new SharedArrayBuffer(4))
const storage = new AsyncLocalStorage()
/** Those of the start: code of a cell may replace them. */
const { closeSync, openSync, unlinkSync, writeSync } = fs
const NAMES = ['stdout', 'stderr']
let current

patchStreams()
patchFiles()
patchProcesses()
syncBuiltinESMExports()

/** True if the running code was started by an earlier cell. */
export function isLeftBehind() {
  const cell = storage.getStore()
  return cell !== undefined && cell !== current
}

export function enterCell({ streams }) {
  const fds = streams.map((path) => {
    const fd = openSync(path, 'w')
    unlinkSync(path)
    return fd
  })
  current = { fds }
}

export async function runInCell(work) {
  await storage.run(current, work)
}

/** Closes the streams of a cell; processes that it has started keep them. */
export function leaveCell(report) {
  const { fds } = current
  report()
  current = undefined
  for (const fd of fds) closeSync(fd)
}

function patchStreams() {
  for (const [at, name] of NAMES.entries()) {
    const stream = process[name]
    stream.write = (chunk, encoding, done) => {
      const callback = typeof encoding === 'function' ? encoding : done
      const bytes =
        typeof chunk === 'string'
          ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8')
          : chunk
      if (current !== undefined && !isLeftBehind()) writeAll(current.fds[at], bytes)
      if (callback) process.nextTick(callback)
      return true
    }
  }
}

function writeAll(fd, bytes) {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(SLEEP_CELL, 0, 0, 1)
    }
  }
}

/** Processes inherit the streams of the cell that starts them. */
function patchProcesses() {
  const { prototype } = childProcess.ChildProcess
  const { spawn } = prototype
  prototype.spawn = function (options) {
    return spawn.call(this, { ...options, stdio: replaceInherited(options.stdio) })
  }
  for (const name of ['spawnSync', 'execFileSync']) {
    const start = childProcess[name]
    childProcess[name] = (file, args, options) => {
      const [list, own] = Array.isArray(args) ? [args, options] : [[], args]
      return start(file, list, replaceStreams(own))
    }
  }
  const { execSync } = childProcess
  childProcess.execSync = (command, options) => execSync(command, replaceStreams(options))
}

function replaceStreams(options) {
  if (options?.stdio === undefined) return options
  return { ...options, stdio: replaceInherited(options.stdio) }
}

/** Code may write to the streams by their number. */
function patchFiles() {
  const { write } = fs
  fs.writeSync = (fd, content, ...rest) => {
    const own = findStream(fd)
    return own === undefined ? Buffer.byteLength(content) : writeSync(own, content, ...rest)
  }
  fs.write = (fd, ...rest) => {
    const own = findStream(fd)
    if (own !== undefined) return write(own, ...rest)
    return process.nextTick(rest.at(-1), null, Buffer.byteLength(rest[0]))
  }
}

/** Undefined for a stream of a cell that has ended. */
function findStream(fd) {
  const stream = findInherited(fd)
  return stream === 'ignore' ? undefined : stream
}

function replaceInherited(stdio) {
  if (stdio === undefined || stdio === null || typeof stdio === 'string') {
    return stdio === 'inherit' ? [0, 1, 2].map(findInherited) : stdio
  }
  return stdio.map((each, at) => {
    if (each === 'inherit') return findInherited(at)
    if (each === process.stdout) return findInherited(1)
    if (each === process.stderr) return findInherited(2)
    return each === 1 || each === 2 ? findInherited(each) : each
  })
}

function findInherited(fd) {
  if (fd !== 1 && fd !== 2) return fd
  return current === undefined || isLeftBehind() ? 'ignore' : current.fds[fd - 1]
}
