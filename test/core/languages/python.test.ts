// @module-tag slow
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProgramAnswers } from '../../../src/core/languages/program-answers.ts'
import { findPython } from '../../../src/core/languages/python.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython } from '../runs/run-python.ts'

/** Searches like a new process, without the in-memory cache of an earlier search. */
async function findFreshPython(
  dir: string,
  options: { python?: string; env?: Record<string, string>; hostPackages?: boolean } = {},
) {
  return await findPython({
    python: options.python,
    hostPackages: options.hostPackages,
    cwd: dir,
    env: { PATH: `${dir}/shims:/usr/bin:/bin`, ...options.env },
    answers: new ProgramAnswers(join(dir, 'cache')),
  })
}

/** A version manager whose shim counts its starts. */
function createVersionManager(): string {
  const dir = createFolder({ 'versions/3.11.0/x': '', version: '3.11.0\n' })
  mkdirSync(join(dir, 'shims'))
  const shim = `#!/bin/sh\necho started >> '${dir}/starts'\nexec /usr/bin/python3 "$@"\n`
  writeFileSync(join(dir, 'shims/python3'), shim, { mode: 0o755 })
  return dir
}

function countStarts(dir: string): number {
  return readFileSync(join(dir, 'starts'), 'utf8').trim().split('\n').length
}

function findCacheFile(dir: string): string {
  const [name = ''] = readdirSync(join(dir, 'cache/python'))
  return join(dir, 'cache/python', name)
}

describe('findPython()', () => {
  it('resolves the interpreter behind a shim, and queries the shim once', async () => {
    const dir = createVersionManager()
    const first = await findFreshPython(dir)
    expect(first.executable).toMatch(/^\/usr\/bin\/python3\.\d+$/)
    expect(await findFreshPython(dir)).toEqual(first)
    expect(countStarts(dir)).toBe(1)
  })

  it.each([
    ['the home', ''],
    ['a folder that holds data of the caller', '.local'],
  ])('rejects one in %s, because runs would see the whole folder', async (_, location) => {
    const home = createFolder({ '.ssh/key': 'x', '.local/share/x': 'x', 'apart/x': 'x' })
    const [wide, apart] = [join(home, location), join(home, 'apart')]
    for (const prefix of [wide, apart]) {
      for (const name of ['bin', 'lib']) mkdirSync(join(prefix, name), { recursive: true })
      copyFileSync(realpathSync('/usr/bin/python3'), join(prefix, 'bin/python3'))
      const version = basename(realpathSync('/usr/bin/python3'))
      symlinkSync(`/usr/lib/${version}`, join(prefix, 'lib', version))
    }
    const env = { HOME: home }
    const found = await findFreshPython(home, { python: join(apart, 'bin/python3'), env })
    expect(found.mounts).toEqual([{ source: apart, target: '/python' }])
    await expect(
      findFreshPython(home, { python: join(wide, 'bin/python3'), env }),
    ).rejects.toMatchObject({
      code: 'language/not-installed',
      message: `The folder of this Python, "${wide.replace(/\/$/, '')}", contains more than Python: runs would see all of it`,
    })
  })

  it.each([
    [
      'the project picks another version',
      (dir: string) => writeScript(dir, '.python-version', '3.12'),
    ],
    ['the user picks another version', (dir: string) => writeScript(dir, 'version', '3.12')],
    ['a version is installed', (dir: string) => mkdirSync(join(dir, 'versions/3.12.0'))],
    ['the shim is written again', (dir: string) => utimesSync(join(dir, 'shims/python3'), 1, 1)],
  ])('queries again when %s', async (_, change) => {
    const dir = createVersionManager()
    await findFreshPython(dir)
    change(dir)
    await findFreshPython(dir)
    expect(countStarts(dir)).toBe(2)
  })

  it('reads the cache of another process once, not for every run', async () => {
    const dir = createVersionManager()
    await findFreshPython(dir)
    const request = {
      python: undefined,
      cwd: dir,
      env: { PATH: `${dir}/shims:/usr/bin:/bin` },
      answers: new ProgramAnswers(join(dir, 'cache')),
    }
    const first = await findPython(request)
    writeFileSync(findCacheFile(dir), 'no JSON')
    expect(await findPython(request)).toEqual(first)
    expect(countStarts(dir)).toBe(1)
  })

  it('queries again when the environment selects another version', async () => {
    const dir = createVersionManager()
    await findFreshPython(dir)
    await findFreshPython(dir, { env: { PYENV_VERSION: 'system' } })
    expect(countStarts(dir)).toBe(2)
  })

  it('does not cache a script that may select by any criterion', async () => {
    const dir = createVersionManager()
    renameSync(join(dir, 'shims'), join(dir, 'bin'))
    for (const _ of [1, 2]) await findFreshPython(dir, { python: join(dir, 'bin/python3') })
    expect(countStarts(dir)).toBe(2)
  })

  it('ignores a cache file that another user may write', async () => {
    const dir = createVersionManager()
    const real = await findFreshPython(dir)
    const file = findCacheFile(dir)
    const forged = readFileSync(file, 'utf8').replace(/"version":"[^"]*"/, '"version":"3.99.0"')
    writeFileSync(file, forged)
    // Control: the cached answer is used while only this user can write it.
    expect((await findFreshPython(dir)).version).toBe('3.99.0')
    chmodSync(file, 0o666)
    expect(await findFreshPython(dir)).toEqual(real)
  })

  it('queries again if the cached interpreter is gone, or the file is not JSON', async () => {
    const dir = createVersionManager()
    const real = await findFreshPython(dir)
    const file = findCacheFile(dir)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replaceAll(real.executable, '/nowhere/python3'))
    expect(await findFreshPython(dir)).toEqual(real)
    writeFileSync(file, text.slice(0, 40))
    expect(await findFreshPython(dir)).toEqual(real)
    expect(countStarts(dir)).toBe(3)
  })

  it('skips a folder of the same name', async () => {
    const dir = createFolder({ 'shims/python3/x': '' })
    expect((await findFreshPython(dir)).executable).toMatch(/^\/usr\/bin\//)
  })

  it.each([
    ['does not exist', undefined, '"old" was not found'],
    ['is not Python', '#!/bin/sh\necho hello\n', '"old" does not start: It is not Python'],
    [
      'is too old',
      '#!/bin/sh\necho \'{"executable":"/x/python3","version":"3.8.1","prefix":"/x","base":"/x","packages":[]}\'\n',
      'Expected Python 3.9 or newer, got 3.8.1 at "/x/python3"',
    ],
  ])('rejects one that %s', async (_, script, message) => {
    const dir = createFolder()
    mkdirSync(join(dir, 'shims'))
    if (script !== undefined) writeFileSync(join(dir, 'shims/old'), script, { mode: 0o755 })
    const found = findFreshPython(dir, { python: 'old' })
    await expect(found).rejects.toMatchObject({ code: 'language/not-installed', message })
  })
})

describe('a virtual environment', () => {
  it('mounts its packages if runs may use them, and hides its path on the host', async () => {
    const dir = createFolder()
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', join(dir, 'venv')])
    const python = join(dir, 'venv/bin/python')
    const interpreter = await findFreshPython(dir, { python, hostPackages: true })
    const [packages = ''] = interpreter.packages
    expect(packages).toMatch(/^\/python-environment\/lib\/python3\.\d+\/site-packages$/)
    const target = join(dir, 'venv', packages.slice('/python-environment'.length), 'only_here.py')
    writeFileSync(target, 'WORD = "from the environment"\n')
    const code = buildMain('import only_here\nreturn [only_here.WORD, only_here.__file__]')
    const settings = { 'run.python': python, 'run.host_packages': true }
    const { output } = await runPython(code, { settings })
    expect(output).toEqual(['from the environment', `${packages}/only_here.py`])
    const without = await runPython(code, {
      settings: { ...settings, 'run.python': '/usr/bin/python3' },
    })
    expect(without.error?.type).toBe('ModuleNotFoundError')
  })
})

function writeScript(dir: string, name: string, text: string): void {
  writeFileSync(join(dir, name), text)
}
