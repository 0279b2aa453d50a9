// @module-tag slow
import { hash } from 'node:crypto'
import { describe } from 'vitest'
import { createTextSkill } from '../../../helpers/projects.ts'
import { startStaticSite, type StaticSite } from '../../../helpers/static-site.ts'
import { packTree, testAttacks, type HostileProject, type InstallAttack } from './attack.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
const INDEX = '/.well-known/agent-skills/index.json'
const VERSIONS = '/skills/greet/index.json'

/** An index with one skill, before it is written. */
interface Offer {
  site: StaticSite
  path: string
  bytes: Buffer
  entry: Record<string, unknown>
  index: Record<string, unknown>
}

interface OfferedSkill {
  name?: string
  version?: string
  text?: string
}

/** Offers a skill as a site does that `skills publish` wrote. */
async function offer(
  site: StaticSite,
  { name = 'greet', version = '0.1.0', text }: OfferedSkill = {},
  change: (offered: Offer) => void = () => {},
): Promise<void> {
  const bytes = await packTree(createTextSkill(name, version, text))
  const digest = `sha256:${hash('sha256', bytes)}`
  const path = `/skills/greet/${version}/${digest.slice(7, 15)}.tar.gz`
  const entry = { name: 'greet', type: 'archive', description: 'x', url: path, digest, version }
  const index = { $schema: SCHEMA, skills: [entry] }
  const archives = [{ path: path.slice('/skills/greet/'.length), type: 'tar.gz', digest, size: 1 }]
  site.files.set(path, bytes)
  change({ site, path, bytes, entry, index })
  site.files.set(INDEX, JSON.stringify(index))
  if (!site.files.has(VERSIONS)) {
    site.files.set(VERSIONS, JSON.stringify({ versions: [{ version, archives }] }))
  }
}

/** A fault of the index of a site from which nothing is installed yet. */
function fault(name: string, says: string, change: (offered: Offer) => void): InstallAttack {
  return {
    name,
    says,
    control: 'a site',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site, {}, isHostile ? change : undefined)
      return `install ${site.origin}#greet --yes`
    },
  }
}

/** A fault of the text of the index. */
function textFault(name: string, says: string, edit: (text: string) => string): InstallAttack {
  return {
    name,
    says,
    control: 'a site',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site)
      if (isHostile) site.files.set(INDEX, edit(String(site.files.get(INDEX))))
      return `install ${site.origin}#greet --yes`
    },
  }
}

const set = (key: string, value: unknown) => (offered: Offer) => {
  offered.entry[key] = value
}

const NEW_SITE: readonly InstallAttack[] = [
  fault('a skill that is there twice', 'has "greet" twice', ({ index, entry }) => {
    index['skills'] = [entry, { ...entry }]
  }),
  fault('another schema', 'expected https://schemas', ({ index }) => {
    index['$schema'] = 'https://example.com/schema.json'
  }),
  fault('an index without a list', 'expected a list', ({ index }) => {
    index['skills'] = { greet: {} }
  }),
  fault('an entry that is not an object', 'expected an object', ({ index, entry }) => {
    index['skills'] = [null, entry]
  }),
  textFault('an address that is there twice', '"url" is there twice', (text) =>
    text.replace('"url"', '"url":"/other.tar.gz","url"'),
  ),
  textFault('an index that is not JSON', 'it is not JSON', (text) => text.slice(1)),
  textFault('an index that is nested without end', 'nested too deeply', () => '['.repeat(200_000)),
  textFault('an index without end', 'more than 8388608 bytes', (text) =>
    text.padEnd(8 * 1024 ** 2 + 1),
  ),
  fault('an archive on another server', 'another server', set('url', 'https://example.com/a')),
  fault('an archive by http on another server', 'expected https', set('url', 'http://192.0.2.1/')),
  fault('an archive in a file of this machine', 'expected https', set('url', 'file:///etc/passwd')),
  fault('a user name in an address', 'contains a user name', set('url', 'https://me:pw@a.test/x')),
  fault('an address that is not one', 'expected a URL', set('url', 'http://[')),
  fault('another digest', 'its digest is', set('digest', `sha256:${'0'.repeat(64)}`)),
  fault('a digest of another kind', 'expected sha256:', set('digest', 'md5:0123456789abcdef')),
  fault('no digest', 'digest is missing', set('digest', undefined)),
  fault('another type than the file has', 'is not of the type', set('type', 'skill-md')),
  fault('an unknown type', 'expected "skill-md"', set('type', 'program')),
  fault(
    'a higher version than the manifest has',
    'calls it version 9.0.0',
    set('version', '9.0.0'),
  ),
  fault('a version that controls the terminal', 'calls it version', set('version', '1\u001b[2J')),
  fault('a file that changed after the index was written', 'its digest is', ({ site, path }) => {
    site.files.set(path, 'other bytes')
  }),
  fault('a file that the site does not have', 'does not have it', ({ site, path }) => {
    site.files.delete(path)
  }),
  {
    name: 'another skill under the name',
    says: 'calls it "greet", and its manifest "pdf"',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site, { name: isHostile ? 'pdf' : 'greet' })
      return `install ${site.origin}#greet --yes`
    },
  },
  {
    name: 'a similar name that controls the terminal',
    says: 'Did you mean',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site, {}, isHostile ? set('name', 'gree\u001b\u202et') : undefined)
      return `install ${site.origin}#greet --yes`
    },
  },
  {
    name: 'a name that leads out',
    says: 'its fragment is neither the name of a skill',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site, {}, isHostile ? set('name', '../greet') : undefined)
      return `install ${site.origin}#${isHostile ? '../' : ''}greet --yes`
    },
  },
  {
    name: 'a name that differs in its case only',
    says: 'has no skill "Greet"',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site)
      return `install ${site.origin}#${isHostile ? 'Greet' : 'greet'} --yes`
    },
  },
]

interface ListedRelease {
  version: string
  yanked?: string
  archives: { path: string; type: string; digest: string; size: number }[]
}

/** A fault of the list of all versions, from which an older one is installed. */
function versionFault(
  name: string,
  says: string,
  change: (versions: ListedRelease[]) => ListedRelease[],
): InstallAttack {
  return {
    name,
    says,
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site)
      await offer(site, { version: '0.2.0' })
      const listed = JSON.parse(String(site.files.get(VERSIONS))) as { versions: ListedRelease[] }
      const versions = isHostile ? change(listed.versions) : listed.versions
      site.files.set(VERSIONS, JSON.stringify({ versions }))
      return `install ${site.origin}#greet@0.1.0 --yes`
    },
  }
}

const setArchive = (change: object) => (versions: ListedRelease[]) =>
  versions.map((each) => ({
    ...each,
    archives: each.archives.map((archive) => ({ ...archive, ...change })),
  }))

const OLDER: readonly InstallAttack[] = [
  versionFault('a withdrawn version', 'withdrew version 0.1.0 (it deletes files)', (versions) =>
    versions.map((each) => ({ ...each, yanked: 'it deletes files' })),
  ),
  versionFault('a reason that controls the terminal', 'withdrew version', (versions) =>
    versions.map((each) => ({ ...each, yanked: '\u001b]0;x\u0007' })),
  ),
  versionFault('a version that is there twice', 'is there twice', (versions) =>
    versions.concat(versions),
  ),
  versionFault('a path that leads out', 'a relative path', setArchive({ path: '../../x.tar.gz' })),
  versionFault('an address as a path', 'a relative path', setArchive({ path: 'https://a.test/' })),
  versionFault(
    'another digest of an older version',
    'its digest is',
    setArchive({ digest: `sha256:${'0'.repeat(64)}` }),
  ),
  versionFault('no archive', 'expected an archive', (versions) =>
    versions.map((each) => ({ ...each, archives: [] })),
  ),
  {
    name: 'another version than the listed one',
    says: 'calls it version 0.1.0, and its manifest 0.0.9',
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      await offer(site, { version: isHostile ? '0.0.9' : '0.1.0' })
      await offer(site, { version: '0.2.0' })
      const text = String(site.files.get(VERSIONS))
      site.files.set(VERSIONS, text.replace('"version":"0.0.9"', '"version":"0.1.0"'))
      return `install ${site.origin}#greet@0.1.0 --yes`
    },
  },
]

/** The site changes after its version 0.1.0 was installed. */
function changed(
  name: string,
  says: string,
  next: (project: HostileProject, site: StaticSite) => Promise<string>,
): InstallAttack {
  return {
    name,
    says,
    async prepare(project, isHostile) {
      const site = await startStaticSite()
      await offer(site)
      await project.succeed(`install ${site.origin}#greet --yes`)
      if (isHostile) return await next(project, site)
      await offer(site, { version: '0.2.0' })
      return 'update --yes'
    },
  }
}

const CHANGED: readonly InstallAttack[] = [
  changed('an older version', '0.0.9 is older', async (_, site) => {
    await offer(site, { version: '0.0.9' })
    return 'update --yes'
  }),
  changed('an older version with a higher number', 'calls it version 9.0.0', async (_, site) => {
    await offer(site, { version: '0.0.9' }, set('version', '9.0.0'))
    return 'update --yes'
  }),
  changed('other files under the same version', 'had the digest', async (_, site) => {
    await offer(site, { text: 'Says goodbye.' })
    return 'update --yes'
  }),
  changed('another skill', 'and its manifest "pdf"', async (_, site) => {
    await offer(site, { name: 'pdf', version: '0.2.0' })
    return 'update --yes'
  }),
  changed('a skill of the same name from another site', 'another source', async () => {
    const other = await startStaticSite()
    await offer(other, { version: '0.2.0' })
    return `install ${other.origin}#greet --yes`
  }),
  changed('an error that controls the terminal', 'is refused', async (_, site) => {
    await offer(site, {}, set('type', '\u001b[2J'))
    return 'update --yes'
  }),
  {
    name: 'other files than those of the consent',
    says: 'expected sha256:',
    async prepare(project, isHostile) {
      const site = await startStaticSite()
      await offer(site)
      const { stderr } = await project.run(`install ${site.origin}#greet`)
      const [digest = ''] = /(?<=--trust )sha256:[0-9a-f]{64}/.exec(stderr) ?? []
      if (isHostile) await offer(site, { version: '0.2.0' })
      return `install ${site.origin}#greet --trust ${digest}`
    },
  },
]

/** A fault of the files that an index of version 0.1 lists. */
function legacyFault(name: string, says: string, ...files: string[]): InstallAttack {
  return {
    name,
    says,
    async prepare(_, isHostile) {
      const site = await startStaticSite()
      const listed = isHostile ? files : ['SKILL.md']
      const index = { skills: [{ name: 'greet', description: 'x', files: listed }] }
      site.files.set('/.well-known/skills/index.json', JSON.stringify(index))
      for (const path of ['SKILL.md', ...files]) {
        const address = new URL(path, 'http://a.test/.well-known/skills/greet/').pathname
        site.files.set(address, createTextSkill('greet')['SKILL.md'] as string)
      }
      return `install ${site.origin}#greet --yes`
    },
  }
}

const LEGACY: readonly InstallAttack[] = [
  legacyFault('a listed path that leads out', 'leads out', 'SKILL.md', '../evil.md'),
  legacyFault('a listed path that is absolute', 'is absolute', 'SKILL.md', '/etc/passwd'),
  legacyFault('two paths in different case', 'are one file', 'SKILL.md', 'skill.md'),
  legacyFault('two forms of Unicode', 'NFC', 'SKILL.md', 'caf\u00e9.md', 'cafe\u0301.md'),
  legacyFault('a name of Windows', 'is reserved on Windows', 'SKILL.md', 'aux.md'),
  legacyFault('a hidden character', 'is not visible', 'SKILL.md', 'a\u202eb.md'),
  legacyFault('no SKILL.md', 'a list with "SKILL.md"', 'README.md'),
  legacyFault('a folder of git', 'version control', 'SKILL.md', '.git/config'),
]

describe('a hostile site', () => {
  testAttacks(NEW_SITE)
})

describe('a hostile list of versions', () => {
  testAttacks(OLDER)
})

describe('a site that changes', () => {
  testAttacks(CHANGED)
})

describe('a hostile index of version 0.1', () => {
  testAttacks(LEGACY)
})
