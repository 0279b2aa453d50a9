import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython } from '../runs/run-python.ts'
import { PROGRAM } from '../../helpers/built.ts'

const isRoot = process.getuid?.() === 0
const whyNot = isRoot ? '' : ' (not run: only root may mount)'

function setTemporaryFolder(path: string): void {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = path
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}

describe('a run that cannot be staged', () => {
  it.skipIf(!isRoot)(`reports a full disk${whyNot}`, async () => {
    const data = createFolder()
    const full = createFolder()
    const room = (size: string) =>
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', full])
    room('1M')
    onTestFinished(() => void execFileSync('umount', [full]))
    const files = { 'assets/large.bin': Buffer.alloc(2 << 20) }
    // The skill itself is on a disk with free space.
    const run = runPython(buildMain('return 1'), {
      files,
      data,
      call: { onEvent: ({ type }) => type === 'state' && setTemporaryFolder(full) },
    })
    await expect(run).rejects.toMatchObject({
      code: 'store/full',
      message: `The disk of "${full}" is full`,
      hint: 'Free some space there, or set TMPDIR to a folder on another disk',
    })
  })

  it('reports the folder that it could not write to', async () => {
    const below = join(createFolder({ file: '' }), 'file', 'x')
    const run = runPython(buildMain('return 1'), {
      call: { onEvent: ({ type }) => type === 'state' && setTemporaryFolder(below) },
    })
    await expect(run).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message: `Cannot write to "${below}" (ENOTDIR)`,
      hint: 'Set TMPDIR to a folder that you can write to',
    })
  })

  it('names the file of the skill that cannot be read', { tags: ['readable-clone'] }, async () => {
    const dir = createFolder(prefixPaths('skill', createActionSkill('demo.secret')))
    const file = join(dir, 'skill/code/main.py')
    chmodSync(dir, 0o777)
    chmodSync(file, 0o000)
    mkdirSync(join(dir, 'home'), { mode: 0o777 })
    chmodSync(join(dir, 'home'), 0o777)
    const answer = await execAsUser(join(dir, 'skill'), join(dir, 'home'))
    expect(answer.error).toMatchObject({
      code: 'file/unreadable',
      message: `Cannot read "${file}" (EACCES)`,
      hint: `Check its permissions with: ls -l "${file}"`,
    })
  })
})

/** Runs the command line as an ordinary user, whose permissions apply. */
async function execAsUser(skill: string, home: string): Promise<{ error?: object }> {
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const [program, ...args]: [string, ...string[]] = [
    'env',
    ...(isRoot ? user : []),
    ...PROGRAM,
    'exec',
    skill,
    '--json',
  ]
  const options = { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home } }
  return await new Promise((resolve) => {
    execFile(program, args, options, (_, stdout) => resolve(JSON.parse(stdout) as object))
  })
}
