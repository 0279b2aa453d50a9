import {
  parseForeignLock,
  type ForeignEntry,
} from '../../../src/core/installing/exchange/foreign-lock.ts'
import { mapEntry } from '../../../src/core/installing/exchange/map-entry.ts'
import { mergeEntries } from '../../../src/core/installing/exchange/merge-entries.ts'
import { parseRemoteSource } from '../../../src/core/sources/skill-source.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowErrors, expectEqual, expectThat } from './expect.ts'

const HASH = '0123456789abcdef'.repeat(4)
const GITHUB = {
  source: 'owner/repo',
  sourceType: 'github',
  ref: 'main',
  skillPath: 'skills/greet/SKILL.md',
}
const GIT = { source: 'https://host/r.git', sourceUrl: 'https://host/r.git', sourceType: 'git' }
const SITE = { source: 'host', sourceUrl: 'https://host/base', sourceType: 'well-known' }

const TYPES: Readonly<Record<string, string>> = {
  github: 'git',
  gitlab: 'git',
  git: 'git',
  'well-known': 'site',
  node_modules: 'npm',
  download: 'url',
}

/** Locks of a hostile project: an entry becomes a source that is fetched. */
export const target: FuzzTarget = {
  name: 'foreign-lock',
  format: 'json',
  seeds: [
    JSON.stringify({
      version: 1,
      skills: {
        greet: { ...GITHUB, computedHash: HASH },
        other: { ...GIT, skillPath: 'SKILL.md', computedHash: HASH },
        site: { ...SITE, computedHash: HASH, wellKnownDigest: `sha256:${HASH}` },
        local: { source: './absent', sourceType: 'local', computedHash: HASH },
        package: { source: '@a/b', version: '1.0.0', sourceType: 'node_modules' },
      },
    }),
    JSON.stringify({
      version: 3,
      skills: {
        greet: { ...GITHUB, skillFolderHash: '', installedAt: 'x', pinnedRef: 'main' },
        site: { ...SITE, sourceBaseUrl: 'https://host', skillFolderHash: '' },
      },
      dismissed: {},
    }),
  ],
  words: [
    '../',
    '..',
    '/',
    '@',
    '#',
    ':',
    '--upload-pack=id',
    'git@github.com:',
    'ssh://git@gitlab.com/',
    'git+file://',
    'file:///',
    'ext::sh',
    'SKILL.md',
    '.git',
    '__proto__',
    'constructor',
    '.well-known/',
    '\u0000',
    '\n',
  ],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const lock = allowErrors(() => parseForeignLock(text, 'skills-lock.json'))
    if (!lock) return
    const { entries, format } = lock
    for (const entry of entries) checkEntry(entry, isPlanted)
    const merged = mergeEntries([], { format, before: lock, now: 'now' })
    expectEqual(merged.kept.length, entries.length, 'the number of entries that stay')
    expectEqual(parseForeignLock(merged.text, 'merged').entries, entries, 'the entries that stay')
  },
}

function checkEntry(entry: ForeignEntry, isPlanted: boolean): void {
  // Folders of this machine are not searched for random paths.
  if (entry.sourceType === 'local') return
  const mapped = mapEntry(entry, '/absent')
  if ('problem' in mapped) {
    expectThat(mapped.problem !== '', 'a refusal has a reason')
    // The planted bug: a folder that leads out is mapped.
    expectThat(!isPlanted || !entry.skillPath?.includes('..'), 'a folder stays in its repository')
    return
  }
  const place = parseRemoteSource(mapped.source)
  expectThat(place !== undefined, 'a source is an address, and no path')
  expectThat(place?.type === TYPES[entry.sourceType], 'a source has the type of its entry')
  if (place?.type !== 'git') return
  const { folder, ref, url } = place
  expectThat(!folder?.split('/').includes('..'), 'a folder stays in its repository')
  expectThat(!ref?.startsWith('-'), 'a reference is no option')
  expectThat(/^(?:https|file):/.test(url), 'an address has no program')
  expectEqual(ref, entry.ref, 'the reference')
}
