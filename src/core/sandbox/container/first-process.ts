import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerPlan } from './arguments.ts'
import { ask, type Engine } from './engine.ts'

const ATTEMPTS = 50
const PAUSE_MS = 20

/**
 * The number that this machine has for the first process of a container, which is running already.
 * An engine may be elsewhere: its number would mean some other process here, so it is looked at.
 */
export async function firstProcess(
  engine: Engine,
  { name, pidFile, mark }: Pick<ContainerPlan, 'name' | 'pidFile' | 'mark'>,
): Promise<number | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pid = engine.name === 'podman' ? readPid(pidFile) : await askPid(engine, name)
    if (pid > 0) return wordsOf(pid).includes(mark) ? pid : undefined
    await sleep(PAUSE_MS)
  }
  return undefined
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

function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
