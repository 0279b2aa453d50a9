// @module-tag isolated
// The environment and the resources of a process that does nothing else.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createControlGroup } from '../../../src/core/sandbox/cgroups/cgroup.ts'
import { getChildStream } from '../../../src/core/sandbox/guest-host/child-streams.ts'
import { createSharedMark } from '../../../src/util/owner.ts'
import { isAlive } from '../../helpers/is-alive.ts'
import { IS_FULL } from '../../helpers/matrix.ts'
import { findLeaks, listResources, type ResourceOwner } from '../../helpers/resources.ts'
import { createFolder } from '../../helpers/skills.ts'
import { openLeakyRuns, RUN_KINDS } from './leaky-runs.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MARK = `skills-leak-${process.pid}`
const CONCURRENCY = 4
const RUNS_OF_EACH = 5
const isRoot = process.getuid?.() === 0
const skipReason = isRoot ? '' : ' (not run: only root may mount and make control groups here)'

/** A temporary folder for this test only. */
function createTemporaryFolder(): ResourceOwner {
  const tmp = createFolder()
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = tmp
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
  return { pid: process.pid, mark: MARK, tmp }
}

function waitForExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

describe('leftovers', () => {
  let owner: ResourceOwner
  beforeEach(() => {
    owner = createTemporaryFolder()
  })

  it.skipIf(!isRoot)(`of every kind are detected${skipReason}`, async () => {
    const before = listResources(owner)
    const group = createControlGroup('planted', { memoryBytes: 1 << 30, processes: 9 })
    const child = spawn('/bin/sleep', ['600'], { argv0: MARK, stdio: 'ignore', detached: true })
    const dir = join(owner.tmp, 'planted')
    mkdirSync(dir)
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', dir])
    const fd = openSync('/proc/self/status', 'r')
    const found = findLeaks(before, listResources(owner))
    closeSync(fd)
    execFileSync('umount', [dir])
    rmdirSync(dir)
    child.kill('SIGKILL')
    await waitForExit(child)
    await group?.remove()
    expect(Object.keys(found).sort()).toEqual(['files', 'folders', 'groups', 'mounts', 'processes'])
    expect(found.files).toEqual(['/proc/N/status'])
    expect(findLeaks(before, listResources(owner))).toEqual({})
  })

  async function expectNoLeaks(countRuns: (share: number) => number): Promise<void> {
    const data = createFolder()
    const start = await openLeakyRuns(data, MARK)
    // Opens what stays open: the record, the store, and the cached interpreter.
    for (const kind of Object.keys(RUN_KINDS)) await start(kind)
    const before = listResources(owner)
    const kinds = Object.entries(RUN_KINDS).flatMap(([kind, { share }]) =>
      Array.from({ length: countRuns(share) }, (_, at) => ({ way: kind, at: at / share })),
    )
    const pending = kinds.sort((a, b) => a.at - b.at)
    const wrong: string[] = []
    const work = async () => {
      for (let next = pending.pop(); next; next = pending.pop()) {
        const outcome = await start(next.way)
        if (outcome !== RUN_KINDS[next.way]?.says) wrong.push(`${next.way}: ${outcome}`)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    expect(wrong).toEqual([])
    // The audit log stays open for a moment after the last of many records.
    await expect
      .poll(() => findLeaks(before, listResources(owner)), { timeout: 10_000 })
      .toEqual({})
  }

  it('of a run of each kind do not exist', { timeout: 240_000 }, async () => {
    await expectNoLeaks(() => 1)
  })

  it(
    'of many runs of all kinds do not exist',
    { tags: ['slow'], timeout: 600_000 },
    async () => await expectNoLeaks((share) => (IS_FULL ? share : share / 10)),
  )

  async function expectRemoved(parentCount: number): Promise<void> {
    const data = createFolder()
    const parents: number[] = []
    for (let at = 0; at < parentCount; at++) parents.push(await killParent(owner, data, at))
    const start = await openLeakyRuns(data, MARK)
    expect(await start('ok')).toBe('completed')
    for (const pid of parents) {
      const { processes, groups, mounts } = listResources({ ...owner, pid })
      expect({ processes, groups, mounts }).toEqual({ processes: [], groups: [], mounts: [] })
    }
    expect(listResources(owner).folders.filter((path) => !path.includes('skills-test-'))).toEqual(
      [],
    )
  }

  it(
    'of runs whose parent was killed are removed by the next',
    { tags: ['slow'] },
    async () => await expectRemoved(1),
  )

  it(
    'of runs of ten killed parents are removed by the next',
    { tags: ['slow'], timeout: 300_000 },
    async () => await expectRemoved(10),
  )
})

describe('a child whose bwrap was killed before it let the child continue', () => {
  it(
    'waits until the next start finds the leftovers',
    { tags: ['bubblewrap', 'slow'] },
    async () => {
      const { tmp } = createTemporaryFolder()
      const start = await openLeakyRuns(createFolder(), MARK)
      expect(await start('ok')).toBe('completed')
      const orphan = await createOrphan()
      onTestFinished(() => void (isAlive(orphan) && process.kill(orphan, 'SIGKILL')))
      expect(isAlive(orphan)).toBe(true)
      const leftover = readdirSync(tmp).find((name) => name.startsWith('skills-runs-')) as string
      // Leftovers of its parent: the marker names a process that never existed.
      const mark = createSharedMark().replace(/\d+-\d+$/, '4194304-1')
      mkdirSync(join(tmp, leftover, `${mark}.run_planted`))
      expect(await start('ok')).toBe('completed')
      await expect.poll(() => isAlive(orphan), { timeout: 10_000 }).toBe(false)
    },
  )
})

/** Creates such a child: it blocks before exec while its bwrap is killed. */
async function createOrphan(): Promise<number> {
  const args = '--unshare-pid --unshare-user --ro-bind / / --block-fd 3 --info-fd 4'.split(' ')
  const child = spawn('bwrap', [...args, '--args', '5', '--', '/bin/true', '/guest/init.py'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  for (const each of child.stdio) each?.on('error', () => {})
  getChildStream(child, 5).end()
  let text = ''
  let pid: number | undefined
  for await (const chunk of getChildStream(child, 4)) {
    text += String(chunk)
    pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1])
    if (pid > 0) break
  }
  const end = waitForExit(child)
  child.kill('SIGKILL')
  await end
  return pid as number
}

/** Kills a process with SIGKILL while its runs are active; returns its pid. */
async function killParent({ tmp }: ResourceOwner, data: string, round: number): Promise<number> {
  const worker = join(ROOT, 'test/core/runs/leaky-worker.ts')
  const args = ['--import', BUILT_MODULES, worker, data, MARK, String(RUNS_OF_EACH)]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], HOME: data, TMPDIR: tmp },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = waitForExit(child)
  for await (const line of createInterface(child.stdout)) {
    if (line === 'starting') break
  }
  // From before the first process of a run exists to long after its code began.
  await new Promise((resolve) => setTimeout(resolve, round * 15))
  child.kill('SIGKILL')
  await end
  return child.pid as number
}
