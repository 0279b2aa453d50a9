import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordEntries } from '../../../src/core/installing/agents/change-agent-places.ts'
import { readLockFile } from '../../../src/core/installing/lock-file.ts'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import { readContent } from '../../../src/core/skills/content/read-content.ts'
import { downloadFile } from '../../../src/core/sources/download.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'

interface InstallProject {
  cwd: string
  lock: string
  installed: string
  run(...argv: string[]): Promise<CliResult>
}

/** A project without skills, next to the folder of a skill. */
function createProject(): InstallProject {
  const base = createFolder(prefixPaths('source/greet', createInstructionSkill('demo.greet')))
  const cwd = join(base, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'skills.config.toml'), '')
  const home = createFolder()
  return {
    cwd,
    lock: join(cwd, 'skills.lock'),
    installed: join(cwd, '.agents/skills/greet'),
    run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: home } }),
  }
}

async function createInstalled(): Promise<InstallProject> {
  const project = createProject()
  expect(await project.run('install', '../source/greet', '--yes')).toMatchObject({ code: 0 })
  return project
}

async function packGreet({ cwd, run }: InstallProject): Promise<Buffer> {
  const packed = await run('pack', '../source/greet', '--out', '.packed', '--skip-lint', '--json')
  expect(packed.stderr + packed.code).toMatch(/0$/)
  const file = join(cwd, '.packed', 'greet-0.1.0.tar.gz')
  const bytes = readFileSync(file)
  rmSync(join(cwd, '.packed'), { recursive: true })
  return bytes
}

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serveFile =
  (bytes: Uint8Array): RequestListener =>
  ({ url }, response) =>
    void (url === '/greet.tar.gz' ? response.end(bytes) : response.writeHead(404).end())

describe('skills install', () => {
  it('installs a folder that skills list finds and skills verify accepts', async () => {
    const { run, lock, installed } = await createInstalled()
    expect(existsSync(join(installed, 'SKILL.md'))).toBe(true)
    expect((await run('list')).stdout).toContain('demo.greet')
    expect(await run('verify')).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
      skills: [{ name: 'demo.greet', source: '../source/greet', approved: { by: 'yes' } }],
    })
  })

  it('installs nothing without a consent, exits with 4, and accepts the digest that it names', async () => {
    const { run, installed, lock } = createProject()
    const { code, stderr } = await run('install', '../source/greet')
    expect(code).toBe(4)
    expect([existsSync(installed), existsSync(lock)]).toEqual([false, false])
    const digest = /--trust\s+(sha256:[0-9a-f]{64})/.exec(stderr)?.[1] ?? ''
    const wrong = `sha256:${'0'.repeat(64)}`
    expect(await run('install', '../source/greet', '--trust', wrong)).toMatchObject({ code: 4 })
    expect(await run('install', '../source/greet', '--trust', digest)).toMatchObject({ code: 0 })
  })

  it('asks again when the files change', async () => {
    const { run, cwd } = await createInstalled()
    expect(await run('install', '../source/greet')).toMatchObject({ code: 0 })
    writeFileSync(join(cwd, '../source/greet/extra.txt'), 'new')
    expect(await run('install', '../source/greet')).toMatchObject({ code: 4 })
  })

  it('installs an archive by its URL, and refuses another digest', async () => {
    const project = createProject()
    const bytes = await packGreet(project)
    const url = `${await startServer(serveFile(bytes))}/greet.tar.gz`
    const wrong = await project.run('install', `${url}#sha256=${'0'.repeat(64)}`, '--yes')
    expect(wrong).toMatchObject({ code: 3 })
    expect(wrong.stderr).toContain('its digest is')
    expect(existsSync(project.installed)).toBe(false)
    const right = `${url}#sha256=${hash('sha256', bytes)}`
    expect(await project.run('install', right, '--yes')).toMatchObject({ code: 0 })
  })

  it('refuses a hostile archive, and installs nothing', async () => {
    const { run, installed, cwd } = createProject()
    writeFileSync(join(cwd, 'evil.tar.gz'), await packEvil('../secret'))
    const { code, stderr } = await run('install', './evil.tar.gz', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('"../secret"')])
    writeFileSync(join(cwd, 'plain.tar.gz'), await packEvil('secret'))
    // The control: only the path differs, and the missing manifest is the first problem.
    expect((await run('install', './plain.tar.gz', '--yes')).stderr).toContain('no SKILL.md')
    expect(existsSync(installed)).toBe(false)
  })

  it('refuses an older version without --allow-downgrade', async () => {
    const { run, cwd } = await createInstalled()
    const file = join(cwd, '../source/greet/skill.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('0.1.0', '0.0.9'))
    const refused = await run('install', '../source/greet', '--yes')
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('is older')])
    const allowed = await run('install', '../source/greet', '--yes', '--allow-downgrade')
    expect(allowed).toMatchObject({ code: 0 })
  })

  it('refuses a skill of the same name from another source', async () => {
    const { run, cwd } = await createInstalled()
    renameSync(join(cwd, '../source'), join(cwd, '../other'))
    const { code, stderr } = await run('install', '../other/greet', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('another source')])
  })

  it('keeps a folder that the lock does not have', async () => {
    const { run, installed } = createProject()
    mkdirSync(installed, { recursive: true })
    writeFileSync(join(installed, 'mine.txt'), 'mine')
    expect(await run('install', '../source/greet', '--yes')).toMatchObject({ code: 3 })
    expect(readFileSync(join(installed, 'mine.txt'), 'utf8')).toBe('mine')
  })

  it('writes through no link of the project', async () => {
    const { run, cwd } = createProject()
    const outside = createFolder()
    mkdirSync(join(cwd, '.agents'))
    symlinkSync(outside, join(cwd, '.agents/skills'))
    const { code, stderr } = await run('install', '../source/greet', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('is a link')])
    expect(existsSync(join(outside, 'greet'))).toBe(false)
  })

  it('leaves one of two concurrent installations as a whole', async () => {
    const { run } = createProject()
    const argv = ['install', '../source/greet', '--yes'] as const
    const results = await Promise.all([run(...argv), run(...argv), run(...argv)])
    expect(results.map(({ code }) => code)).toContain(0)
    expect(await run('verify')).toMatchObject({ code: 0 })
  })
})

describe('the lock', () => {
  it('restores a missing skill, and refuses a source that changed', async () => {
    const { run, cwd, installed } = await createInstalled()
    rmSync(installed, { recursive: true })
    expect(await run('verify')).toMatchObject({ code: 1 })
    expect(await run('install', '--frozen')).toMatchObject({ code: 0 })
    expect(await run('verify')).toMatchObject({ code: 0 })
    rmSync(installed, { recursive: true })
    writeFileSync(join(cwd, '../source/greet/extra.txt'), 'new')
    expect(await run('install', '--frozen')).toMatchObject({ code: 3 })
    expect(existsSync(installed)).toBe(false)
  })

  it('lists changed, extra and missing files and own folders', async () => {
    const { run, installed } = await createInstalled()
    writeFileSync(join(installed, 'SKILL.md'), 'changed')
    writeFileSync(join(installed, 'extra.txt'), '')
    rmSync(join(installed, 'skill.toml'))
    mkdirSync(join(installed, '../stranger'))
    const { code, stdout } = await run('verify')
    expect(code).toBe(1)
    for (const line of [
      'changed SKILL.md',
      'extra extra.txt',
      'missing skill.toml',
      'own .agents',
    ]) {
      expect(stdout).toContain(line)
    }
    expect(await run('install', '--frozen')).toMatchObject({ code: 3 })
    expect(await run('install')).toMatchObject({ code: 3 })
    expect(await run('install', '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(join(installed, 'SKILL.md'), 'utf8')).not.toBe('changed')
  })

  it('reports an installed folder that became a link', async () => {
    const { run, installed, cwd } = await createInstalled()
    rmSync(installed, { recursive: true })
    symlinkSync(join(cwd, '../source/greet'), installed)
    expect(await run('verify')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('link demo'),
    })
  })

  it.each([
    [
      'a replaced digest',
      (text: string) => text.replace(/("tree": "sha256:).{4}/, '$10000'),
      'tree',
    ],
    [
      'a folder that leads out',
      (text: string) => text.replace('"folder": "greet"', '"folder": "../out"'),
      'folder',
    ],
    ['an unknown key', (text: string) => text.replace('{', '{ "x": 1,'), 'x'],
    ['more bytes than any lock', () => ' '.repeat(64 * 1024 ** 2 + 1), 'more than 67108864 bytes'],
    ['a conflict', (text: string) => `<<<<<<< HEAD\n${text}`, 'line 1 is a conflict marker'],
  ])('with %s is refused', async (_, edit, problem) => {
    const { run, lock } = await createInstalled()
    writeFileSync(lock, edit(readFileSync(lock, 'utf8')))
    const { code, stderr } = await run('install', '--frozen')
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  it('loses a removed skill, whose changed files are kept without --force', async () => {
    const { run, installed } = await createInstalled()
    writeFileSync(join(installed, 'SKILL.md'), 'mine')
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 3 })
    expect(await run('remove', 'demo.greet', '--force')).toMatchObject({ code: 0 })
    expect(existsSync(installed)).toBe(false)
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 3 })
  })
})

describe('an interrupted installation', () => {
  /** The journal of a process that was killed before it wrote the lock of another version. */
  async function interrupt(
    { cwd, lock, installed }: InstallProject,
    files: string,
  ): Promise<string> {
    const journal = join(cwd, '.agents/.skills-install/swaps/greet')
    mkdirSync(journal)
    const [before] = readLockFile(lock)
    const content = await readContent(files)
    const tree = digestContent(content)
    const approved = { tree, capabilities: '0'.repeat(64), by: 'yes' } as const
    recordEntries(journal, { before, after: { ...before!, tree, files: content, approved } })
    renameSync(installed, join(journal, 'old'))
    return journal
  }

  it.each([
    ['after the old folder was moved', false],
    ['after the new folder was moved', true],
  ])('%s is reported by verify, and undone by install', async (_, hasNew) => {
    const project = await createInstalled()
    const { run, cwd, installed } = project
    const files = createFolder({ 'SKILL.md': 'new' })
    const journal = await interrupt(project, files)
    if (hasNew) cpSync(files, installed, { recursive: true })
    const before = listTree(cwd)
    const verified = await run('verify')
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('unfinished')])
    expect(listTree(cwd)).toEqual(before)
    expect(await run('install')).toMatchObject({ code: 0 })
    expect(await run('verify')).toMatchObject({ code: 0 })
    expect(existsSync(journal)).toBe(false)
  })

  it('of a new skill is removed by the next command that changes something', async () => {
    const { run, cwd, lock, installed } = await createInstalled()
    const journal = join(cwd, '.agents/.skills-install/swaps/greet')
    mkdirSync(journal)
    recordEntries(journal, { before: undefined, after: readLockFile(lock)[0] })
    writeFileSync(join(journal, 'new'), '')
    rmSync(lock)
    await run('install')
    expect(existsSync(installed)).toBe(false)
  })

  it('is no reason to remove files that were written to its place afterwards', async () => {
    const project = await createInstalled()
    const { run, installed } = project
    await interrupt(project, createFolder({ 'SKILL.md': 'new' }))
    mkdirSync(installed)
    writeFileSync(join(installed, 'mine.txt'), 'mine')
    await run('install')
    expect(readFileSync(join(installed, 'mine.txt'), 'utf8')).toBe('mine')
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('extra mine.txt')])
  })
})

/** Paths and times below a folder. */
function listTree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${lstatSync(join(folder, path)).mtimeMs}`)
    .sort()
}

describe('a download', () => {
  const download = async (url: string, limits: { bytes?: number; timeoutMs?: number } = {}) =>
    await downloadFile(
      new URL(url),
      { bytes: 1000, timeoutMs: 20_000, ...limits },
      new AbortController().signal,
    )

  it('without end is refused at the limit', async () => {
    const url = await startServer((_, response) => {
      const write = (): void => void response.write('x'.repeat(500), () => setImmediate(write))
      write()
    })
    await expect(download(url)).rejects.toThrow('more than 1000 bytes')
  })

  it('that is slow is refused at the time limit', async () => {
    const url = await startServer((_, response) => void response.write('x'))
    await expect(download(url, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'remote/timeout',
    })
  })

  it('follows a redirect on its own server, and none to a private address', async () => {
    const own = await startServer(({ url }, response) => {
      if (url === '/end') response.end('ok')
      else response.writeHead(302, { location: '/end' }).end()
    })
    expect((await download(own))?.toString()).toBe('ok')
    for (const host of [own, own.replace('127.0.0.1', 'localhost')]) {
      const url = await startServer((_, response) => {
        response.writeHead(302, { location: `${host}/end` }).end()
      })
      await expect(download(url)).rejects.toThrow('loopback address')
    }
  })

  it('that redirects for ever is refused', async () => {
    const url = await startServer((_, response) => {
      response.writeHead(302, { location: '/again' }).end()
    })
    await expect(download(url)).rejects.toThrow('redirects')
  })
})

async function packEvil(path: string): Promise<Uint8Array> {
  const { gzipSync } = await import('node:zlib')
  const header = Buffer.alloc(512)
  header.write(path, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write('00000000001\0', 124)
  header.write('00000000000\0', 136)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const content = Buffer.alloc(512)
  content.write('x')
  return gzipSync(Buffer.concat([header, content, Buffer.alloc(1024)]))
}
