import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { openWorkspaceHandle } from '../../../src/core/sandbox/rootfs/workspace-handle.ts'
import { collectFiles } from '../../../src/core/workspaces/files/collect-files.ts'
import { WorkspaceTree } from '../../../src/core/workspaces/files/workspace-tree.ts'
import { Workspaces } from '../../../src/core/workspaces/workspaces.ts'

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0
let dir = ''

/** Modes do not bind root. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skills-locked-'))
  if (!isRoot) return
  chownSync(dir, NOBODY, NOBODY)
  process.seteuid?.(NOBODY)
})

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
  rmSync(dir, { recursive: true, force: true })
})

/** Creates a folder with a locked folder and a locked file, as a command can leave them. */
function makeLocked(name: string): string {
  const root = join(dir, name)
  mkdirSync(join(root, 'out/locked'), { recursive: true })
  writeFileSync(join(root, 'out/locked/inner.txt'), 'inner')
  writeFileSync(join(root, 'out/file.txt'), 'file')
  writeFileSync(join(root, 'out/open.txt'), 'open')
  chmodSync(join(root, 'out/file.txt'), 0)
  chmodSync(join(root, 'out/locked'), 0)
  return root
}

describe('locked files of an ordinary user', () => {
  it('cannot be read, the control', () => {
    expect(() => readdirSync(join(makeLocked('ws'), 'out/locked'))).toThrow('EACCES')
  })

  it('are part of a kept workspace', async () => {
    const handle = openWorkspaceHandle(makeLocked('ws'))
    const copy = join(dir, 'copy')
    expect(await handle.copyTo(copy, 1000)).toEqual({ leftOut: 0, unreadable: [] })
    handle.close()
    const names = readdirSync(copy, { recursive: true }) as string[]
    expect(names.toSorted()).toEqual([
      'out',
      'out/file.txt',
      'out/locked',
      'out/locked/inner.txt',
      'out/open.txt',
    ])
  })

  it('leave nothing behind if the workspace cannot be kept', async () => {
    const handle = openWorkspaceHandle(makeLocked('ws'))
    const copy = join(dir, 'copy')
    await expect(handle.copyTo(copy, 1)).rejects.toThrow('size limit')
    handle.close()
    expect(existsSync(copy)).toBe(false)
  })

  it('are named if output files are collected', async () => {
    const tree = new WorkspaceTree({ root: makeLocked('ws'), mounts: new Map(), user: undefined })
    const { files } = await collectFiles(tree, ['out/**'])
    expect(files.map(({ name }) => name)).toEqual(['out/open.txt'])
    expect([...tree.unreadable].toSorted()).toEqual(['out/file.txt', 'out/locked'])
  })

  it('are removed with their workspace', async () => {
    const { config } = await loadConfig({ cwd: dir, env: { HOME: dir }, noFiles: true })
    const workspaces = new Workspaces(dir, config.store)
    mkdirSync(join(dir, '.drafts'))
    makeLocked('key')
    await workspaces.remove('key')
    expect(readdirSync(dir)).toEqual(['.drafts'])
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })
})
