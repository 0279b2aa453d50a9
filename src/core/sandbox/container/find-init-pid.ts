import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerPlan } from './arguments.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

const MAX_PID_READS = 50
const PAUSE_MS = 20

type InitField = 'name' | 'pidFile' | 'mark' | 'mayBeRemote'

/**
 * Finds the host PID of a running container's first process. Verifies it by a mark in argv, since
 * the PID of a remote engine would denote an unrelated process on this machine. Undefined for such
 * an engine.
 */
export async function findInitPid(
  engine: ContainerEngine,
  { name, pidFile, mark, mayBeRemote }: Pick<ContainerPlan, InitField>,
): Promise<number | undefined> {
  if (mayBeRemote) return undefined
  for (let attempt = 0; attempt < MAX_PID_READS; attempt++) {
    const pid = engine.name === 'podman' ? readPidFile(pidFile) : await inspectPid(engine, name)
    if (pid > 0) return readArgv(pid).includes(mark) ? pid : undefined
    await sleep(PAUSE_MS)
  }
  return undefined
}

function readPidFile(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

async function inspectPid(engine: ContainerEngine, name: string): Promise<number> {
  const { stdout } = await runEngine(engine, ['inspect', '--format', '{{.State.Pid}}', name])
  return Number(stdout)
}

function readArgv(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
