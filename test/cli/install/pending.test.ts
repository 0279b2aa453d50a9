import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createInstallProject, type InstallFixture } from '../../helpers/install-project.ts'

interface PendingFixture extends InstallFixture {
  digest: string
  /** Folder of the pending skill: its files, its record and its signatures. */
  pending: string
  installed: string
}

async function createPending(...options: string[]): Promise<PendingFixture> {
  const project = createInstallProject()
  const { code, stderr } = await project.run('install', project.source, ...options)
  expect(code).toBe(4)
  const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(stderr.split('--trust')[1] ?? '') ?? []
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    `skills install --pending demo.greet --trust ${digest}`,
  )
  return {
    ...project,
    digest,
    pending: join(project.cwd, '.agents/.skills-install/pending/greet'),
    installed: join(project.cwd, '.agents/skills/greet'),
  }
}

it('a skill without a consent is pending where no agent looks, and listed', async () => {
  const { run, cwd, pending, installed, digest } = await createPending()
  expect(existsSync(join(pending, 'skill/SKILL.md'))).toBe(true)
  expect([existsSync(installed), existsSync(join(cwd, 'skills.lock'))]).toEqual([false, false])
  expect((await run('list')).stdout).not.toContain('demo.greet')
  expect((await run('install', '--pending', '--json')).json()).toMatchObject({
    pending: [{ name: 'demo.greet', tree: digest, source: '../source/greet' }],
  })
  const { code, stdout } = await run('verify')
  expect([code, stdout]).toEqual([0, expect.stringContaining('pending demo.greet@0.1.0')])
})

it('--pending installs the pending files, not those that the source has now', async () => {
  const { run, cwd, source, pending, installed, digest } = await createPending()
  rmSync(join(cwd, source), { recursive: true })
  const unasked = await run('install', '--pending', 'demo.greet')
  expect([unasked.code, unasked.stderr]).toEqual([4, expect.stringContaining(digest)])
  expect(await run('install', '--pending', 'demo.greet', '--trust', digest)).toMatchObject({
    code: 0,
  })
  expect([existsSync(installed), existsSync(pending)]).toEqual([true, false])
  const lock = JSON.parse(readFileSync(join(cwd, 'skills.lock'), 'utf8')) as object
  expect(lock).toMatchObject({ skills: [{ source, tree: digest, approved: { by: 'digest' } }] })
  expect(await run('verify')).toMatchObject({ code: 0 })
  expect(await run('install', '--pending', 'demo.greet')).toMatchObject({ code: 3 })
})

it.each([
  ['changed', (files: string) => writeFileSync(join(files, 'SKILL.md'), '# Other')],
  ['added', (files: string) => writeFileSync(join(files, 'run.sh'), 'rm -rf ~')],
  ['removed', (files: string) => rmSync(join(files, 'SKILL.md'))],
  ['replaced by a link', (files: string) => symlinkSync('/etc/passwd', join(files, 'link'))],
])('--pending refuses files that were %s while they were pending', async (_, change) => {
  const { run, pending, installed } = await createPending()
  change(join(pending, 'skill'))
  expect(await run('install', '--pending', 'demo.greet', '--yes')).toMatchObject({ code: 3 })
  expect(existsSync(installed)).toBe(false)
})

it('--pending --trust refuses files whose record was changed with them', async () => {
  const { run, pending, installed, digest } = await createPending()
  const before = readFileSync(join(pending, 'pending.json'), 'utf8')
  writeFileSync(join(pending, 'skill/extra.txt'), 'bad')
  const { stderr } = await run('install', '--pending', 'demo.greet', '--yes')
  const [changed = ''] = /(?<=digest is\s)sha256:[0-9a-f]{64}/.exec(stderr) ?? []
  writeFileSync(join(pending, 'pending.json'), before.replaceAll(digest, changed))
  expect(await run('install', '--pending', 'demo.greet', '--trust', digest)).toMatchObject({
    code: 4,
  })
  expect(existsSync(installed)).toBe(false)
  // The control: with the forged record, only the digest that the user names protects.
  expect(await run('install', '--pending', 'demo.greet', '--yes')).toMatchObject({ code: 0 })
})

it.each([
  ['a folder that leads out', '"folder": "greet"', '"folder": "../../skills"'],
  ['an unknown key', '"schema": 1', '"schema": 1, "signers": ["acme"]'],
  ['an agent with a path', '"agents": []', '"agents": [{"agent": "/etc", "mode": "copy"}]'],
])('--pending refuses a record with %s', async (_, from, to) => {
  const { run, pending } = await createPending()
  const file = join(pending, 'pending.json')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
  expect(await run('install', '--pending', 'demo.greet', '--yes')).toMatchObject({ code: 3 })
})

it('remove drops a pending skill, and an installation drops the pending one', async () => {
  const { run, source, pending } = await createPending()
  expect(await run('remove', 'demo.greet')).toMatchObject({ code: 0 })
  expect(existsSync(pending)).toBe(false)
  expect(await run('remove', 'demo.greet')).toMatchObject({ code: 3 })
  expect(await run('install', source)).toMatchObject({ code: 4 })
  expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
  expect((await run('install', '--pending')).stdout).toContain('No skill is pending')
})

it('a pending skill keeps its agents', async () => {
  const { run, cwd, digest } = await createPending('--agent', 'claude-code')
  expect(existsSync(join(cwd, '.claude'))).toBe(false)
  expect(await run('install', '--pending', 'demo.greet', '--trust', digest)).toMatchObject({
    code: 0,
  })
  expect(readdirSync(join(cwd, '.claude/skills'))).toEqual(['greet'])
})

it('an update is pending, and the installed files stay until it is approved', async () => {
  const { run, cwd, source, installed, pending } = await createPending()
  await run('install', '--pending', 'demo.greet', '--yes')
  writeFileSync(join(cwd, source, 'extra.txt'), 'new')
  expect(await run('install', source)).toMatchObject({ code: 4 })
  expect([existsSync(join(installed, 'extra.txt')), existsSync(pending)]).toEqual([false, true])
  expect(await run('verify')).toMatchObject({ code: 0 })
  expect(await run('install', '--pending', 'demo.greet', '--yes')).toMatchObject({ code: 0 })
  expect(existsSync(join(installed, 'extra.txt'))).toBe(true)
})
