// @module-tag nats-server
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createWorkspaceFolders } from '../../../src/core/workspaces/workspace.ts'
import {
  createWorkspaceState,
  writeWorkspaceState,
} from '../../../src/core/workspaces/workspace-state.ts'
import { encodeManifest, decodeManifest } from '../../../src/fleet/workspaces/manifest.ts'
import { namePack, namePackMark } from '../../../src/fleet/workspaces/pack-writer.ts'
import { restoreSnapshot } from '../../../src/fleet/workspaces/restore-snapshot.ts'
import { listPacks } from '../../../src/fleet/workspaces/stored-manifest.ts'
import { sweepSnapshots } from '../../../src/fleet/workspaces/sweep-snapshots.ts'
import {
  takeSnapshot,
  type SnapshotBase,
  type TakenSnapshot,
} from '../../../src/fleet/workspaces/take-snapshot.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { createFolder } from '../../helpers/skills.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const LIMITS = { entries: 500, bytes: 4 * 1024 ** 2, depth: 20 }
const SECRET = 'a secret of the host'

const nats = useNatsServer()
let engine: Engine
let count = 0

beforeEach(async () => {
  engine = await openTestEngine(nats.server)
})

/** A workspace, and functions that take and restore its snapshots. */
async function createWorkspace() {
  const workspace = (++count).toString(16).padStart(40, '0')
  const dir = createFolder()
  await createWorkspaceFolders(dir, () => {})
  writeWorkspaceState(dir, createWorkspaceState())
  const work = join(dir, 'root', 'work')
  let base: SnapshotBase | undefined
  let isLarge = false
  const take = async (): Promise<TakenSnapshot | undefined> => {
    const onLarge = () => (isLarge = true)
    const taken = await takeSnapshot({ engine, workspace, dir, limits: LIMITS, base, onLarge })
    base = taken ?? base
    return taken
  }
  const restore = async ({ manifest }: TakenSnapshot): Promise<string> => {
    const target = createFolder()
    await createWorkspaceFolders(target, () => {})
    await restoreSnapshot({ engine, workspace, manifest, dir: target, maxBytes: LIMITS.bytes })
    return join(target, 'root', 'work')
  }
  const measure = async () => (await engine.measure('workspaces')).messages
  return { workspace, dir, work, take, restore, measure, isLarge: () => isLarge }
}

/** Takes a snapshot that must differ from the last one. */
async function takeChanged({ take }: { take: () => Promise<TakenSnapshot | undefined> }) {
  const taken = await take()
  if (!taken) throw new Error('the snapshot is the same')
  return taken
}

function listReasons({ manifest }: TakenSnapshot): string[] {
  return manifest.leftOut.map(({ reason }) => reason)
}

describe('a snapshot', () => {
  it('restores contents, modes, times, links and empty folders', async () => {
    const own = await createWorkspace()
    const large = Buffer.alloc(1_700_000, 'abc')
    writeFileSync(join(own.work, 'large'), large)
    writeFileSync(join(own.work, 'tool'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(own.work, 'empty'), '')
    mkdirSync(join(own.work, 'folder', 'below'), { recursive: true })
    chmodSync(join(own.work, 'folder'), 0o500)
    symlinkSync('tool', join(own.work, 'link'))
    const restored = await own.restore(await takeChanged(own))
    expect(readFileSync(join(restored, 'large')).equals(large)).toBe(true)
    expect(readdirSync(restored).sort()).toEqual([
      'empty',
      'folder',
      'inputs',
      'large',
      'link',
      'tool',
    ])
    expect(lstatSync(join(restored, 'tool')).mode & 0o777).toBe(0o755)
    expect(lstatSync(join(restored, 'folder')).mode & 0o777).toBe(0o500)
    expect(readdirSync(join(restored, 'folder'))).toEqual(['below'])
    expect(readlinkSync(join(restored, 'link'))).toBe('tool')
    expect(Math.round(statSync(join(restored, 'tool')).mtimeMs)).toBe(
      Math.round(statSync(join(own.work, 'tool')).mtimeMs),
    )
  })

  it('of an unchanged workspace stores nothing', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'file'), 'x')
    await takeChanged(own)
    const before = await own.measure()
    expect(await own.take()).toBeUndefined()
    expect(await own.measure()).toBe(before)
    appendFileSync(join(own.work, 'file'), 'y')
    expect(await own.take()).toBeDefined()
    expect(await own.measure()).toBeGreaterThan(before)
  })

  it('sends known content only once', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'first'), Buffer.alloc(300_000, 'first'))
    const first = await takeChanged(own)
    renameSync(join(own.work, 'first'), join(own.work, 'renamed'))
    const second = await takeChanged(own)
    expect(listPacks(second.manifest)).toEqual(listPacks(first.manifest))
    writeFileSync(join(own.work, 'renamed'), Buffer.alloc(300_000, 'other'))
    expect(listPacks((await takeChanged(own)).manifest)).not.toEqual(listPacks(first.manifest))
  })

  it('is stored again if most of a pack is unused', async () => {
    const own = await createWorkspace()
    const names = Array.from({ length: 30 }, (_, at) => join(own.work, `f${at}`))
    for (const [at, name] of names.entries()) writeFileSync(name, Buffer.alloc(10_000, `${at}`))
    const [pack] = listPacks((await takeChanged(own)).manifest)
    for (const name of names.slice(1, 15)) rmSync(name)
    expect(listPacks((await takeChanged(own)).manifest)).toEqual([pack])
    for (const name of names.slice(15)) rmSync(name)
    const taken = await takeChanged(own)
    expect(listPacks(taken.manifest)).not.toContain(pack)
    expect(readFileSync(join(await own.restore(taken), 'f0'), 'utf8')).toBe('0'.repeat(10_000))
  })

  it('is large if much is stored', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'file'), Buffer.alloc(3_000_000))
    await takeChanged(own)
    expect(own.isLarge()).toBe(false)
  })
})

describe('a snapshot of a hostile workspace', () => {
  it('has links out of the workspace as links, and reads nothing behind them', async () => {
    const own = await createWorkspace()
    const outside = createFolder()
    writeFileSync(join(outside, 'secret'), SECRET)
    symlinkSync(outside, join(own.work, 'folder'))
    symlinkSync(join(outside, 'secret'), join(own.work, 'file'))
    symlinkSync('../../../..', join(own.work, 'up'))
    writeFileSync(join(own.work, 'control'), 'read')
    const taken = await takeChanged(own)
    const restored = await own.restore(taken)
    expect(readlinkSync(join(restored, 'folder'))).toBe(outside)
    expect(readlinkSync(join(restored, 'up'))).toBe('../../../..')
    expect(readFileSync(join(restored, 'control'), 'utf8')).toBe('read')
    const files = taken.manifest.entries.filter(({ type }) => type === 'file')
    expect(files.map(({ path }) => path)).toEqual(['root/work/control'])
  })

  it('leaves out special files, and says so', async () => {
    const own = await createWorkspace()
    execFileSync('mkfifo', [join(own.work, 'fifo')])
    const server = createServer().listen(join(own.work, 'socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    writeFileSync(join(own.work, 'control'), 'read')
    const taken = await takeChanged(own)
    expect(taken.manifest.leftOut).toEqual([
      {
        reason: 'special',
        count: 2,
        examples: expect.arrayContaining(['work/fifo', 'work/socket']) as string[],
      },
    ])
    expect(readdirSync(await own.restore(taken)).sort()).toEqual(['control', 'inputs'])
  })

  it('leaves out folders that are too deep, but not the others', async () => {
    const own = await createWorkspace()
    const deep = Array.from({ length: 60 }, () => 'd').join('/')
    mkdirSync(join(own.work, deep), { recursive: true })
    writeFileSync(join(own.work, 'd/d/control'), 'read')
    const taken = await takeChanged(own)
    expect(listReasons(taken)).toEqual(['deep'])
    expect(readFileSync(join(await own.restore(taken), 'd/d/control'), 'utf8')).toBe('read')
  })

  it('leaves out files beyond the size of a workspace', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'sparse'), '')
    truncateSync(join(own.work, 'sparse'), 1024 ** 4)
    writeFileSync(join(own.work, 'control'), 'read')
    const taken = await takeChanged(own)
    expect(listReasons(taken)).toEqual(['large'])
    expect(readdirSync(await own.restore(taken)).sort()).toEqual(['control', 'inputs'])
  })

  it('has at most the allowed number of entries', async () => {
    const own = await createWorkspace()
    for (let at = 0; at < 480; at++) writeFileSync(join(own.work, `f${at}`), '')
    expect(listReasons(await takeChanged(own))).toEqual([])
    for (let at = 480; at < 700; at++) writeFileSync(join(own.work, `f${at}`), '')
    const taken = await takeChanged(own)
    expect(listReasons(taken)).toEqual(['many'])
    expect(taken.manifest.entries).toHaveLength(LIMITS.entries)
  })

  it('has names that are not UTF-8, and control characters only in its entries', async () => {
    const own = await createWorkspace()
    const name = Buffer.concat([Buffer.from(`${own.work}/`), Buffer.from([0x66, 0xff, 0x1b, 0x0a])])
    writeFileSync(name, 'bytes')
    execFileSync('mkfifo', [join(own.work, 'fifo\u001b[2J')])
    const taken = await takeChanged(own)
    expect(taken.manifest.leftOut[0]?.examples[0]).toMatch(/^[ -~]+$/)
    const restored = await own.restore(taken)
    const names = readdirSync(restored, { encoding: 'buffer' })
    expect(names.map((each) => each.toString('latin1'))).toContain('f\u00ff\u001b\n')
  })

  it('is whole although a file changes while it is read', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'control'), 'read')
    const log = join(own.work, 'log')
    writeFileSync(log, 'line\n'.repeat(100))
    const timer = setInterval(() => appendFileSync(log, 'line\n'.repeat(100)), 1)
    const snapshots: TakenSnapshot[] = []
    for (let at = 0; at < 10; at++) snapshots.push(await takeChanged(own))
    clearInterval(timer)
    for (const each of snapshots) {
      const restored = await own.restore(each)
      expect(readFileSync(join(restored, 'log'), 'utf8')).toMatch(/^(line\n)+$/)
      expect(readFileSync(join(restored, 'control'), 'utf8')).toBe('read')
    }
  })

  it('never reads outside although folders become links meanwhile', async () => {
    const own = await createWorkspace()
    const outside = createFolder()
    for (const folder of [outside, join(own.work, 'real')]) {
      mkdirSync(folder, { recursive: true })
      for (let at = 0; at < 100; at++)
        writeFileSync(join(folder, `f${at}`), folder === outside ? SECRET : 'inside')
    }
    symlinkSync(outside, join(own.work, 'link'))
    const swap = `while :; do mv real kept; mv link real; mv real link; mv kept real; done`
    const child = spawn('sh', ['-c', swap], { cwd: own.work, stdio: 'ignore' })
    const snapshots: TakenSnapshot[] = []
    for (let at = 0; at < 10; at++) {
      writeFileSync(join(own.work, 'control'), String(at))
      snapshots.push(await takeChanged(own))
    }
    child.kill('SIGKILL')
    const contents = new Set<string>()
    for (const { manifest } of snapshots)
      for (const entry of manifest.entries)
        if (entry.type === 'file' && /f\d+$/.test(entry.path)) contents.add(entry.sha256)
    const inside = createHash('sha256').update('inside').digest('hex')
    expect([...contents]).toEqual([inside])
  })
})

describe('a manifest', () => {
  it('with a path out of the workspace is refused', async () => {
    const own = await createWorkspace()
    const { manifest } = await takeChanged(own)
    await expect(decodeManifest(await encodeManifest(manifest))).resolves.toBeDefined()
    for (const path of ['root/../x', 'x', 'root/none/x', 'root/link/x', 'root/work', '/etc/x']) {
      const link = { type: 'link', path: 'root/link', target: '/etc' } as const
      const entries = [...manifest.entries, link, { type: 'link', path, target: 'x' } as const]
      const encoded = await encodeManifest({ ...manifest, entries })
      await expect(decodeManifest(encoded)).rejects.toThrow('a path of it is not valid')
    }
  })

  it('is not restored if a pack is missing or was changed', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'file'), 'content')
    const taken = await takeChanged(own)
    await own.restore(taken)
    const [digest = ''] = listPacks(taken.manifest)
    const subject = namePack(own.workspace, digest)
    await engine.remove('workspaces', subject)
    await expect(own.restore(taken)).rejects.toThrow('is missing')
    await engine.create('workspaces', subject, 'changed')
    await expect(own.restore(taken)).rejects.toThrow('was changed')
  })
})

describe('the sweep of snapshots', () => {
  it('removes old packs that no record names, and their marks', async () => {
    const own = await createWorkspace()
    writeFileSync(join(own.work, 'file'), 'unnamed')
    const { manifest } = await takeChanged(own)
    const [digest = ''] = listPacks(manifest)
    const options = { ttlMs: 1e12, dryRun: false }
    await sweepSnapshots(engine, options)
    expect(await engine.last('workspaces', namePack(own.workspace, digest))).toBeDefined()
    await sweepSnapshots(engine, { ...options, unnamedMs: -1000, dryRun: true })
    expect(await engine.last('workspaces', namePack(own.workspace, digest))).toBeDefined()
    const swept = await sweepSnapshots(engine, { ...options, unnamedMs: -1000 })
    expect(swept.packs).toBeGreaterThanOrEqual(2)
    expect(await engine.last('workspaces', namePack(own.workspace, digest))).toBeUndefined()
    expect(await engine.last('workspaces', namePackMark(own.workspace, digest))).toBeUndefined()
  })
})
