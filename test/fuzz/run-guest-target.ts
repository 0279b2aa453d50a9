import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { FuzzReport } from './engine/session.ts'
import type { WorkerRequest } from './session-thread.ts'

/** Readers of the guest, which are Python (`test/fuzz/guest/targets.py`). */
export const GUEST_TARGETS: readonly string[] = [
  'guest-channel',
  'guest-messages',
  'guest-relay',
  'guest-zygote',
]

interface GuestReport extends Omit<FuzzReport, 'kept' | 'finding'> {
  /** In base64, as the input of the finding. */
  kept: string[]
  finding: { input: string; message: string } | null
}

const SCRIPT = fileURLToPath(new URL('guest/fuzz.py', import.meta.url))

/** Runs one session in Python, which counts the executed lines itself. */
export async function runGuestTarget(request: Omit<WorkerRequest, 'memory'>): Promise<FuzzReport> {
  const { name, seconds, seed, isPlanted, corpus } = request
  const args = ['--target', name, '--seconds', String(seconds), '--seed', String(seed)]
  const child = spawn('python3', [SCRIPT, ...args, ...(isPlanted ? ['--planted'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(corpus.map((each) => Buffer.from(each).toString('base64'))))
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (status !== 0) throw new Error(`${name} ended with exit code ${status}`)
  const report = JSON.parse(output) as GuestReport
  const { finding } = report
  return {
    ...report,
    kept: report.kept.map((each) => Buffer.from(each, 'base64')),
    finding: finding ? { ...finding, input: Buffer.from(finding.input, 'base64') } : undefined,
  }
}
