import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerPlan } from './arguments.ts'
import { isSentry } from './gvisor/sentry.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

const MAX_PID_READS = 50
const PAUSE_MS = 20

type InitField = 'name' | 'pidFile' | 'idFile' | 'mark' | 'mayBeRemote'

/**
 * Finds the host PID of a running container's first process, or of gVisor's kernel, which has it
 * inside. Verifies it by its argv, since the PID of a remote engine would denote an unrelated
 * process on this machine. Undefined for such an engine.
 */
export async function findInitPid(
  engine: ContainerEngine,
  { name, pidFile, idFile, mark, mayBeRemote }: Pick<ContainerPlan, InitField>,
): Promise<number | undefined> {
  if (mayBeRemote) return undefined
  for (let attempt = 0; attempt < MAX_PID_READS; attempt++) {
    const pid = engine.name === 'podman' ? readPidFile(pidFile) : await inspectPid(engine, name)
    if (pid > 0) {
      const argv = readArgv(pid)
      const isFound = engine.hasGvisor ? isSentry(argv, readId(idFile)) : argv.includes(mark)
      return isFound ? pid : undefined
    }
    await sleep(PAUSE_MS)
  }
  return undefined
}

/** The id of a container, as podman wrote it. */
export function readId(file: string): string {
  return readFileSync(file, 'utf8').trim()
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
