// @module-tag slow
// @module-tag nightly
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../../helpers/skills.ts'
import { hashFile, createSkillWithWheels, createWheel } from './wheels.ts'
import { BIN } from '../../../helpers/built.ts'

const CACHE = '.cache/skills/dependencies'

/** Names in the folder of all installations. */
function listInstallations(home: string): string[] {
  const dir = join(home, CACHE)
  return existsSync(dir) ? readdirSync(dir) : []
}

function findPackages(home: string): string {
  const dir = join(home, CACHE, listInstallations(home)[0] as string)
  const name = readdirSync(dir).find((each) => each.startsWith('packages-'))
  return join(dir, name ?? '')
}

/** Starts the command line as a separate process, with all its children. */
function startSkills(argv: readonly string[], HOME: string) {
  return spawn(process.execPath, [BIN, ...argv], {
    cwd: HOME,
    env: { PATH: process.env['PATH'], HOME },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

describe('skills deps', () => {
  it('installs the pinned packages once, and reports their state', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    const at = { env: { HOME } }
    const before = await runSkills(['deps', dir, '--check', '--json'], at)
    expect(before.code).toBe(1)
    expect(before.json()).toMatchObject({ dependencies: { state: 'missing', changed: false } })
    expect(listInstallations(HOME)).toEqual([])
    const first = await runSkills(['deps', dir, '--from', wheels], at)
    expect(first.stderr).toBe('')
    expect(first.stdout).toMatch(
      /^demo\.hello: installed for Python 3\.\d+\.\d+\n {2}greetings 1\.0\n$/,
    )
    const second = await runSkills(['deps', dir, '--from', wheels, '--json'], at)
    expect(second.json()).toMatchObject({
      schema: 'skills.dependencies/v1',
      dependencies: {
        skill: 'demo.hello',
        lock: 'python.lock',
        digest: `sha256:${hashFile(join(dir, 'python.lock'))}`,
        packages: [{ name: 'greetings', version: '1.0' }],
        state: 'installed',
        changed: false,
        folder: findPackages(HOME),
      },
    })
    expect((await runSkills(['deps', dir, '--check'], at)).code).toBe(0)
    expect(listInstallations(HOME)).toHaveLength(1)
  })

  it('reports a skill that declares no dependencies', async () => {
    const { dir } = createSkillWithWheels({
      'skill.toml': 'name = "a.b"\nversion = "1.0.0"\ndescription = "x"\nkind = "instruction"\n',
    })
    const ran = await runSkills(['deps', dir, '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '"a.b" declares no dependencies\n' })
    expect(ran.json()).toMatchObject({ dependencies: null })
  })

  it('rejects a wheel with another hash, and stores nothing', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    createWheel(wheels, { name: 'greetings', files: { 'greetings/__init__.py': 'evil = 1\n' } })
    const ran = await runSkills(['deps', dir, '--from', wheels], { env: { HOME } })
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(/cannot be installed: .*HASHES/)
    expect(listInstallations(HOME)).toEqual([])
  })

  it.each(['greetings==1.0', 'greetings', '--index-url https://example.com', '-e .'])(
    'rejects the line %j before a process starts',
    async (line) => {
      const { dir, wheels, line: good } = createSkillWithWheels()
      writeFileSync(join(dir, 'python.lock'), `${good}\n${line}\n`)
      const HOME = createFolder()
      const ran = await runSkills(['deps', dir, '--from', wheels], { env: { HOME } })
      expect(ran.code).toBe(3)
      expect(ran.stderr).toContain('python.lock, line 2')
      expect(listInstallations(HOME)).toEqual([])
    },
  )

  it('never builds a source distribution, so none of its code runs', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    const mark = join(HOME, 'was-run')
    const source = createFolder({
      'other-1.0/setup.py': `open(${JSON.stringify(mark)}, "w")\nfrom setuptools import setup\nsetup(name="other", version="1.0")\n`,
      'other-1.0/PKG-INFO': 'Metadata-Version: 1.0\nName: other\nVersion: 1.0\n',
    })
    const archive = join(wheels, 'other-1.0.tar.gz')
    execFileSync('tar', ['-C', source, '-czf', archive, 'other-1.0'])
    writeFileSync(join(dir, 'python.lock'), `other==1.0 --hash=sha256:${hashFile(archive)}\n`)
    const ran = await runSkills(['deps', dir, '--from', wheels], { env: { HOME } })
    expect(ran.code).toBe(3)
    expect(existsSync(mark)).toBe(false)
    expect(listInstallations(HOME)).toEqual([])
  })

  it.each(['../../outside.py', '../../../../../../outside.py', '/tmp/skills-outside.py'])(
    'does not let a wheel write to %s',
    async (path) => {
      const { dir, wheels } = createSkillWithWheels()
      const files = { 'bad/__init__.py': '', [path]: 'outside = 1\n' }
      const line = createWheel(wheels, { name: 'bad', files })
      writeFileSync(join(dir, 'python.lock'), `${line}\n`)
      const HOME = createFolder()
      const ran = await runSkills(['deps', dir, '--from', wheels], { env: { HOME } })
      expect(ran.code).toBe(3)
      expect(ran.stderr).toContain('cannot be installed')
      expect(listInstallations(HOME)).toEqual([])
      const found = execFileSync('find', [HOME, '-name', '*outside.py'], { encoding: 'utf8' })
      expect(found).toBe('')
      expect(existsSync('/tmp/skills-outside.py')).toBe(false)
    },
  )

  it.each([
    [
      'a changed file',
      (dir: string) => appendFileSync(join(dir, 'greetings/__init__.py'), 'x=1\n'),
    ],
    ['one more file', (dir: string) => writeFileSync(join(dir, 'more.py'), 'x=1\n')],
    ['a missing file', (dir: string) => renameSync(join(dir, 'greetings'), join(dir, 'other'))],
    ['a link', (dir: string) => execFileSync('ln', ['-s', '/etc/hosts', join(dir, 'link.py')])],
  ])('detects and repairs %s', async (_, change) => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    const at = { env: { HOME } }
    await runSkills(['deps', dir, '--from', wheels], at)
    await runSkills(['deps', dir, '--check'], at)
    change(findPackages(HOME))
    const checked = await runSkills(['deps', dir, '--check', '--json'], at)
    expect(checked.code).toBe(1)
    expect(checked.json()).toMatchObject({ dependencies: { state: 'damaged' } })
    expect((await runSkills(['deps', dir, '--from', wheels], at)).code).toBe(0)
    expect((await runSkills(['deps', dir, '--check'], at)).code).toBe(0)
    expect(listInstallations(HOME)).toHaveLength(1)
  })

  it('can run twice at the same time', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    const both = [1, 2].map(() => startSkills(['deps', dir, '--from', wheels, '--json'], HOME))
    const codes = await Promise.all(both.map(async (child) => await once(child, 'exit')))
    expect(codes.map(([code]) => code as number)).toEqual([0, 0])
    expect(listInstallations(HOME)).toHaveLength(1)
    expect((await runSkills(['deps', dir, '--check'], { env: { HOME } })).code).toBe(0)
  })

  it('leaves no valid installation when killed, and its next call removes leftovers', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const HOME = createFolder()
    // Reading the pipe never ends.
    const stuck = createFolder()
    execFileSync('mkfifo', [join(stuck, 'greetings-1.0-py3-none-any.whl')])
    const child = startSkills(['deps', dir, '--from', stuck], HOME)
    const isUnderWay = () =>
      listInstallations(HOME).some((name) => existsSync(join(HOME, CACHE, name, 'lines.txt')))
    while (!isUnderWay() && child.exitCode === null) await sleep(10)
    expect(child.exitCode).toBeNull()
    process.kill(-(child.pid as number), 'SIGKILL')
    await once(child, 'exit')
    const left = listInstallations(HOME)
    expect(left).toHaveLength(1)
    const at = { env: { HOME } }
    expect((await runSkills(['deps', dir, '--check'], at)).code).toBe(1)
    expect((await runSkills(['deps', dir, '--from', wheels], at)).code).toBe(0)
    expect(listInstallations(HOME)).toHaveLength(1)
    expect(listInstallations(HOME)).not.toEqual(left)
  })

  it('reports invalid arguments', async () => {
    const { dir } = createSkillWithWheels()
    const missing = await runSkills(['deps', dir, '--from', 'nowhere'])
    expect(missing).toMatchObject({ code: 3 })
    expect(missing.stderr).toContain('The folder "nowhere" does not exist')
    expect((await runSkills(['deps', dir, '--check', '--from', dir])).code).toBe(2)
    expect((await runSkills(['deps'])).code).toBe(2)
  })
})
