import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { buildPackage } from '../../../../src/core/registries/npm/build-package.ts'
import { publishPackage } from '../../../../src/core/registries/npm/publish-package.ts'
import { pushSkill } from '../../../../src/core/registries/oci/push-skill.ts'
import {
  createNpmClient,
  startNpmRegistry,
  type FakeNpmRegistry,
} from '../../../core/registries/npm-registry.ts'
import { createArtifact, createClient, REPOSITORY } from '../../../core/registries/oci-fixtures.ts'
import { startOciRegistry, type FakeOciRegistry } from '../../../core/registries/oci-registry.ts'
import { createTextSkill } from '../../../helpers/projects.ts'
import type { Tree } from '../../../helpers/skills.ts'
import { packTree, testAttacks, type InstallAttack } from './attack.ts'

const PACKAGE = '@team/greet'

async function publish(registry: FakeNpmRegistry, version: string): Promise<void> {
  const tree = createTextSkill('greet', version)
  const files = Object.entries(tree).map(([path, text]) => ({
    path,
    isExecutable: false,
    bytes: Buffer.from(text as string),
  }))
  const options = { packageName: PACKAGE, folder: 'greet', version, description: 'x', files }
  await publishPackage(createNpmClient(registry.url), await buildPackage(options), 'latest')
}

/** A registry with a fault. */
function npmFault(
  name: string,
  says: string,
  change: (registry: FakeNpmRegistry) => Promise<void> | void,
): InstallAttack {
  return {
    name,
    says,
    control: 'a later version',
    async prepare({ home, succeed }, isHostile) {
      const registry = await startNpmRegistry()
      await publish(registry, '1.0.0')
      writeFileSync(join(home, '.npmrc'), `registry=${registry.url.href}\n`)
      await succeed(`install npm:${PACKAGE} --yes`)
      await publish(registry, '1.1.0')
      if (isHostile) await change(registry)
      return 'update --yes'
    },
  }
}

type Npm = FakeNpmRegistry
const getVersion = ({ packages }: Npm) => packages.get(PACKAGE)!.versions['1.1.0']!

/** Other files under the newest version, with the right integrity. */
const repack = (tree: Tree) => async (registry: FakeNpmRegistry) => {
  const bytes = await packTree(tree)
  const { dist } = getVersion(registry)
  registry.tarballs.set(new URL(dist.tarball).pathname, bytes)
  dist.integrity = `sha512-${hash('sha512', bytes, 'base64')}`
}

const manifest = (facts: object) => JSON.stringify({ name: PACKAGE, version: '1.1.0', ...facts })
const skill = (name = 'greet', version = '1.1.0') =>
  createTextSkill(name, version)['SKILL.md'] as string
const inPackage = (tree: Tree): Tree => ({
  'package/package.json': manifest({}),
  'package/skills/greet/SKILL.md': skill(),
  ...tree,
})

const NPM: readonly InstallAttack[] = [
  npmFault('other bytes', 'does not match the integrity', ({ tarballs }) => {
    for (const path of tarballs.keys()) tarballs.set(path, Buffer.from('other'))
  }),
  npmFault('a weak integrity', 'no SHA-512', (registry) => {
    getVersion(registry).dist.integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='
  }),
  npmFault('an archive on a private server', 'a private address', (registry) => {
    getVersion(registry).dist.tarball = 'https://10.0.0.1/a.tgz'
  }),
  npmFault('another package in its answer', 'answers with "other"', ({ packages }) => {
    packages.get(PACKAGE)!.name = 'other'
  }),
  npmFault('a deprecated version', 'is deprecated: it deletes files', (registry) => {
    getVersion(registry).deprecated = 'it deletes files'
  }),
  npmFault('a reason that controls the terminal', 'is deprecated', (registry) => {
    getVersion(registry).deprecated = '\u001b[2J\u202e'
  }),
  npmFault('tags that control the terminal', 'There is no', ({ packages }) => {
    packages.get(PACKAGE)!['dist-tags'] = { '\u001b[2J': '1.1.0' }
  }),
  npmFault('an older version as the newest', 'is older than the installed', async (registry) => {
    await publish(registry, '0.9.0')
  }),
  npmFault(
    'an older version under a higher number',
    'is older than the installed',
    repack(inPackage({ 'package/skills/greet/SKILL.md': skill('greet', '0.9.0') })),
  ),
  npmFault(
    'another skill',
    'has the skill "pdf" now',
    repack(inPackage({ 'package/skills/greet/SKILL.md': skill('pdf') })),
  ),
  npmFault(
    'another version in the archive',
    'in package.json',
    repack(inPackage({ 'package/package.json': manifest({ version: '9.0.0' }) })),
  ),
  npmFault(
    'a path of a skill that leads out',
    'the path',
    repack(
      inPackage({
        'package/package.json': manifest({
          agents: { skills: [{ name: 'greet', path: '../..' }] },
        }),
      }),
    ),
  ),
  npmFault(
    'several skills',
    'has 2 skills',
    repack(inPackage({ 'package/skills/other/SKILL.md': skill('other') })),
  ),
]

/** A registry of containers with a fault. */
function ociFault(
  name: string,
  says: string,
  change: (registry: FakeOciRegistry) => Promise<void> | void,
): InstallAttack {
  return {
    name,
    says,
    control: 'an artifact',
    async prepare(_, isHostile) {
      const registry = await startOciRegistry()
      await pushSkill(createClient(registry.host), {
        artifact: await createArtifact(),
        tag: '1.0.0',
      })
      if (isHostile) await change(registry)
      return `install oci:${registry.host}/${REPOSITORY}:1.0.0 --yes`
    },
  }
}

interface OciManifest {
  layers: { mediaType: string; digest: string; size: number }[]
}

/** Replaces the manifest under the tag. */
const editManifest = (edit: (manifest: OciManifest) => object) => (registry: FakeOciRegistry) => {
  const { type, bytes } = registry.manifests.get('1.0.0')!
  const document = JSON.parse(bytes.toString()) as OciManifest
  const edited = Buffer.from(JSON.stringify(edit(document)))
  registry.manifests.set('1.0.0', { type, bytes: edited })
}

const editLayer = (change: object) =>
  editManifest((document) => ({ ...document, layers: [{ ...document.layers[0], ...change }] }))

const OCI: readonly InstallAttack[] = [
  ociFault('other bytes of a layer', 'its digest is', ({ blobs }) => {
    for (const [digest, bytes] of blobs) blobs.set(digest, Buffer.alloc(bytes.length, 1))
  }),
  ociFault('a layer that is longer than announced', 'bytes, expected', ({ blobs }) => {
    for (const [digest, bytes] of blobs) blobs.set(digest, Buffer.concat([bytes, Buffer.of(0)]))
  }),
  ociFault(
    'a layer that announces a huge size',
    'expected at most',
    editLayer({ size: 1024 ** 4 }),
  ),
  ociFault('a digest with a path', 'SHA-256 digest', editLayer({ digest: 'sha256:../../etc' })),
  ociFault('a layer of an unknown type', 'no layer with files', editLayer({ mediaType: 'a/b' })),
  ociFault(
    'a manifest that is an index as well',
    'both layers and manifests',
    editManifest((document) => ({ ...document, manifests: [] })),
  ),
  ociFault(
    'a manifest without end',
    'more than 1048576 bytes',
    editManifest((document) => ({
      ...document,
      padding: 'x'.repeat(2 * 1024 ** 2),
    })),
  ),
  ociFault('an old version under the tag of a new one', 'has version 0.9.0', async (registry) => {
    const artifact = await createArtifact('0.9.0')
    registry.manifests.delete('1.0.0')
    await pushSkill(createClient(registry.host), { artifact, tag: '1.0.0' })
  }),
]

describe('a hostile registry of packages: an update with', () => {
  testAttacks(NPM)
})

describe('a hostile registry of artifacts:', () => {
  testAttacks(OCI)
})
