import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { Failpoint } from './failpoint.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

export { openTestFront, type TestFront } from './test-front.ts'

const WORKER = fileURLToPath(new URL('stub-worker.ts', import.meta.url))
const FRONT = fileURLToPath(new URL('stub-front.ts', import.meta.url))
const DAY_MS = 86_400_000

/** Creates the streams, as `skills fleet init` does. */
export async function initFleet(url: string, replicas = 1): Promise<void> {
  const engine = await openEngine({
    servers: url,
    name: 'init',
    tenant: 'main',
    patienceMs: 30_000,
  })
  const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
  await initAssets(engine, { lifetimes, replicas })
  await engine.close()
}

export interface StubWorkerProcess {
  /** Folder of the history. */
  dir: string
  places?: number
  failpoint?: Failpoint
  /** Minor version of its messages. */
  minor?: 'this' | 'next'
}

/** Starts a worker in a process of its own. */
export async function startStubWorker(
  url: string,
  name: string,
  { dir, places = 4, failpoint, minor = 'this' }: StubWorkerProcess,
): Promise<ChildProcess> {
  const env = { ...process.env, ...(failpoint && { SKILLS_FAILPOINT: failpoint }) }
  return await startChild(WORKER, [url, name, String(places), dir, minor], env)
}

/** Starts a front in a process of its own. */
export async function startStubFront(
  url: string,
  name: string,
  { dir }: { dir: string },
): Promise<ChildProcess> {
  return await startChild(FRONT, [url, name, dir], process.env)
}

/** Resolves when the process says that it is ready. */
export async function startChild(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const child = fork(file, args, { execArgv: ['--import', BUILT_MODULES], env })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })
  return child
}

export function createHistoryFolder(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'skills-history-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
