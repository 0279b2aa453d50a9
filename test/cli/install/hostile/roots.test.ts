// @module-tag slow
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe } from 'vitest'
import { buildTar, type TarPart } from '../../../core/packing/hostile/build-tar.ts'
import { createGitRepository } from '../../../helpers/git-repository.ts'
import { createTextSkill, prefixPaths } from '../../../helpers/projects.ts'
import { startStaticSite } from '../../../helpers/static-site.ts'
import { packTree, testAttacks, type HostileProject, type InstallAttack } from './attack.ts'

const TREE = prefixPaths('skills/greet', createTextSkill('greet'))
const OTHER = prefixPaths('skills/greet', createTextSkill('greet', '0.2.0'))
const FETCH = 'roots fetch --yes'
const WIDER = `name = "greet"
version = "0.2.0"
description = "Greets."
kind = "instruction"

[permissions]
network = ["https://api.example.com"]
`

const configure = ({ cwd }: HostileProject, root: string): void =>
  writeFileSync(join(cwd, 'skills.config.toml'), `roots = ["${root}"]\n`)

/** An archive with further entries. */
function entry(name: string, says: string, ...parts: readonly TarPart[]): InstallAttack {
  return {
    name,
    says,
    prepare(project, isHostile) {
      const skill = Object.entries(TREE).map(([path, data]) => ({ path, data: data as string }))
      const packed = gzipSync(buildTar([...skill, ...(isHostile ? parts : [])]))
      writeFileSync(join(project.cwd, 'root.tar.gz'), packed)
      configure(project, './root.tar.gz')
      return FETCH
    },
  }
}

const part = (path: string): TarPart => ({ path: `skills/greet/${path}`, data: 'x' })

const ARCHIVES: readonly InstallAttack[] = [
  entry('a path that leads out', 'leads out', part('../../../evil.md')),
  entry('a link', 'is a symbolic link', { path: 'link', type: '2', link: '/etc/passwd' }),
  entry('two paths in different case', 'are one file', part('a.md'), part('A.md')),
  entry('a device of Windows', 'is reserved on Windows', part('aux.md')),
  entry('a bomb', 'times its size', { ...part('zeros'), data: Buffer.alloc(20 * 1024 ** 2) }),
]

/** A site whose file is fetched, pinned and lost; then it is fetched again. */
function pinned(
  name: string,
  says: string,
  change: (project: HostileProject, serve: (bytes: Buffer) => void) => Promise<void> | void,
): InstallAttack {
  return {
    name,
    says,
    async prepare(project, isHostile) {
      const site = await startStaticSite()
      const serve = (bytes: Buffer) => void site.files.set('/root.tar.gz', bytes)
      serve(await packTree(TREE))
      configure(project, `${site.origin}/root.tar.gz`)
      await project.succeed(FETCH)
      rmSync(join(project.home, '.local/share/skills/roots'), { recursive: true })
      if (isHostile) await change(project, serve)
      return FETCH
    },
  }
}

const editPins =
  (...[from, to]: readonly [RegExp, string]) =>
  ({ cwd }: HostileProject): void => {
    const file = join(cwd, 'skills.roots.lock')
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  }

const PINS: readonly InstallAttack[] = [
  pinned('another archive', 'its digest is', async (_, serve) => serve(await packTree(OTHER))),
  pinned('another digest', 'expected "sha256:0', editPins(/sha256:[0-9a-f]{4}/, 'sha256:0000')),
  pinned(
    'another digest of the archive',
    'its digest is',
    editPins(/sha256=[0-9a-f]{4}/, 'sha256=0000'),
  ),
  pinned(
    'another server',
    '"resolved" of',
    editPins(/"resolved": "http:\/\/127\.0\.0\.1/, '"resolved": "http://127.0.0.2'),
  ),
  pinned(
    'other rights',
    '"capabilities" of',
    editPins(/"capabilities": \[\]/, '"capabilities": ["greet: host example.com:443"]'),
  ),
  pinned('a conflict of git', 'is a conflict marker', editPins(/^/, '<<<<<<< HEAD\n')),
  pinned('an unknown key', 'one of the keys', editPins(/"version"/, '"x": 1, "version"')),
]

const SOURCES: readonly InstallAttack[] = [
  {
    name: 'a redirect to another server of this machine',
    says: 'a loopback address',
    async prepare(project, isHostile) {
      const [site, other] = [await startStaticSite(), await startStaticSite()]
      for (const each of [site, other]) each.files.set('/end.tar.gz', await packTree(TREE))
      const target = isHostile ? other : site
      site.files.set('/root.tar.gz', new URL(`${target.origin}/end.tar.gz`))
      configure(project, `${site.origin}/root.tar.gz`)
      return FETCH
    },
  },
  {
    name: 'a repository with a link in a skill',
    says: 'is a symbolic link',
    prepare(project, isHostile) {
      const { url, work, commit } = createGitRepository(TREE)
      if (isHostile) symlinkSync('/etc/passwd', join(work, 'skills/greet/secret.md'))
      commit({})
      configure(project, url)
      return FETCH
    },
  },
  {
    name: 'wider rights without a consent',
    says: 'connects to https://api.example.com:443 (new)',
    async prepare(project, isHostile) {
      const site = await startStaticSite()
      site.files.set('/root.tar.gz', await packTree(TREE))
      configure(project, `${site.origin}/root.tar.gz`)
      await project.succeed(FETCH)
      site.files.set('/root.tar.gz', await packTree({ ...TREE, 'skills/greet/skill.toml': WIDER }))
      return isHostile ? 'roots update' : 'roots update --yes'
    },
  },
]

describe('an archive of a root with', () => {
  testAttacks(ARCHIVES)
})

describe('a pinned root with', () => {
  testAttacks(PINS)
})

describe('a source of a root with', () => {
  testAttacks(SOURCES)
})
