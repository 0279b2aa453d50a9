import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from './client.ts'
import type { SoakServer } from './server.ts'

export interface World {
  dir: string
  server: SoakServer
  ledger: Ledger
  /** A file system of its own that may be filled; undefined where none could be mounted. */
  disk: string | undefined
}

/** What goes wrong meanwhile, one after the other. */
export const FAULTS: readonly ((world: World) => Promise<void>)[] = [
  async ({ server, ledger }) => {
    for (const pid of firstProcesses(server.pid)) {
      try {
        process.kill(pid, 'SIGKILL')
        ledger.count('sandboxes killed')
      } catch {
        // It ended by itself.
      }
    }
  },
  async ({ dir, ledger }) => {
    const skill = join(dir, 'skills', 'victim')
    renameSync(skill, join(dir, 'away'))
    await sleep(300)
    renameSync(join(dir, 'away'), skill)
    ledger.count('skills removed')
  },
  async ({ disk, ledger }) => {
    if (disk === undefined) return
    const filler = join(disk, 'filler')
    try {
      for (const size of [1024 ** 2, 4096, 1]) fill(filler, size)
      await sleep(500)
    } finally {
      rmSync(filler, { force: true })
    }
    ledger.count('disks filled')
  },
  async ({ dir, ledger }) => {
    const file = join(dir, 'skills', 'victim', 'skill.toml')
    const good = readFileSync(file)
    writeFileSync(file, 'name = [broken')
    await sleep(300)
    writeFileSync(file, good)
    ledger.count('skills broken')
  },
  async ({ server, ledger }) => {
    await server.end('SIGKILL')
    await server.start()
    ledger.count('servers killed')
  },
]

function fill(file: string, size: number): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/**
 * Processes directly below the server: each is the outermost of one sandbox, except the compiler of
 * a server that runs from its sources.
 */
function firstProcesses(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    )
    return children.filter((child) => !readCommandLine(child).includes('esbuild'))
  } catch {
    return []
  }
}

/** Empty for a process that has ended. */
function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
