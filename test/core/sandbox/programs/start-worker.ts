import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ProgramOutcome } from '../../../../src/core/runs/job.ts'
import type { HostFolder } from '../../../../src/core/sandbox/backend.ts'
import { BUILT_MODULES } from '../../../helpers/built.ts'

const OTHER = 65_534

/** One program of the worker. */
export interface ProgramSpec {
  id: string
  argv: readonly string[]
  folders?: readonly HostFolder[]
  workspace?: { source: string }
  terminal?: { columns: number; rows: number }
  settings?: Record<string, unknown>
}

/** Report of one program. */
export interface ProgramReport extends Partial<Omit<ProgramOutcome, 'output'>> {
  id: string
  user: number
  stdout?: string
  stderr?: string
  thrown?: string
}

/** Runs programs one after another in a process of their own, optionally as another user. */
export async function startPrograms(
  specs: readonly ProgramSpec[],
  { data, asUser }: { data: string; asUser: boolean },
): Promise<Map<string, ProgramReport>> {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', BUILT_MODULES, worker], {
    env: { PATH: '/usr/bin:/bin', HOME: data, TMPDIR: data },
    cwd: data,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(asUser && { uid: OTHER, gid: OTHER }),
  })
  const stderr = text(child.stderr)
  child.stdin.end(JSON.stringify({ data, specs }))
  const reports = new Map<string, ProgramReport>()
  for await (const line of createInterface(child.stdout)) {
    const report = JSON.parse(line) as ProgramReport
    reports.set(report.id, report)
  }
  if (reports.size < specs.length) throw new Error(`the worker ended early: ${await stderr}`)
  return reports
}
