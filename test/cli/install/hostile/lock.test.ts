// @module-tag slow
import { hash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { createTextSkill } from '../../../helpers/projects.ts'
import { startStaticSite, type StaticSite } from '../../../helpers/static-site.ts'
import { packTree, testAttacks, type HostileProject, type InstallAttack } from './attack.ts'

interface LockEntry extends Record<string, unknown> {
  source: string
  resolved: string
  files: string[]
  approved: Record<string, unknown>
}

const SKILL = {
  ...createTextSkill('greet'),
  'skill.toml':
    'name = "greet"\nversion = "0.1.0"\ndescription = "Greets."\nkind = "instruction"\n\n[permissions]\nnetwork = ["https://api.example.com"]\n',
}

/** A project as a colleague clones it: the lock of an installed skill, but not its files. */
async function clone(project: HostileProject): Promise<StaticSite> {
  const site = await startStaticSite()
  site.files.set('/greet.tar.gz', await packTree(SKILL))
  await project.succeed(`install ${site.origin}/greet.tar.gz --yes`)
  rmSync(join(project.cwd, '.agents/skills/greet'), { recursive: true })
  return site
}

type EditEntry = (entry: LockEntry, site: StaticSite) => Promise<void> | void

/** An edit of the entry by a pull request. */
function edit(name: string, says: string, change: EditEntry): InstallAttack {
  return {
    name,
    says,
    control: 'a lock',
    async prepare(project, isHostile) {
      const site = await clone(project)
      if (isHostile) {
        const file = join(project.cwd, 'skills.lock')
        const lock = JSON.parse(readFileSync(file, 'utf8')) as { skills: [LockEntry] }
        await change(lock.skills[0], site)
        writeFileSync(file, JSON.stringify(lock, undefined, 2))
      }
      return 'install --frozen'
    },
  }
}

/** An edit of some values. */
const set = (name: string, values: object, says: string): InstallAttack =>
  edit(name, says, (entry) => void Object.assign(entry, values))

/** An edit of the text of the lock. */
function editText(name: string, says: string, change: (text: string) => string): InstallAttack {
  return {
    name,
    says,
    control: 'a lock',
    async prepare(project, isHostile) {
      await clone(project)
      const file = join(project.cwd, 'skills.lock')
      if (isHostile) writeFileSync(file, change(readFileSync(file, 'utf8')))
      return 'install --frozen'
    },
  }
}

const DIGEST = `sha256:${'0'.repeat(64)}`
const BOTH = (text: string) => (entry: LockEntry) => {
  entry.source = text
  entry.resolved = text
}
const addFile =
  (line: string): EditEntry =>
  (entry) => {
    entry.files.push(line)
  }

const SOURCES: readonly InstallAttack[] = [
  set('another source', { source: 'github:evil/skills/greet' }, 'expected a pinned text of'),
  edit('another server', 'expected a pinned text of', (entry) => {
    entry.resolved = entry.resolved.replace('127.0.0.1', '127.0.0.2')
  }),
  edit('another server in both', 'Cannot download', (entry) => {
    for (const key of ['source', 'resolved'] as const) {
      entry[key] = entry[key].replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1')
    }
  }),
  edit('another digest of the archive', 'its digest is', (entry) => {
    entry.resolved = entry.resolved.replace(/[0-9a-f]{64}/, '0'.repeat(64))
  }),
  edit('another archive with other files', 'has the digest', async (entry, site) => {
    const bytes = await packTree({ ...SKILL, 'evil.sh': 'rm -rf ~' })
    site.files.set('/greet.tar.gz', bytes)
    entry.resolved = entry.resolved.replace(/[0-9a-f]{64}/, hash('sha256', bytes))
    entry['archive'] = `sha256:${hash('sha256', bytes)}`
  }),
  edit('an option of git', 'expected a source', BOTH('git+file:///tmp/x#--upload-pack=touch')),
  edit('a transport of git', 'expected a source', BOTH('git+ext::sh -c touch% /tmp/x')),
  edit('git over ssh', 'expected a source', BOTH('git+ssh://-oProxyCommand=touch/x')),
  edit('a folder that leads out', 'expected a source', BOTH('github:a/b/../../c')),
  edit('an unknown scheme', 'expected a source', BOTH('javascript:alert(1)')),
  edit('a password', 'expected a source', BOTH('https://me:pw@example.com/x')),
  edit('a control character', 'expected a source', BOTH('./a\u001b[2J')),
  edit('an empty source', 'expected a source', BOTH('')),
  edit('a folder of this machine', 'there is no such', BOTH('../../../absent/greet')),
]

const FILES: readonly InstallAttack[] = [
  set('another digest', { tree: DIGEST }, 'expected the digest of its files'),
  edit('a changed file', 'expected the digest of its files', (entry) => {
    entry.files = entry.files.map((line) => line.replace(/[0-9a-f]{64}/, '0'.repeat(64)))
  }),
  edit('an executable bit', 'expected the digest of its files', (entry) => {
    entry.files = entry.files.map((line) => line.replace('100644', '100755'))
  }),
  edit('one more file', 'the digest of its files', addFile(`100644 1 ${'0'.repeat(64)} evil.sh`)),
  edit('a path that leads out', 'inside of the skill', addFile(`100644 1 ${'0'.repeat(64)} ../x`)),
  edit('an absolute path', 'inside of the skill', addFile(`100644 1 ${'0'.repeat(64)} /etc/x`)),
  edit('a link', 'expected "<mode>', addFile(`120000 1 ${'0'.repeat(64)} link`)),
  edit('a file that is there twice', 'is there twice', (entry) => {
    entry.files.push(entry.files[0] ?? '')
  }),
  edit('no files', 'expected the digest of its files', (entry) => {
    entry.files = []
  }),
  set('another archive', { archive: DIGEST }, 'has the digest'),
  set('no archive', { archive: null }, 'that of a folder'),
]

const FACTS: readonly InstallAttack[] = [
  set('fewer rights', { capabilities: [] }, '"capabilities" of "greet"'),
  set('other rights', { capabilities: ['host example.com:443'] }, '"capabilities" of "greet"'),
  edit('another digest of the rights', '"approved.capabilities" of', ({ approved }) => {
    approved['capabilities'] = '0'.repeat(64)
  }),
  edit('a consent to other files', 'approved.tree', ({ approved }) => {
    approved['tree'] = DIGEST
  }),
  edit('an unknown consent', 'expected prompt, yes or digest', ({ approved }) => {
    approved['by'] = 'admin'
  }),
  edit('no consent', 'approved', (entry) => {
    delete (entry as Partial<LockEntry>).approved
  }),
  set('another name', { name: 'pdf' }, '"name" of "pdf"'),
  set('a name that leads out', { name: '../pdf' }, 'expected the name of a skill'),
  set('another version', { version: '9.0.0' }, '"version" of "greet"'),
  set('a version that controls the terminal', { version: '1\u001b[2J' }, 'expected a version'),
  set('a folder that leads out', { folder: '../../out' }, 'expected the name of a folder'),
  set('a folder with capitals', { folder: 'Greet' }, 'expected the name of a folder'),
  set('a hidden folder', { folder: '.git' }, 'expected the name of a folder'),
  set('an absolute folder', { folder: '/tmp/greet' }, 'expected the name of a folder'),
  set('another folder', { folder: 'pdf' }, '"folder" of "greet"'),
  set('a signer that did not sign', { signers: ['release'] }, 'was signed by release'),
  set('an unknown key', { scripts: { install: 'x' } }, 'one of the keys'),
  set(
    'a path of an agent',
    { agents: [{ agent: '/etc', mode: 'link' }] },
    'an agent that is known',
  ),
  set(
    'a folder of an agent',
    { agents: [{ agent: 'roo', mode: 'link', folder: '/etc' }] },
    'one of the keys',
  ),
  set('a text that controls the terminal', { archive: '\u001b[2J\u202e' }, 'expected null'),
]

const TEXTS: readonly InstallAttack[] = [
  editText('a key that is there twice', '"tree" is there twice', (text) =>
    text.replace('"tree"', `"tree": "${DIGEST}", "tree"`),
  ),
  editText('a conflict of git', 'is a conflict marker', (text) => `<<<<<<< HEAD\n${text}`),
  editText('another version of the format', 'expected 1', (text) =>
    text.replace('"version": 1', '"version": 2'),
  ),
  editText('an entry that is there twice', 'is there twice', (text) => {
    const lock = JSON.parse(text) as { skills: LockEntry[] }
    return JSON.stringify({ ...lock, skills: [...lock.skills, ...lock.skills] })
  }),
  editText('no JSON', 'it is not JSON', (text) => text.slice(2)),
  editText('values that are nested without end', 'nested too deeply', () => '['.repeat(100_000)),
  editText('more bytes than any lock', 'more than 67108864 bytes', (text) =>
    text.padEnd(64 * 1024 ** 2 + 1),
  ),
]

/** A rule of the user does not depend on the lock. */
const RULES: readonly InstallAttack[] = [
  {
    name: 'without the signers that a rule of the user demands',
    says: 'demands 1',
    async prepare(project, isHostile) {
      await clone(project)
      if (isHostile) await project.succeed('keys rule * --threshold 1')
      return 'install --frozen'
    },
  },
  {
    name: 'from a source that the rules of the user do not have',
    says: 'is not allowed by install.sources',
    async prepare(project, isHostile) {
      await clone(project)
      const sources = isHostile ? '["github:acme/*"]' : '["*"]'
      const config = join(project.home, '.config/skills/config.toml')
      writeFileSync(config, `[install]\nsources = ${sources}\n`)
      return 'install --frozen'
    },
  },
  {
    name: 'that was agreed to on another machine',
    says: 'is not installed without a consent',
    async prepare(project, isHostile) {
      await clone(project)
      const consents = join(project.home, '.config/skills/consents')
      if (isHostile) rmSync(consents, { recursive: true })
      return 'install'
    },
  },
]

describe('a lock with another source:', () => {
  testAttacks(SOURCES)
})

describe('a lock with other files:', () => {
  testAttacks(FILES)
})

describe('a lock with other facts:', () => {
  testAttacks(FACTS)
})

describe('the text of a lock:', () => {
  testAttacks(TEXTS)
})

describe('a lock', () => {
  testAttacks(RULES)
})
