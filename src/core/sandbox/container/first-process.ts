import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerPlan } from './arguments.ts'
import { ask, type Engine } from './engine.ts'

const ATTEMPTS = 50
const PAUSE_MS = 20

/** The number that the host has for the first process of a container; it is running already. */
export async function firstProcess(
  engine: Engine,
  { name, pidFile }: Pick<ContainerPlan, 'name' | 'pidFile'>,
): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pid = engine.name === 'podman' ? readPid(pidFile) : await askPid(engine, name)
    if (pid > 0) return pid
    await sleep(PAUSE_MS)
  }
  // The container is gone: nothing is to be handed over any more.
  return await new Promise(() => {})
}

function readPid(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

async function askPid(engine: Engine, name: string): Promise<number> {
  const { stdout } = await ask(engine, ['inspect', '--format', '{{.State.Pid}}', name])
  return Number(stdout)
}
