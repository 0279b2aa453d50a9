// @module-tag slow
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPrograms, type ProgramReport, type ProgramSpec } from './start-worker.ts'

const isRoot = process.getuid?.() === 0
const python = (code: string) => ['/usr/bin/python3', '-c', code]
const sh = (words: string) => ['/bin/sh', '-c', words]
const tried = (code: string) =>
  `try:\n    ${code}\n    print("done")\nexcept OSError as e: print("refused", e.errno)`
const SET_ID = [
  'os.chmod("f", 0o4755)',
  'os.fchmod(os.open("f", os.O_RDWR), 0o2755)',
  'os.open("n", os.O_CREAT | os.O_WRONLY, 0o4755)',
  'os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o4755)',
  'os.mknod("m", 0o100000 | 0o4755)',
]
  .map((call) => tried(call))
  .join('\n')
const INJECT = `import os, fcntl, termios\n${tried('fcntl.ioctl(0, termios.TIOCSTI, b"x")')}`

/** Creates host files: a folder of a user, with a symlink that leads out of it. */
function makeHost(asUser: boolean) {
  const data = mkdtempSync('/tmp/skills-programs-')
  chmodSync(data, 0o755)
  const own = (path: string, make: () => void) => {
    make()
    if (asUser) chownSync(path, 65_534, 65_534)
  }
  const path = (name: string) => join(data, name)
  own(data, () => {})
  // Only its owner may enter, and the run has another user id.
  own(path('given'), () => mkdirSync(path('given'), { mode: 0o700 }))
  own(path('given/file.txt'), () =>
    writeFileSync(path('given/file.txt'), 'original', { mode: 0o600 }),
  )
  writeFileSync(path('secret.txt'), 'of the host')
  symlinkSync(path('secret.txt'), path('given/link'))
  symlinkSync('../secret.txt', path('given/up'))
  own(path('kept'), () => mkdirSync(path('kept'), { mode: 0o700 }))
  return { data, path }
}

function specsFor(path: (name: string) => string): ProgramSpec[] {
  const given = (mode: 'read-only' | 'read-write' | 'overlay') => [
    { source: path('given'), target: '/data/given', mode },
  ]
  const kept = { workspace: { source: path('kept') } }
  const terminal = { columns: 80, rows: 24 }
  return [
    { id: 'reads', argv: sh('cat /data/given/file.txt'), folders: given('read-only') },
    {
      id: 'escapes by symlinks',
      argv: sh('cat /data/given/link /data/given/up /data/given/../../secret.txt'),
      folders: given('read-only'),
    },
    {
      id: 'writes to read-only',
      argv: sh(
        'echo x > /data/given/file.txt; echo x > /data/given/new; rm -f /data/given/link; ls /data/given',
      ),
      folders: given('read-only'),
    },
    {
      id: 'writes over',
      argv: sh(
        'echo changed > /data/given/file.txt && rm /data/given/up && cat /data/given/file.txt; ls /data/given',
      ),
      folders: given('overlay'),
    },
    {
      id: 'fills the overlay',
      argv: sh('for i in 1 2 3 4; do head -c 1000000 /dev/zero > /data/given/$i; done; sleep 600'),
      folders: given('overlay'),
      settings: { 'run.limits.workspace': '2MiB', 'run.timeout': '3s' },
    },
    {
      id: 'links hard',
      argv: python(`import os\n${tried('os.link("/data/given/file.txt", "/workspace/l")')}`),
      folders: given('read-write'),
    },
    { id: 'writes', argv: sh('echo more >> /data/given/file.txt'), folders: given('read-write') },
    { id: 'sets ids', argv: python(`import os\nopen("f", "w").close()\n${SET_ID}`), ...kept },
    {
      id: 'makes devices',
      argv: python(`import os\n${tried('os.mknod("d", 0o20666, os.makedev(1, 1))')}`),
      ...kept,
    },
    {
      id: 'leaves traps',
      argv: sh('mkfifo fifo; ln -s /etc skills; ln -s / up; mkdir d; chmod 0 d'),
      ...kept,
    },
    {
      id: 'follows a leftover symlink',
      argv: sh('ls /workspace/skills'),
      ...kept,
      folders: [{ source: path('given'), target: '/workspace/skills', mode: 'read-only' }],
    },
    { id: 'finds leftovers', argv: sh('ls -d fifo up skills d'), ...kept },
    { id: 'types into other terminals', argv: python(INJECT), terminal },
    { id: 'sees other terminals', argv: sh('ls /dev/pts; tty'), terminal },
    {
      id: 'floods a terminal',
      argv: ['/usr/bin/yes'],
      terminal,
      settings: { 'run.limits.output': '1MiB' },
    },
    {
      id: 'has no terminal',
      argv: python(`import os\n${tried('os.open("/dev/tty", os.O_RDWR)')}`),
    },
    {
      id: 'inspects PID 1',
      argv: sh(
        'cat /proc/1/environ /proc/1/maps; ls /proc/1/fd; kill -9 1; kill -STOP 1; echo alive',
      ),
    },
  ]
}

const TIERS = [
  {
    tier: 'root',
    asUser: false,
    left: isRoot ? '' : ' (not run: these tests run as an ordinary user)',
  },
  {
    tier: 'user',
    asUser: true,
    left: isRoot ? '' : ' (not run: only root can become another user)',
  },
]

describe.each(TIERS)('a program that $tier starts$left', ({ asUser, left }) => {
  let reports: Map<string, ProgramReport>
  let host: ReturnType<typeof makeHost>
  const of = (id: string) => reports.get(id) as ProgramReport

  beforeAll(async () => {
    if (left !== '') return
    host = makeHost(asUser)
    reports = await startPrograms(specsFor(host.path), { data: host.data, asUser })
  }, 120_000)
  afterAll(() => left === '' && rmSync(host.data, { recursive: true, force: true }))
  const test = it.skipIf(left !== '')

  test('reads its folders, regardless of their permissions', () => {
    expect(of('reads')).toMatchObject({ status: 'success', stdout: 'original' })
    expect(of('reads').isolation?.user).not.toBe(0)
  })

  test('does not leave its folders through symlinks or dots', () => {
    // Control: on the host, the symlinks do lead there.
    expect(readFileSync(host.path('given/link'), 'utf8')).toBe('of the host')
    expect(of('escapes by symlinks').stdout).toBe('')
  })

  test('changes nothing in a read-only folder', () => {
    expect(of('writes to read-only').stdout).toBe('file.txt\nlink\nup\n')
  })

  test('writes to an overlay without changing the folder, up to a limit', () => {
    expect(of('writes over').stdout).toBe('changed\nfile.txt\nlink\n')
    const { isolation } = of('writes over')
    expect(isolation?.folders?.[0]?.how).toMatch(/^(?:overlay|copy)$/)
    const full = of('fills the overlay')
    expect(`${full.stderr} ${full.error?.type}`).toMatch(/No space left|File too large|DiskLimit/)
    expect(lstatSync(host.path('given/up')).isSymbolicLink()).toBe(true)
  })

  test('writes to a writable folder as its owner', () => {
    expect(of('writes').stderr).toBe('')
    expect(readFileSync(host.path('given/file.txt'), 'utf8')).toBe('originalmore\n')
    expect(lstatSync(host.path('given/file.txt')).uid).toBe(asUser ? 65_534 : 0)
    expect(of('links hard').stdout).toBe('refused 18\n')
  })

  test('creates no set-uid file of its owner and no device', () => {
    expect(of('sets ids').stdout).toBe('refused 1\n'.repeat(5))
    expect(of('makes devices').stdout).toBe('refused 1\n')
  })

  test('leaves no symlink that redirects a later program', () => {
    const { status, stderr, exitCode, error } = of('leaves traps')
    expect({ status, stderr, exitCode, error }).toEqual({
      status: 'success',
      stderr: '',
      exitCode: 0,
      error: undefined,
    })
    expect(of('follows a leftover symlink').thrown).toContain('there is no such folder')
    expect(of('finds leftovers').stdout).toBe('d\nfifo\nskills\nup\n')
  })

  test('cannot type into a terminal and sees only its own', () => {
    expect(of('types into other terminals').stdout).toBe('refused 1\r\n')
    expect(of('sees other terminals').stdout).toBe('0  ptmx\r\n/dev/pts/0\r\n')
    expect(of('has no terminal').stdout).toMatch(/^refused (?:6|13)\n$/)
  })

  test('is killed if it floods its terminal', () => {
    expect(of('floods a terminal')).toMatchObject({
      status: 'failure',
      error: { type: 'OutputLimit' },
    })
  })

  test('learns nothing from PID 1 and cannot kill it', () => {
    expect(of('inspects PID 1').stdout).toBe('alive\n')
  })
})

describe('the host, without a sandbox', () => {
  it('allows its own user everything that is refused inside', () => {
    const dir = mkdtempSync('/tmp/skills-programs-')
    const code = `import os\nos.chdir("${dir}")\nopen("f", "w").close()\n${SET_ID}`
    const printed = execFileSync('/usr/bin/python3', ['-c', code], { encoding: 'utf8' })
    rmSync(dir, { recursive: true })
    expect(printed).toBe('done\n'.repeat(5))
  })
})
