// @module-tag slow
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGitRepository, type TestRepository } from '../../helpers/git-repository.ts'
import { createInstructionSkill } from '../../helpers/projects.ts'
import { createRemoteProject, type RemoteProject } from '../../helpers/remote-project.ts'

const GREET = createInstructionSkill('demo.greet')
const NEWER = createInstructionSkill('demo.greet', { version: '0.2.0' })
const WIDER = createInstructionSkill('demo.greet', {
  version: '0.2.0',
  toml: '[permissions]\nnetwork = ["api.example.com"]\n',
})

interface Installed {
  project: RemoteProject
  repository: TestRepository
  installed: string
}

async function createInstalled(): Promise<Installed> {
  const project = createRemoteProject()
  const repository = createGitRepository(GREET)
  const done = await project.run('install', `${repository.url}#main`, '--yes')
  expect(done).toMatchObject({ code: 0 })
  return { project, repository, installed: join(project.skills, 'greet') }
}

describe('skills update', () => {
  it('changes nothing without a consent, exits with 4, and accepts the digest that it names', async () => {
    const { project, repository, installed } = await createInstalled()
    const commit = repository.commit(NEWER)
    const before = readFileSync(project.lock, 'utf8')
    const pending = await project.run('update', '--json')
    expect(pending.code).toBe(4)
    const { skills } = JSON.parse(pending.stdout) as { skills: { error: { hint: string } }[] }
    expect(skills).toMatchObject([
      { name: 'demo.greet', status: 'failed', from: '0.1.0', error: { code: 'consent/required' } },
    ])
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    const digest = /sha256:[0-9a-f]{64}/.exec(skills[0]?.error.hint ?? '')?.[0] ?? ''
    const wrong = await project.run('update', '--trust', `sha256:${'0'.repeat(64)}`)
    expect(wrong).toMatchObject({ code: 4 })
    expect(await project.run('update', '--trust', digest)).toMatchObject({ code: 0 })
    expect(readFileSync(join(installed, 'skill.toml'), 'utf8')).toContain('0.2.0')
    expect(project.readLock().skills).toMatchObject([
      { version: '0.2.0', resolved: `${repository.url}#${commit}`, approved: { by: 'digest' } },
    ])
    expect(await project.run('verify')).toMatchObject({ code: 0 })
  })

  it(
    'shows wider rights, and asks although an earlier version was agreed to',
    { tags: ['slow'] },
    async () => {
      const { project, repository } = await createInstalled()
      repository.commit(WIDER)
      const { code, stderr } = await project.run('update', 'demo.greet')
      expect(code).toBe(4)
      expect(stderr.replace(/\s+/g, ' ')).toContain('connects to api.example.com (new)')
      expect(stderr).toContain('needs a new consent')
    },
  )

  it.each([
    ['is sent to another host too', ['api', 'other'], 'further host', true],
    ['moves into the sandbox', undefined, 'inside of the sandbox now: API_KEY', true],
    ['stays at its host', ['api'], 'API_KEY only to', false],
  ])('when a secret %s, shows it as a change of rights', { tags: ['slow'] }, async (...change) => {
    const [, hosts, text, asksAgain] = change
    const [api, other] = ['api', 'other'].map((name) => `https://${name}.example.com`)
    const describeSkill = (version: string, secrets: string) =>
      createInstructionSkill('demo.greet', {
        version,
        toml: `[permissions]\nnetwork = ["${api}", "${other}"]\n${secrets}\n`,
      })
    const write = (names: readonly string[]) =>
      `secrets.API_KEY = { hosts = [${names.map((name) => `"https://${name}.example.com"`).join()}] }`
    const project = createRemoteProject()
    const repository = createGitRepository(describeSkill('0.1.0', write(['api'])))
    const installed = await project.run('install', `${repository.url}#main`, '--yes')
    expect(installed).toMatchObject({ code: 0 })
    repository.commit(describeSkill('0.2.0', hosts ? write(hosts) : 'secrets = ["API_KEY"]'))
    const { code, stderr } = await project.run('update', 'demo.greet')
    expect(code).toBe(4)
    expect(stderr.replace(/\s+/g, ' ')).toContain(text)
    expect(stderr.includes('needs a new consent')).toBe(asksAgain)
  })

  it('shows the differences with --dry-run, and writes nothing', { tags: ['slow'] }, async () => {
    const { project, repository, installed } = await createInstalled()
    repository.commit(WIDER)
    const before = readFileSync(project.lock, 'utf8')
    const shown = await project.run('update', '--dry-run')
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/demo\.greet\s+0\.1\.0\s+0\.2\.0\s+newer/),
    ])
    expect(shown.stderr).toContain('api.example.com')
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    expect(readFileSync(join(installed, 'skill.toml'), 'utf8')).toContain('0.1.0')
  })

  it('keeps local edits without --force, and says where they are', { tags: ['slow'] }, async () => {
    const { project, repository, installed } = await createInstalled()
    repository.commit(NEWER)
    writeFileSync(join(installed, 'notes.txt'), 'mine')
    const refused = await project.run('update', '--yes')
    expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('--force')])
    expect(readFileSync(join(installed, 'notes.txt'), 'utf8')).toBe('mine')
    const dry = await project.run('update', '--dry-run')
    expect([dry.code, dry.stdout]).toEqual([
      3,
      expect.stringMatching(/refused demo\.greet: [^]*--force/),
    ])
    expect(await project.run('update', '--yes', '--force')).toMatchObject({ code: 0 })
    expect(existsSync(join(installed, 'notes.txt'))).toBe(false)
  })

  it('refuses an older version without --allow-downgrade', async () => {
    const { project, repository } = await createInstalled()
    repository.commit(createInstructionSkill('demo.greet', { version: '0.0.9' }))
    const refused = await project.run('update', '--yes')
    expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('is older')])
    const allowed = await project.run('update', '--yes', '--allow-downgrade')
    expect(allowed).toMatchObject({ code: 0 })
  })

  it('refuses another skill at the same source', async () => {
    const { project, repository } = await createInstalled()
    repository.commit(createInstructionSkill('demo.other'))
    const { code, stdout } = await project.run('update', '--yes')
    expect([code, stdout]).toEqual([3, expect.stringContaining('"demo.other" now')])
    expect(existsSync(join(project.skills, 'other'))).toBe(false)
  })

  it(
    'updates the others if one source cannot be asked, and fails',
    { tags: ['slow'] },
    async () => {
      const { project, repository } = await createInstalled()
      const other = createGitRepository(createInstructionSkill('demo.bye'), { name: 'bye' })
      await project.run('install', other.url, '--yes')
      rmSync(other.gitDir, { recursive: true })
      repository.commit(NEWER)
      const { code, stdout } = await project.run('update', '--yes')
      expect(code).toBe(3)
      expect(stdout).toContain('failed demo.bye@0.1.0')
      expect(stdout).toContain('updated demo.greet 0.1.0 → 0.2.0')
    },
  )

  it('leaves a pinned commit, and refuses unknown names', { tags: ['slow'] }, async () => {
    const project = createRemoteProject()
    const repository = createGitRepository(GREET)
    const commit = repository.commit({})
    await project.run('install', `${repository.url}#${commit}`, '--yes')
    repository.commit(NEWER)
    const done = await project.run('update')
    expect([done.code, done.stdout]).toEqual([0, 'current demo.greet@0.1.0\n'])
    const unknown = await project.run('update', 'demo.great')
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('"demo.greet"?')])
  })
})

describe('skills update --dry-run', () => {
  it(
    'lists newer versions and sources that cannot be asked, and exits with 0',
    { tags: ['slow'] },
    async () => {
      const { project, repository } = await createInstalled()
      const other = createGitRepository(createInstructionSkill('demo.bye'), { name: 'bye' })
      await project.run('install', other.url, '--yes')
      rmSync(other.gitDir, { recursive: true })
      repository.commit(NEWER)
      const text = await project.run('update', '--dry-run')
      expect(text.code).toBe(0)
      expect(text.stdout).toMatch(/demo\.greet\s+0\.1\.0\s+0\.2\.0\s+newer/)
      expect(text.stdout).toContain('1 source could not be asked')
      const json = await project.run('update', '--dry-run', '--json')
      expect(JSON.parse(json.stdout)).toMatchObject({
        schema: 'skills.outdated/v1',
        outdated: 1,
        unknown: 1,
        skills: [
          { name: 'demo.bye', status: 'unknown', available: null, tree: null },
          { name: 'demo.greet', status: 'newer', installed: '0.1.0', available: '0.2.0' },
        ],
      })
    },
  )
})
