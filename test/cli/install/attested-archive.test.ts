import { hash } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeTarGz } from '../../../src/core/packing/write/write-tar.ts'
import { describeBytes } from '../../../src/core/registries/oci/descriptor.ts'
import { encode } from '../../../src/core/registries/oci/build-artifact.ts'
import { EMPTY_TYPE, MANIFEST_TYPE } from '../../../src/core/registries/oci/media-types.ts'
import { pushSkill } from '../../../src/core/registries/oci/push-skill.ts'
import {
  createArtifact,
  createClient,
  createFiles,
  REPOSITORY,
} from '../../core/registries/oci-fixtures.ts'
import { startOciRegistry } from '../../core/registries/oci-registry.ts'
import { createStatement } from '../../core/signing/attestation-fixtures.ts'
import { ISSUER } from '../../core/signing/sigstore-authority.ts'
import { startServer } from '../roots/root-project.ts'
import { createAttestedPackage, createAttestedProject, SOURCE } from './attested-package.ts'

const COSIGN = 'https://sigstore.dev/cosign/sign/v1'

/** An archive, and attestations of GitHub as its workflow signs them. */
async function createArchive() {
  const project = await createAttestedProject()
  await project.trustWorkflow()
  const bytes = Buffer.from(await writeTarGz(createFiles()))
  const digest = hash('sha256', bytes)
  const file = join(project.cwd, 'greet-1.0.0.tar.gz')
  writeFileSync(file, bytes)
  const attest = async (sha256 = digest) => {
    const statement = createStatement({ name: 'greet-1.0.0.tar.gz', digest: { sha256 } })
    return await project.authority.sign(statement, { repository: 'alice/skills' })
  }
  return { ...project, bytes, digest, file, attest }
}

describe('an archive with attestations of GitHub', () => {
  it('is verified by the file that "gh attestation download" writes next to it', async () => {
    const { run, readLock, cwd, digest, attest } = await createArchive()
    const other = await attest(hash('sha256', 'other'))
    const lines = `${await attest()}\n${other}\n`
    writeFileSync(join(cwd, `sha256:${digest}.jsonl`), lines)
    const { code, stderr } = await run('install', './greet-1.0.0.tar.gz', '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('provenance trusted as alice-ci')])
    expect(stderr).toContain('provenance about something else: greet-1.0.0.tar.gz')
    expect(readLock().signers).toEqual(['alice-ci'])
    const verified = await run('verify', './greet-1.0.0.tar.gz')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^verified /)])
    expect(verified.stdout).toContain('repository https://github.com/alice/skills')
    expect((await run('verify', './greet-1.0.0.tar.gz', '--json')).json()).toMatchObject({
      state: 'verified',
      attestations: [
        { state: 'trusted', provenance: { ref: 'refs/tags/v1.0.0' } },
        { state: 'other' },
      ],
    })
  })

  it('is refused with other bytes than the attested ones', async () => {
    const { run, file, cwd, digest, bytes, attest } = await createArchive()
    const bundle = join(cwd, 'bundle.jsonl')
    writeFileSync(bundle, await attest())
    const verify = ['verify', './greet-1.0.0.tar.gz', '--bundle', 'bundle.jsonl']
    expect(await run(...verify)).toMatchObject({ code: 0 })
    const other = Buffer.from(await writeTarGz(createFiles('1.0.0', 'Other.')))
    writeFileSync(file, other)
    expect(await run(...verify)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^other [\s\S]*something else/),
    })
    renameSync(bundle, `${file}.sigstore.json`)
    const { code, stderr } = await run('install', './greet-1.0.0.tar.gz', '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('(other)')])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    writeFileSync(file, bytes)
    expect(await run('install', './greet-1.0.0.tar.gz', '--yes')).toMatchObject({ code: 0 })
    expect(digest).toHaveLength(64)
  })

  it('is verified by a bundle at its address', async () => {
    const { run, readLock, bytes, attest } = await createArchive()
    const files = new Map<string, string | Buffer>([
      ['/greet.tar.gz', bytes],
      ['/greet.tar.gz.sigstore.json', await attest()],
    ])
    const address = await startServer(({ url = '' }, response) => {
      const found = files.get(url)
      response.writeHead(found === undefined ? 404 : 200).end(found)
    })
    expect(await run('install', `${address}/greet.tar.gz`, '--yes')).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-ci'])
    files.set('/greet.tar.gz.sigstore.json', await attest(hash('sha256', 'other')))
    const { code, stderr } = await run('install', `${address}/greet.tar.gz`, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('(other)')])
    files.set('/greet.tar.gz.sigstore.json', '<html>')
    const broken = await run('install', `${address}/greet.tar.gz`, '--yes')
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('it is not JSON')])
  })

  it('is verified by a bundle over its bytes, which a pending archive lacks', async () => {
    const { run, readLock, bytes, file, authority } = await createArchive()
    const bundle = await authority.signBytes(bytes, { repository: 'alice/skills' })
    writeFileSync(`${file}.sigstore.json`, bundle)
    expect(await run('install', './greet-1.0.0.tar.gz', '--yes')).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-ci'])
    await run('remove', 'greet')
    expect(await run('install', './greet-1.0.0.tar.gz')).toMatchObject({ code: 4 })
    const { stderr } = await run('install', '--pending', 'greet', '--yes')
    expect(stderr).toContain('not checked: it signs the bytes of an archive, which is not here')
    expect(readLock().signers).toEqual([])
    const other = await authority.signBytes(Buffer.from('other'))
    writeFileSync(`${file}.sigstore.json`, other)
    expect((await run('verify', './greet-1.0.0.tar.gz')).stdout).toContain('not valid: ')
  })
})

describe('the archive of a package of npm', () => {
  it('is verified by the answer of its registry', async () => {
    const attested = await createAttestedPackage()
    const { run, cwd, registry, publish, trustWorkflow } = attested
    const bytes = await publish('1.0.0', {})
    await trustWorkflow()
    writeFileSync(join(cwd, 'greet.tgz'), bytes)
    const write = (attestations: unknown) =>
      writeFileSync(join(cwd, 'answer.json'), JSON.stringify({ attestations }))
    write(registry.attestations.get('@alice/greet@1.0.0'))
    const verify = ['verify', './greet.tgz', '--bundle', 'answer.json', '--source', SOURCE]
    const { code, stdout } = await run(...verify)
    expect([code, stdout]).toEqual([0, expect.stringContaining('provenance trusted as alice-ci')])
    await publish('1.1.0', {})
    write(registry.attestations.get('@alice/greet@1.1.0'))
    expect(await run(...verify)).toMatchObject({ code: 1 })
    await publish('1.2.0', {
      name: 'pkg:npm/%40alice/other@1.0.0',
      digest: { sha512: hash('sha512', bytes) },
    })
    write(registry.attestations.get('@alice/greet@1.2.0'))
    expect(await run(...verify)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('about something else: pkg:npm/%40alice/other@1.0.0'),
    })
  })
})

describe('an artifact of an OCI registry with a bundle of sigstore as its referrer', () => {
  /** Stores a bundle next to a manifest, as tools of sigstore do. */
  async function createAttested(subjectDigest?: string) {
    const project = await createAttestedProject()
    const identity = ['--identity', 'https://github.com/alice/skills/*', '--issuer', ISSUER]
    await project.run('keys', 'trust', '--name', 'alice-ci', '--source', '*', ...identity)
    const registry = await startOciRegistry({ hasReferrers: true })
    const client = createClient(registry.host)
    const artifact = await createArtifact()
    await pushSkill(client, { artifact, tag: '1.0.0' })
    const digest = subjectDigest ?? artifact.digest
    const statement = createStatement({
      name: `${registry.host}/${REPOSITORY}`,
      digest: { sha256: digest.replace('sha256:', '') },
      type: COSIGN,
      predicate: {},
    })
    const bundle = Buffer.from(
      await project.authority.sign(statement, { repository: 'alice/skills' }),
    )
    const type = 'application/vnd.dev.sigstore.bundle.v0.3+json'
    const empty = encode({})
    const manifest = encode({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: type,
      config: describeBytes(EMPTY_TYPE, empty),
      layers: [describeBytes(type, bundle)],
      subject: describeBytes(MANIFEST_TYPE, artifact.manifest),
    })
    for (const blob of [empty, bundle]) await client.writeBlob(blob)
    await client.writeManifest(
      describeBytes(MANIFEST_TYPE, manifest).digest,
      MANIFEST_TYPE,
      manifest,
    )
    return { ...project, source: `oci:${registry.host}/${REPOSITORY}:1.0.0` }
  }

  it('is verified if the bundle names its digest, and refused otherwise', async () => {
    const { run, source, readLock } = await createAttested()
    const { code, stderr } = await run('install', source, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('signed by alice-ci')])
    expect(readLock().signers).toEqual(['alice-ci'])
    const other = await createAttested(`sha256:${hash('sha256', 'other')}`)
    const refused = await other.run('install', other.source, '--yes')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(other)')])
    expect(existsSync(join(other.cwd, '.agents'))).toBe(false)
  })

  it('keeps its signer if it is pending, and has none without a trusted root', async () => {
    const { run, source, readLock, configure, cwd } = await createAttested()
    expect(await run('install', source)).toMatchObject({ code: 4 })
    expect(await run('install', '--pending', 'greet', '--yes')).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-ci'])
    rmSync(join(cwd, '.agents/skills/greet'), { recursive: true })
    configure('')
    expect(await run('install', '--frozen')).toMatchObject({ code: 1 })
  })
})
