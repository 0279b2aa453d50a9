// @module-tag slow
// @module-tag nightly
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createSiteProject } from '../../cli/publish/published-site.ts'
import { readJson, readSkills } from '../../cli/lock/lock-project.ts'
import { createGitRepository, runGit } from '../../helpers/git-repository.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRemoteProject, type RemoteProject } from '../../helpers/remote-project.ts'
import { createFolder } from '../../helpers/skills.ts'
import { missing, runClient, serveFolder } from './client.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Sources of all kinds that both tools have. */
interface Sources {
  project: RemoteProject
  /** Source of each skill here. */
  ours: readonly string[]
  /** Arguments of the client that install the same skills. */
  theirs: readonly (readonly string[])[]
}

async function createSources(): Promise<Sources> {
  const repository = createGitRepository({
    ...prefixPaths('skills/remote', createActionSkill('demo.remote')),
    // Files that the client hashes, in an order that only a language has.
    'skills/remote/.gitignore': '*.log\n',
    'skills/remote/metadata.json': '{}',
    'skills/remote/a-b.txt': '1',
    'skills/remote/a.txt': '2',
    'skills/remote/B.txt': '3',
    'skills/remote/_c.txt': '4',
    'skills/remote/data/é.txt': '5',
    ...prefixPaths('tools/nested/branch', createActionSkill('demo.branch')),
  })
  const single = createGitRepository(createActionSkill('demo.single'))
  chmodSync(join(single.work, 'code/main.py'), 0o755)
  runGit(single.work, 'commit', '--quiet', '--all', '--message=mode')
  const server = dirname(dirname(repository.gitDir))
  const github = createFolder()
  const project = createRemoteProject({ SKILLS_GITHUB_URL: `file://${github}` })
  mkdirSync(join(github, 'owner'))
  runGit(server, 'clone', '--quiet', '--bare', repository.gitDir, join(github, 'owner/repo.git'))
  writeFileSync(
    join(project.home, '.gitconfig'),
    `[url "file://${github}/"]\n\tinsteadOf = https://github.com/\n`,
  )
  const local = createFolder(prefixPaths('many/local', createActionSkill('demo.local')))
  const site = createSiteProject({ 'references/more.md': '# More\n' })
  await site.publish()
  const origin = await serveFolder(site.site, '/base')
  return {
    project,
    ours: [
      'github:owner/repo/skills/remote',
      'github:owner/repo/tools/nested/branch@main',
      single.url,
      join(local, 'many/local'),
      `${origin}#greet`,
    ],
    theirs: [
      ['owner/repo', '--skill', 'remote'],
      ['https://github.com/owner/repo/tree/main/tools/nested', '--skill', 'branch'],
      [single.url.slice('git+'.length), '--skill', 'single'],
      [join(local, 'many/local'), '--skill', 'local'],
      [origin, '--skill', 'greet'],
    ],
  }
}

async function addAll(
  { project, theirs }: Sources,
  at = { cwd: project.cwd, home: project.home },
  ...options: string[]
): Promise<void> {
  writeFileSync(join(at.cwd, 'package.json'), '{}')
  for (const argv of theirs) {
    await runClient(at, 'add', ...argv, '--agent', 'codex', '--yes', ...options)
  }
}

async function installAll({ project, ours }: Sources, ...options: string[]): Promise<void> {
  for (const source of ours) {
    const done = await project.run('install', source, '--yes', ...options)
    expect(done).toMatchObject({ code: 0 })
  }
}

describe.skipIf(missing !== undefined)(
  `npx skills${missing ? ` (not run: ${missing})` : ''}`,
  () => {
    it('writes a lock whose skills are imported without drift, in their folders', async () => {
      const sources = await createSources()
      const { project, ours } = sources
      await addAll(sources)
      const done = await project.run('install', '--import', '--yes', '--json')
      const skills = readSkills(done)
      expect([done.code, done.stderr]).toEqual([0, expect.any(String)])
      for (const name of ['remote', 'branch', 'single', 'local', 'greet']) {
        expect(skills[name]).toMatchObject({ status: 'installed', drift: false, adopted: true })
      }
      expect(await project.run('verify')).toMatchObject({ code: 0 })
      const locked = project.readLock().skills.map(({ source }) => String(source))
      const remote = ours.filter((source) => !source.startsWith('/'))
      expect(locked).toEqual(expect.arrayContaining(remote))
    })

    it('would write the same lock as an export', async () => {
      const sources = await createSources()
      const { project } = sources
      await installAll(sources)
      const exported = await project.run('install', '--export')
      expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining('added')])
      const cwd = createFolder()
      await addAll(sources, { cwd, home: project.home })
      const read = (folder: string) => readFileSync(join(folder, 'skills-lock.json'), 'utf8')
      const local = /"source": ".*many\/local"/
      expect(read(project.cwd).replace(local, '')).toBe(read(cwd).replace(local, ''))
    })

    it('restores the skills of an export, and finds no update', async () => {
      const sources = await createSources()
      const { project } = sources
      await installAll(sources)
      await project.run('install', '--export')
      const cwd = createFolder({ 'package.json': '{}' })
      const file = join(cwd, 'skills-lock.json')
      copyFileSync(join(project.cwd, 'skills-lock.json'), file)
      const at = { cwd, home: project.home }
      const output = await runClient(at, 'experimental_install')
      for (const name of ['remote', 'branch', 'single', 'greet']) {
        expect(existsSync(join(cwd, '.agents/skills', name, 'SKILL.md')), output).toBe(true)
      }
      const before = readFileSync(file, 'utf8')
      const updated = await runClient(at, 'update', '--project', '--yes')
      expect(updated).toContain('up to date')
      expect(readFileSync(file, 'utf8')).toBe(before)
      // The control: another hash is an update.
      const { computedHash } = readJson(file)['skills']?.['single'] ?? {}
      writeFileSync(file, before.replace(String(computedHash), '0'.repeat(64)))
      expect(await runClient(at, 'update', '--project', '--yes')).toContain('Updating single')
    })

    it('would write the same lock of a user as an export, apart from times', async () => {
      const sources = await createSources()
      const { project } = sources
      await installAll(sources, '--global')
      expect(await project.run('install', '--export', '--global')).toMatchObject({ code: 0 })
      const file = join(project.home, '.agents/.skill-lock.json')
      const ours = readJson(file)
      const home = createFolder()
      copyFileSync(join(project.home, '.gitconfig'), join(home, '.gitconfig'))
      await addAll(sources, { cwd: createFolder(), home }, '--global')
      const theirs = readJson(join(home, '.agents/.skill-lock.json'))
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) as unknown
      for (const [name, entry] of Object.entries(theirs['skills'] ?? {})) {
        const found = { ...ours['skills']?.[name] }
        if (entry['sourceType'] === 'github') {
          // The client asks GitHub for the id of the tree, and has none without a network.
          found['skillFolderHash'] = entry['skillFolderHash']
        }
        expect(found).toEqual({ ...entry, installedAt: time, updatedAt: time })
      }
      // The client records no user's skill of a repository on this machine, but reads it.
      const names = Object.keys(ours['skills'] ?? {}).filter((name) => name !== 'single')
      expect(Object.keys(theirs['skills'] ?? {}).sort()).toEqual(names)
      const at = { cwd: createFolder(), home: project.home }
      const updated = await runClient(at, 'update', '--global', '--yes')
      expect(updated).toContain('up to date')
      // The control: another id of a tree is an update.
      const { skillFolderHash } = ours['skills']?.['remote'] ?? {}
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace(String(skillFolderHash), '0'.repeat(40)))
      expect(await runClient(at, 'update', '--global', '--yes')).toContain('Updating remote')
    })
  },
)
