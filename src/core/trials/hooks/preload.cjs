// Loaded by every Node of a trial: reports started programs to the log, shifts the clock, and changes
// the names of the host and the user. Code can evade it, so nothing here proves anything.
'use strict'
const childProcess = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')

// oxlint-disable-next-line node/no-process-env -- it runs inside of a sandbox
const { TRIAL_LOG, TRIAL_SHIFT, TRIAL_HOST, TRIAL_USER, TRIAL_PACKAGES } = process.env
const shiftMs = Number(TRIAL_SHIFT || 0) * 1000
/** Longer delays are shortened to this. */
const LONGEST_DELAY_MS = 700
const RealDate = Date

function write(kind, ...fields) {
  try {
    const record = [
      RealDate.now() / 1000,
      kind,
      ...fields.map((each) => String(each).slice(0, 400)),
    ]
    fs.appendFileSync(TRIAL_LOG, record.join('\u001F') + '\u001E')
  } catch {}
}

if (TRIAL_LOG) {
  for (const name of [
    'spawn',
    'spawnSync',
    'execFile',
    'execFileSync',
    'exec',
    'execSync',
    'fork',
  ]) {
    const real = childProcess[name]
    const reported = function (command, ...rest) {
      write('started', command, ...(Array.isArray(rest[0]) ? rest[0] : []))
      return real.call(this, command, ...rest)
    }
    childProcess[name] = Object.assign(reported, real)
    const custom = require('node:util').promisify.custom
    if (real[custom]) {
      Object.defineProperty(reported, custom, {
        value(command, ...rest) {
          write('started', command)
          return real[custom](command, ...rest)
        },
      })
    }
  }
  require('node:module').syncBuiltinESMExports()
}

if (shiftMs) {
  globalThis.Date = class Date extends RealDate {
    constructor(...values) {
      if (values.length === 0) super(RealDate.now() + shiftMs)
      else super(...values)
    }
    static now() {
      return RealDate.now() + shiftMs
    }
  }
}

if (TRIAL_HOST) {
  os.hostname = () => TRIAL_HOST
  const userInfo = os.userInfo
  os.userInfo = (options) => ({ ...userInfo(options), username: TRIAL_USER })
  require('node:module').syncBuiltinESMExports()
}

if (TRIAL_PACKAGES) require('./packages.cjs')

const realTimeout = globalThis.setTimeout
globalThis.setTimeout = Object.assign(
  (callback, delay, ...rest) =>
    realTimeout(callback, Math.min(Number(delay) || 0, LONGEST_DELAY_MS), ...rest),
  realTimeout,
)
