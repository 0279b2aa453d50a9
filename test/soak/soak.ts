import { resolveStoreLimits } from '../../src/core/storage/store-limits.ts'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRunStore } from '../../src/core/runs/history/file-run-store.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { listResources, type OwnedResources } from '../helpers/resources.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { writeTree } from '../helpers/skills.ts'
import { ACTIONS } from './actions.ts'
import { call, fetchDigest, Ledger } from './client.ts'
import { FAULTS, type World } from './faults.ts'
import { SoakServer, type Command } from './server.ts'

export interface SoakReport {
  problems: readonly string[]
  counts: Readonly<Record<string, number>>
  acknowledged: { blobs: number; skills: number; runs: number }
  /** Of each start, in milliseconds. */
  starts: readonly number[]
  usage: Readonly<Record<string, { files: number; mib: number }>>
}

const CLIENTS = 6
const PAUSE_MS = 2500
const MORE_FILES = 30
const MOST_MIB = 500

/** Mixed calls and faults against a real server, and then a count of what is left of all of it. */
export async function soak(options: { seconds: number; command: Command }): Promise<SoakReport> {
  const dir = mkdtempSync(join(tmpdir(), 'skills-soak-'))
  const disk = mountDisk(join(dir, 'data'))
  try {
    return await soakIn({ dir, disk, ...options })
  } finally {
    if (disk) execFileSync('umount', ['-l', disk])
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Place {
  dir: string
  disk: string | undefined
  seconds: number
  command: Command
}

async function soakIn({ dir, disk, seconds, command }: Place): Promise<SoakReport> {
  const echo = {
    ...createActionSkill('soak.echo'),
    'code/main.py': 'def main(args):\n    return args\n',
  }
  writeTree(dir, {
    ...prefixPaths('skills/echo', echo),
    ...prefixPaths('skills/victim', createActionSkill('soak.victim')),
  })
  mkdirSync(join(dir, 'tmp'))
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    TMPDIR: join(dir, 'tmp'),
    SKILLS_DIRECTORIES_DATA: join(dir, 'data'),
  }
  const server = new SoakServer(command, dir, env)
  const ledger = new Ledger()
  await server.start()
  const before = server.usage()
  const world: World = { dir, server, ledger, disk }
  const end = performance.now() + seconds * 1000
  let served = 0
  const client = async () => {
    const names = Object.keys(ACTIONS)
    while (performance.now() < end) {
      const action =
        ACTIONS[names[Math.floor(Math.random() * names.length)] ?? ''] ?? ACTIONS['echo']
      await action?.({ server, ledger, mark: `${process.pid}-${(served += 1)}` })
      await sleep(5)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  for (let at = 0; performance.now() + PAUSE_MS < end; at++) {
    await sleep(PAUSE_MS)
    await FAULTS[at % FAULTS.length]?.(world)
    await check(world, 40)
  }
  await clients
  await server.end('SIGKILL')
  await server.start()
  await sleep(1000)
  await check(world, Infinity)
  await checkRuns(world, env)
  const after = server.usage()
  if (after.files > before.files + MORE_FILES || after.mib > MOST_MIB) {
    ledger.fail(`the server has ${JSON.stringify(after)} after ${JSON.stringify(before)}`)
  }
  if ((await server.end('SIGTERM')) !== 0) ledger.fail('SIGTERM did not end with 0')
  checkLeft(world)
  return report(world, { before, after })
}

function report({ server, ledger }: World, usage: SoakReport['usage']): SoakReport {
  const { blobs, skills, runs, problems, counts } = ledger
  const acknowledged = { blobs: blobs.size, skills: skills.size, runs: runs.size }
  return { problems, counts, acknowledged, starts: server.starts, usage }
}

/** What was acknowledged is there, whole: the newest so many of each kind. */
async function check({ server, ledger }: World, most: number): Promise<void> {
  for (const [id, digest] of [...ledger.blobs].slice(-most)) {
    const found = await fetchDigest(server, id)
    if (found !== digest) ledger.fail(`the blob ${id} has ${found}`)
  }
  for (const [name, mark] of [...ledger.skills].slice(-most)) {
    const answer = await call(server, {
      id: 'check',
      method: 'read_skill_file',
      params: { name, path: 'SKILL.md' },
    })
    if (answer?.result?.['content'] !== `# ${mark}\n`)
      ledger.fail(`the skill ${name}: ${JSON.stringify(answer)}`)
  }
}

async function checkRuns({ dir, ledger }: World, env: NodeJS.ProcessEnv): Promise<void> {
  const { config } = await loadConfig({ cwd: dir, env, noFiles: true })
  const store = openRunStore(join(config.directories.data, 'runs'), resolveStoreLimits(config).runs)
  for (const [id, status] of ledger.runs) {
    try {
      const record = await store.get(id)
      if (record.status !== status) ledger.fail(`the run ${id} is ${record.status}, not ${status}`)
    } catch (error) {
      ledger.fail(`the run ${id}: ${String(error)}`)
    }
  }
}

/** Nothing that the servers started or made is there any more. */
function checkLeft({ dir, server, ledger, disk }: World): void {
  const tmp = join(dir, 'tmp')
  for (const pid of server.pids) {
    const { processes, groups, mounts } = listResources({ pid, mark: dir, tmp })
    const left: Partial<OwnedResources> = {
      processes,
      groups,
      mounts: mounts.filter((each) => each !== disk),
    }
    for (const [kind, list] of Object.entries(left)) {
      if (list.length > 0) ledger.fail(`${kind} of ${pid} are left: ${list.slice(0, 3).join('; ')}`)
    }
  }
  const runs = foldersIn(tmp)
    .filter((each) => basename(each).startsWith('skills-'))
    .flatMap(foldersIn)
  if (runs.length > 0) ledger.fail(`folders are left: ${runs.slice(0, 3).join('; ')}`)
}

function foldersIn(dir: string): string[] {
  return readdirSync(dir).map((name) => join(dir, name))
}

/** A small file system of its own; only root may mount one. */
function mountDisk(dir: string): string | undefined {
  mkdirSync(dir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'skills-soak', dir], {
      stdio: 'ignore',
    })
    writeFileSync(join(dir, '.probe'), '')
    return dir
  } catch {
    return undefined
  }
}
