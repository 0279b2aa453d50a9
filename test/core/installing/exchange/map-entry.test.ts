import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeSource } from '../../../../src/core/installing/exchange/create-entry.ts'
import type { ForeignEntry } from '../../../../src/core/installing/exchange/foreign-lock.ts'
import { mapEntry } from '../../../../src/core/installing/exchange/map-entry.ts'
import { createFolder } from '../../../helpers/skills.ts'

const NONE = {
  name: 'greet',
  sourceUrl: undefined,
  ref: undefined,
  skillPath: undefined,
  version: undefined,
  hash: undefined,
  siteDigest: undefined,
}
const map = (entry: Partial<ForeignEntry>, folder = '/') =>
  mapEntry({ ...NONE, source: 'owner/repo', sourceType: 'github', ...entry }, folder)

const GREET = 'skills/greet/SKILL.md'

describe('an entry of another lock', () => {
  it.each<[string, Partial<ForeignEntry>, string]>([
    ['of GitHub', { skillPath: GREET }, 'github:owner/repo/skills/greet'],
    ['of a root', { skillPath: 'SKILL.md', ref: 'v1' }, 'github:owner/repo@v1'],
    ['without a path', {}, 'github:owner/repo'],
    [
      'with the address of GitHub',
      { sourceUrl: 'https://github.com/owner/repo.git', skillPath: GREET },
      'github:owner/repo/skills/greet',
    ],
    [
      'of GitHub Enterprise',
      { sourceUrl: 'https://acme.ghe.com/owner/repo.git', skillPath: GREET, ref: 'v1' },
      'git+https://acme.ghe.com/owner/repo.git#v1:skills/greet',
    ],
    [
      'of a folder with "@"',
      { skillPath: 'a@b/SKILL.md', ref: 'main' },
      'git+https://github.com/owner/repo.git#main:a@b',
    ],
    [
      'of GitLab',
      { sourceType: 'gitlab', sourceUrl: 'https://gitlab.com/a/b/c.git', skillPath: GREET },
      'git+https://gitlab.com/a/b/c.git#:skills/greet',
    ],
    [
      'of ssh on GitHub',
      { sourceType: 'git', source: 'git@github.com:owner/repo.git', skillPath: 'SKILL.md' },
      'github:owner/repo',
    ],
    [
      'of ssh on GitLab',
      { sourceType: 'git', source: 'ssh://git@gitlab.com/a/b.git', ref: 'main' },
      'git+https://gitlab.com/a/b.git#main',
    ],
    [
      'of Azure',
      { sourceType: 'git', source: 'https://dev.azure.com/o/p/_git/r', skillPath: GREET },
      'git+https://dev.azure.com/o/p/_git/r#:skills/greet',
    ],
    [
      'of a repository on this machine',
      { sourceType: 'git', source: 'file:///srv/r.git', sourceUrl: 'file:///srv/r.git' },
      'git+file:///srv/r.git',
    ],
    [
      'of a site',
      { sourceType: 'well-known', source: 'wellknown/a.com', sourceUrl: 'https://a.com/base/' },
      'https://a.com/base#greet',
    ],
    [
      'of an older site',
      {
        sourceType: 'well-known',
        source: 'wellknown/a.com',
        sourceUrl: 'https://a.com/.well-known/skills/greet/SKILL.md',
      },
      'https://a.com#greet',
    ],
    [
      'of a package',
      { sourceType: 'node_modules', source: '@a/b', version: '1.2.3', skillPath: GREET },
      'npm:@a/b@1.2.3#greet',
    ],
    [
      'of a package that is a skill',
      { sourceType: 'node_modules', source: 'b', skillPath: 'SKILL.md' },
      'npm:b',
    ],
    [
      'of a download',
      { sourceType: 'download', source: 'https://a.com/greet.zip' },
      'https://a.com/greet.zip',
    ],
  ])('%s is a source of ours', (_, entry, source) => {
    expect(map(entry)).toEqual({ source })
  })

  it.each<[string, Partial<ForeignEntry>, string]>([
    ['of an unknown type', { sourceType: 'mintlify' }, 'sourceType "mintlify" is not known'],
    ['whose type is a key of objects', { sourceType: 'constructor' }, 'is not known'],
    ['of a wrong repository', { source: 'a/b/c' }, 'is not owner/repository'],
    ['that leads out', { source: '../repo' }, 'is not owner/repository'],
    [
      'of two repositories',
      { sourceUrl: 'https://github.com/evil/repo.git' },
      'name different repositories',
    ],
    ['of git without a server', { sourceType: 'git' }, 'it has no sourceUrl'],
    ['of ssh', { sourceType: 'git', source: 'ssh://git@host/r.git' }, 'neither an https'],
    ['of plain http', { sourceType: 'git', source: 'http://host/r.git' }, 'neither an https'],
    ['of a program', { sourceType: 'git', source: 'ext::sh -c id' }, 'neither an https'],
    ['of a helper', { sourceType: 'git', sourceUrl: 'ext::sh -c id' }, 'neither an https'],
    ['with a password', { sourceType: 'git', source: 'https://a:b@h/r.git' }, 'a user name'],
    ['with an option as reference', { ref: '--upload-pack=id' }, 'is not a branch'],
    ['with a folder in its reference', { ref: 'main:evil' }, 'cannot be written as a source'],
    ['of a folder that leads out', { skillPath: '../x/SKILL.md' }, 'is not a folder'],
    ['of an absolute folder', { skillPath: '/etc/SKILL.md' }, 'is not a folder'],
    ['of the folder of git', { skillPath: '.git/x/SKILL.md' }, 'is not a folder'],
    ['of another file', { skillPath: 'skills/greet/README.md' }, 'is not a SKILL.md'],
    ['with a line feed', { skillPath: 'a\nb/SKILL.md' }, 'is not a SKILL.md'],
    ['with a space', { skillPath: 'a b/SKILL.md' }, 'printable ASCII'],
    ['of a site without address', { sourceType: 'well-known' }, 'no address of its site'],
    [
      'of a site of plain http',
      { sourceType: 'well-known', sourceUrl: 'http://a.com' },
      'expected https',
    ],
    [
      'of a site that is a repository',
      { sourceType: 'well-known', sourceUrl: 'git+file:///etc' },
      'not of the sourceType "well-known"',
    ],
    [
      'of a download that is a repository',
      { sourceType: 'download', source: 'git+file:///etc' },
      'not of the sourceType "download"',
    ],
    [
      'of a wrong package',
      { sourceType: 'node_modules', source: '../x' },
      'expected npm:package@version#skill',
    ],
    ['of an absent folder', { sourceType: 'local', source: './absent' }, 'has no skill'],
  ])('%s is not mapped', (_, entry, problem) => {
    expect(map(entry)).toEqual({ problem: expect.stringContaining(problem) as string })
  })

  it('of a folder is found by its name, at the folder or below it', () => {
    const markdown = (name: string) => `---\nname: ${name}\ndescription: x\n---\n`
    const folder = createFolder({
      'one/SKILL.md': markdown('greet'),
      'many/skills/a/SKILL.md': markdown('greet'),
      'many/skills/b/SKILL.md': markdown('Other One'),
      'many/skills/b/nested/SKILL.md': markdown('greet'),
      'many/node_modules/c/SKILL.md': markdown('hidden'),
      'twice/a/SKILL.md': markdown('greet'),
      'twice/b/SKILL.md': markdown('greet'),
    })
    const local = (source: string, name = 'greet') =>
      map({ sourceType: 'local', source, name }, folder)
    expect(local('./one')).toEqual({ source: join(folder, 'one') })
    expect(local('many')).toEqual({ source: join(folder, 'many/skills/a') })
    expect(local('many', 'Other One')).toEqual({ source: join(folder, 'many/skills/b') })
    for (const [source, name] of [['many', 'hidden'], ['twice'], ['one', 'other']]) {
      expect(local(source ?? '', name)).toHaveProperty('problem')
    }
  })
})

describe('a source of ours', () => {
  const commit = 'c'.repeat(40)
  const both = (source: string, resolved = source) => {
    const described = describeSource({ source, resolved }, { base: '/p', relativeTo: '/p' })
    if ('problem' in described) return described.problem
    const { sourceType, ...keys } = described
    return map({ ...keys, sourceType })
  }
  it.each([
    ['github:owner/repo/skills/greet@v1', 'git+https://github.com/owner/repo.git', ':skills/greet'],
    ['github:owner/repo', 'git+https://github.com/owner/repo.git', ''],
    ['git+https://h.org/r.git#main:a/b', 'git+https://h.org/r.git', ':a/b'],
    ['git+https://gitlab.com/g/s/r.git#v1', 'git+https://gitlab.com/g/s/r.git', ''],
    ['git+file:///srv/r.git#:a', 'git+file:///srv/r.git', ':a'],
    ['https://a.com/base#greet', 'https://a.com/greet.tar.gz', ''],
  ])('%s is the same after an export and an import', (source, url, folder) => {
    expect(
      both(source, `${url}#${commit.slice(0, 40)}${folder}`.replace(/(\.gz)#.*/, '$1')),
    ).toEqual({
      source,
    })
  })

  it.each([
    ['npm:a@1.0.0', 'node_modules'],
    ['oci:host/a/b:1.0.0', 'OCI'],
    ['https://a.com/greet.tar.gz', 'archives'],
    ['./greet.tar.gz', 'archives'],
    ['https://a.com#greet@1.0.0', 'version'],
    ['git+file:///srv/r.git#main', 'reference'],
    ['git+https://h.org/r#main', 'as a site'],
    ['github:owner/repo@a@b', '"@"'],
  ])('%s has no equivalent, with a reason', (source, reason) => {
    expect(both(source)).toContain(reason)
  })

  it('in a folder has a path relative to the file', () => {
    const folders = { base: '/p/q', relativeTo: '/p/q' }
    const paths = ['shared/greet', '../greet', '.', '/other/greet'].map((source) =>
      describeSource({ source, resolved: source }, folders),
    )
    expect(paths.map((each) => 'source' in each && each.source)).toEqual([
      './shared/greet',
      '../greet',
      '.',
      '../../other/greet',
    ])
    const user = describeSource(
      { source: 'a', resolved: 'a' },
      { ...folders, relativeTo: undefined },
    )
    expect(user).toEqual({ source: '/p/q/a', sourceUrl: '/p/q/a', sourceType: 'local' })
  })
})
