import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { runInSlices } from '../../../src/util/slices/run-in-slices.ts'
import { findFiles } from '../../../src/core/workspaces/files/find-files.ts'
import {
  OutsideWorkspaceError,
  WorkspaceTree,
} from '../../../src/core/workspaces/files/workspace-tree.ts'
import { setMode, writeWorkspaceFile } from '../../../src/core/workspaces/files/write-file.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

/** Replaces the entry `x` by a file, a folder and links, as a command of a session can at any time. */
const SWAP = `const fs = require('node:fs')
const { join } = require('node:path')
const { workerData: root } = require('node:worker_threads')
const [x, old] = [join(root, 'x'), join(root, 'old')]
const makers = [
  () => fs.writeFileSync(x, 'file'),
  () => fs.symlinkSync('a', x),
  () => (fs.mkdirSync(x), fs.writeFileSync(join(x, 'y'), 'inner')),
  () => fs.symlinkSync('x', x),
  () => fs.symlinkSync('/etc', x),
]
for (let at = 0; ; at = (at + 1) % makers.length) {
  try {
    fs.rmSync(x, { recursive: true, force: true })
    makers[at]()
  } catch {}
}`

it('of a command and a tool for files end with an answer or a sentence', async () => {
  const root = createFolder()
  writeTree(root, { 'a/y': 'content' })
  const tree = new WorkspaceTree({ root, mounts: new Map(), user: undefined })
  const worker = new Worker(SWAP, { eval: true, workerData: root })
  onTestFinished(async () => void (await worker.terminate()))
  const bytes = Buffer.from('written')
  const attempts: (() => unknown)[] = [
    () => tree.read('x/y', 100),
    () => tree.read('x', 100),
    () => tree.withEntry('x/y', ({ stat }) => stat.size),
    () => setMode(tree, 'x', 0o644),
    async () => await runInSlices(tree.list('x', { left: 100 })),
    async () => await runInSlices(findFiles(tree, ['**/y'], { left: 100 })),
    () => writeWorkspaceFile(tree, 'x/y', { bytes, mode: 0o644 }),
    () => writeWorkspaceFile(tree, 'x', { bytes }),
    () => tree.makeFolder('x/z'),
    () => tree.link('x/l', 'a'),
  ]
  const thrown: unknown[] = []
  for (let round = 0; round < 1500; round++) {
    for (const attempt of attempts) {
      try {
        await attempt()
      } catch (error) {
        if (!(error instanceof OutsideWorkspaceError)) thrown.push(error)
      }
    }
  }
  expect([...new Set(thrown.map(String))]).toEqual([])
})
