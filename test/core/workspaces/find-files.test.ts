import { describe, expect, it } from 'vitest'
import { findFiles as listSteps } from '../../../src/core/workspaces/files/find-files.ts'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runInSlices } from '../../../src/util/slices/run-in-slices.ts'
import { WorkspaceTree } from '../../../src/core/workspaces/files/workspace-tree.ts'
import { createFolder } from '../../helpers/skills.ts'

const createTree = (files: Record<string, string>) =>
  new WorkspaceTree({ root: createFolder(files), mounts: new Map(), user: undefined })
const findFiles = async (...args: Parameters<typeof listSteps>) =>
  await runInSlices(listSteps(...args))
const createBudget = () => ({ left: 100_000 })

describe('matching files', async () => {
  it('are found by alternatives, and in any number of folders', async () => {
    const tree = createTree({ 'a/x.txt': '', 'a/b/x.csv': '', 'a/b/c/x.txt': '' })
    expect(await findFiles(tree, ['a/**/**/*.{txt,csv}'], createBudget())).toEqual([
      'a/x.txt',
      'a/b/x.csv',
      'a/b/c/x.txt',
    ])
    expect(await findFiles(tree, ['{a,b}/{x,y}.{txt,md}', 'a/x.txt'], createBudget())).toEqual([
      'a/x.txt',
    ])
  })

  it('are searched within a budget, for any patterns', async () => {
    const tree = createTree({ 'a/x': '' })
    const left = createBudget()
    expect(await findFiles(tree, ['{a,b}{c,d}/'.repeat(60)], left)).toEqual([])
    expect(left.left).toBeGreaterThan(0)
    await findFiles(
      tree,
      Array.from({ length: 50_000 }, () => 'a/y'),
      createBudget(),
    )
  })

  it('visit each folder once, however many ways lead to it', async () => {
    const root = createFolder()
    mkdirSync(join(root, 'work', ...Array.from({ length: 100 }, () => 'd')), { recursive: true })
    const tree = new WorkspaceTree({ root, mounts: new Map(), user: undefined })
    let count = 0
    const list = tree.list.bind(tree)
    tree.list = (...args) => ((count += 1), list(...args))
    for (const inner of [1, 2, 3, 8]) {
      count = 0
      const pattern = `work/${'**/d/'.repeat(inner)}x`
      expect(await findFiles(tree, [pattern], createBudget())).toEqual([])
      expect(count).toBeLessThanOrEqual(102)
    }
  })

  it('follow links that a pattern names, and none by **', async () => {
    const root = createFolder({ 'a/x.txt': '', 'b/y.txt': '' })
    symlinkSync('../b', join(root, 'a/link'))
    const tree = new WorkspaceTree({ root, mounts: new Map(), user: undefined })
    expect(await findFiles(tree, ['**/y.txt'], createBudget())).toEqual(['b/y.txt'])
    expect(await findFiles(tree, ['a/**/y.txt'], createBudget())).toEqual([])
    expect(await findFiles(tree, ['a/link/*'], createBudget())).toEqual(['b/y.txt'])
    expect(await findFiles(tree, ['a/*/*.txt'], createBudget())).toEqual(['b/y.txt'])
  })
})
