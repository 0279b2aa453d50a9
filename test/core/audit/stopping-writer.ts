// Appends records to logs, and stops itself with SIGSTOP before a given call of the file system.
// Reads one job per line, and prints the acknowledged links.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createInterface } from 'node:readline'
import { createEntry } from './entries.ts'
import type { StoppingJob } from './stopping-job.ts'

const CALLS = [
  'openSync',
  'closeSync',
  'writeSync',
  'ftruncateSync',
  'renameSync',
  'linkSync',
  'symlinkSync',
  'unlinkSync',
  'rmSync',
  'lstatSync',
  'statSync',
  'fstatSync',
  'readlinkSync',
  'readdirSync',
  'copyFileSync',
  'fsync',
] as const

const { writeSync } = fs
let left = Infinity
let counted: string | undefined

function print(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`)
}

for (const name of CALLS) {
  const original = fs[name] as (...words: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...words: unknown[]) => {
      if (counted === undefined || counted === name) left -= 1
      if (left === 0) {
        left = -1
        print({ stopsBefore: name })
        process.kill(process.pid, 'SIGSTOP')
      }
      return original(...words)
    },
  })
}
syncBuiltinESMExports()
const { openAuditLog } = await import('../../../src/core/audit/audit-log.ts')

async function perform({ dir, name, stopAt, call, maxFileBytes }: StoppingJob) {
  const log = openAuditLog(dir, { maxFileBytes })
  const append = async (id: string, durable: boolean) => {
    const { hash } = await log.append(createEntry({ run_id: `${name}-${id}` }), { durable })
    return { id: `${name}-${id}`, hash }
  }
  counted = call
  left = stopAt
  const first = await append('a', true)
  const others = await Promise.all([append('b', false), append('c', true)])
  await log.flush()
  const hasStopped = left <= 0
  left = Infinity
  return { acknowledged: [first, ...others], hasStopped }
}

for await (const line of createInterface(process.stdin)) {
  print(
    await perform(JSON.parse(line) as StoppingJob).catch((error: Error) => ({
      error: error.message,
    })),
  )
}
