// @module-tag slow
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SandboxRequest } from '../../../src/core/sandbox/backend.ts'
import { stageFiles, sweepStagingFolders } from '../../../src/core/sandbox/rootfs/stage-files.ts'
import { createSharedMark } from '../../../src/util/owner.ts'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

/** Creates a staging root for one test. */
function stageRoot(): string {
  const before = process.env['TMPDIR']
  const own = createFolder()
  process.env['TMPDIR'] = own
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
  const root = join(own, `skills-runs-${process.getuid?.() ?? 0}`)
  mkdirSync(root, { mode: 0o700 })
  return root
}

function requestFor(dir: string): SandboxRequest {
  return {
    id: 'run_x',
    skills: [{ name: 'x', dir }],
    blobs: [],
    guest: { kind: 'function', job: {} },
  } as unknown as SandboxRequest
}

const place = createSharedMark().split('.')[0]

describe('the sweep of staging folders', () => {
  const sweep = (name: string, ageHours: number): boolean => {
    const dir = join(stageRoot(), name)
    mkdirSync(dir)
    const then = new Date(Date.now() - ageHours * 3_600_000)
    utimesSync(dir, then, then)
    sweepStagingFolders()
    return !existsSync(dir)
  }

  it.each([
    ['removes those of a dead process', `${place}.999999999-1.run_x`, 0, true],
    ['keeps those of a living process', `${createSharedMark()}.run_x`, 48, false],
    ['keeps those of another container, which it cannot see', '0badcafe.7-1.run_x', 1, false],
    ['removes old ones of another container', '0badcafe.7-1.run_x', 25, true],
    ['keeps other files', 'run_999999999-1.x', 48, false],
  ])('%s', (_, ...[name, age, isGone]) => {
    expect(sweep(name, age)).toBe(isGone)
  })

  it('removes folders that code locked', () => {
    const stages = new URL('../../../src/core/sandbox/rootfs/stage-files.ts', import.meta.url).href
    const output = asUser([
      `import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'`,
      `import { sweepStagingFolders } from ${JSON.stringify(stages)}`,
      'const root = process.env.TMPDIR + "/skills-runs-" + process.getuid()',
      `const dir = root + '/${place}.999999999-1.run_x'`,
      `mkdirSync(dir + '/locked/more', { recursive: true })`,
      `writeFileSync(dir + '/locked/more/file', '')`,
      `chmodSync(root, 0o700)`,
      `chmodSync(dir + '/locked/more', 0)`,
      `chmodSync(dir + '/locked', 0)`,
      'let code',
      'try { rmSync(dir, { recursive: true, force: true }) } catch (error) { code = error.code }',
      'sweepStagingFolders()',
      'console.log(code, existsSync(dir))',
    ])
    // A plain removal fails; only the sweep succeeds.
    expect(output).toBe('EACCES false\n')
  })
})

describe('a folder deeper than PATH_MAX', () => {
  it('is removed', () => {
    const dir = join(stageRoot(), `${place}.999999999-1.run_x`)
    mkdirSync(dir)
    const deepen =
      'import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(3000): os.mkdir("d"); os.chdir("d")'
    execFileSync('python3', ['-c', deepen, dir])
    expect(() => rmSync(dir, { recursive: true, force: true })).toThrow()
    sweepStagingFolders()
    expect(existsSync(dir)).toBe(false)
  })
})

/** Runs a program as an ordinary user, since permissions do not bind root. */
function asUser(lines: readonly string[]): string {
  const home = createFolder()
  chmodSync(home, 0o777)
  const node = [
    process.execPath,
    '--import',
    BUILT_MODULES,
    '--input-type=module',
    '-e',
    lines.join('\n'),
  ]
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const [program = '', ...args] = process.getuid?.() === 0 ? [...user, ...node] : node
  const env = { PATH: process.env['PATH'], TMPDIR: home }
  return execFileSync(program, args, { env, cwd: '/', encoding: 'utf8' })
}

describe('a skill that changes while it is copied', () => {
  const FILES = 800

  /**
   * Creates a skill whose last folder is copied long after the first, which leaves time to change
   * it.
   */
  function skill(): { dir: string; secret: string } {
    const secret = createFolder({ file: 'of the host' })
    const dir = createFolder({ 'z/file': 'of the skill' })
    mkdirSync(join(dir, 'a'))
    for (let n = 0; n < FILES; n++) writeFileSync(join(dir, 'a', `${n}`), '')
    return { dir, secret }
  }

  /** Waits for the first file of the copy and then replaces the last folder by a symlink. */
  function swap(dir: string, first: string, target: string): Promise<void> {
    const code = `
      const { workerData } = require('node:worker_threads')
      const { existsSync, renameSync, symlinkSync, writeFileSync } = require('node:fs')
      const { dir, first, target } = workerData
      require('node:worker_threads').parentPort.postMessage('ready')
      while (!existsSync(first));
      renameSync(dir + '/z', dir + '/y')
      symlinkSync(target, dir + '/z')
    `
    const worker = new Worker(code, { eval: true, workerData: { dir, first, target } })
    onTestFinished(async () => void (await worker.terminate()))
    return new Promise((resolve) => worker.once('message', () => resolve()))
  }

  it('is copied unchanged if nothing is swapped', () => {
    stageRoot()
    const { dir } = skill()
    const staged = stageFiles(requestFor(dir), 1000)
    expect(readFileSync(join(staged.skills[0]?.path ?? '', 'z/file'), 'utf8')).toBe('of the skill')
    staged.remove()
  })

  it('never contains a file of the host through a folder that became a symlink', async () => {
    const root = stageRoot()
    const { dir, secret } = skill()
    const first = join(root, `${createSharedMark()}.run_x`, 'copies/skill-0/a/0')
    await swap(dir, first, secret)
    expect(() => stageFiles(requestFor(dir), 1000)).toThrow(/changed while it was being read/)
    // Control: the folder was replaced; without a check of the opened file, this would be read.
    expect(readFileSync(join(dir, 'z/file'), 'utf8')).toBe('of the host')
  })

  it('may be named by a symlink', () => {
    stageRoot()
    const { dir } = skill()
    const link = join(createFolder(), 'link')
    symlinkSync(dir, link)
    const staged = stageFiles(requestFor(link), 1000)
    expect(readFileSync(join(staged.skills[0]?.path ?? '', 'z/file'), 'utf8')).toBe('of the skill')
    staged.remove()
  })
})
