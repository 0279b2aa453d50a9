// @module-tag slow
import { hash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProvenance } from '../../core/signing/attestation-fixtures.ts'
import { ISSUER, startAuthority, WORKFLOW } from '../../core/signing/sigstore-authority.ts'
import {
  createAttestedPackage,
  SOURCE,
  type AttestationVariant,
  type AttestedPackage,
} from './attested-package.ts'

/** A published version with provenance, whose workflow is trusted. */
async function createTrusted(...variants: AttestationVariant[]): Promise<AttestedPackage> {
  const attested = await createAttestedPackage()
  await attested.publish('1.0.0', ...(variants.length > 0 ? variants : [{}]))
  await attested.trustWorkflow()
  return attested
}

describe('skills install of a package with provenance', () => {
  it('shows how it was built, and records the workflow as its signer', async () => {
    const { run, readLock } = await createTrusted()
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('signed by alice-ci')])
    expect(stderr).toContain('- provenance trusted as alice-ci')
    expect(stderr).toContain('it states: repository https://github.com/alice/skills')
    expect(stderr).toContain('commit 0123456789abcdef0123456789abcdef01234567')
    expect(stderr).toContain('workflow .github/workflows/release.yml')
    expect(stderr).toContain('builder https://github.com/actions/runner/github-hosted')
    expect(readLock().signers).toEqual(['alice-ci'])
  })

  it('prints it as JSON', async () => {
    const { run } = await createTrusted()
    const { json } = await run('install', SOURCE, '--yes', '--json')
    expect(json()).toMatchObject({
      installed: [
        {
          signers: ['alice-ci'],
          attestations: [
            {
              state: 'trusted',
              type: 'https://slsa.dev/provenance/v1',
              signer: 'alice-ci',
              certificate: { identity: WORKFLOW, issuer: ISSUER },
              provenance: {
                repository: 'https://github.com/alice/skills',
                commit: '0123456789abcdef0123456789abcdef01234567',
                workflow: '.github/workflows/release.yml',
              },
              trust_command: null,
            },
          ],
        },
      ],
    })
  })

  it('counts it for the rules only with a trusted root', async () => {
    const { run, home, configure, readLock, cwd } = await createTrusted()
    configure('')
    const plain = await run('install', SOURCE, '--yes')
    expect([plain.code, plain.stderr]).toEqual([
      0,
      expect.stringContaining('\nsignatures that were not checked\n'),
    ])
    expect(plain.stderr).toContain('attestations present, not checked: no trusted root')
    expect(readLock().signers).toEqual([])
    await run('remove', 'greet')
    configure('[install]\nrequire_signature = true\n')
    const refused = await run('install', SOURCE, '--yes')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('install.require_signature demands a signature')
    expect(refused.stderr).toContain('pass --trusted-root <file>, or set trust.sigstore_root')
    expect(existsSync(join(cwd, '.agents/skills/greet'))).toBe(false)
    const root = join(home, 'root.json')
    expect(await run('install', SOURCE, '--yes', '--trusted-root', root)).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-ci'])
  })

  it('shows what to type for a workflow that is not trusted, and trusts nothing by itself', async () => {
    const attested = await createAttestedPackage()
    const { run, publish, readLock } = attested
    await publish('1.0.0', {})
    const first = await run('install', SOURCE, '--yes')
    expect(first.stderr).toContain(
      `provenance present, not trusted: signed by ${WORKFLOW}, confirmed by ${ISSUER}`,
    )
    expect(readLock().signers).toEqual([])
    const [, typed = ''] = /its publisher: skills (.*)/.exec(first.stderr) ?? []
    expect(typed).toContain('@refs/tags/*')
    const argv = typed.split(' ').map((word) => word.replace(/^'|'$/g, ''))
    expect(await run(...argv)).toMatchObject({ code: 0 })
    expect(await run('install', SOURCE, '--yes')).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-skills'])
  })

  it('shows what to type for a workflow that is trusted for other sources', async () => {
    const attested = await createAttestedPackage()
    const { run, publish, readLock } = attested
    await publish('1.0.0', {})
    const identity = ['--identity', WORKFLOW.replace(/@.*/, '@*'), '--issuer', ISSUER]
    await run('keys', 'trust', '--name', 'alice-ci', '--source', 'npm:@bob/*', ...identity)
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('alice-ci is trusted for other')])
    expect(readLock().signers).toEqual([])
    const [, typed = ''] = /its publisher: skills (.*)/.exec(stderr) ?? []
    await run(...typed.split(' ').map((word) => word.replace(/^'|'$/g, '')))
    await run('install', SOURCE, '--yes')
    expect(readLock().signers).toEqual(['alice-ci'])
  })

  it.each<[string, AttestationVariant]>([
    ['another package', { name: 'pkg:npm/%40alice/other@1.0.0' }],
    ['another version', { name: 'pkg:npm/%40alice/greet@0.9.0' }],
    ['other bytes', { digest: { sha512: hash('sha512', 'other') } }],
  ])('refuses an attestation of a trusted workflow about %s', async (_, variant) => {
    const { run, cwd, publish, readLock } = await createTrusted(variant)
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('do not count (other)')])
    expect(stderr).toContain('They are for pkg:npm/%40alice/')
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    await publish('1.0.1', {})
    expect(await run('install', SOURCE, '--yes')).toMatchObject({ code: 0 })
    expect(readLock().signers).toEqual(['alice-ci'])
  })

  it('refuses an attestation of another payload type', async () => {
    const { run, registry, cwd } = await createTrusted()
    const key = '@alice/greet@1.0.0'
    const own = registry.attestations.get(key)!
    const changed = JSON.stringify(own).replace('application/vnd.in-toto+json', 'text/plain')
    registry.attestations.set(key, JSON.parse(changed) as object[])
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('payload type is "text/plain"')])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    registry.attestations.set(key, own)
    expect(await run('install', SOURCE, '--yes')).toMatchObject({ code: 0 })
  })

  it.each<[string, AttestationVariant]>([
    ['of another workflow', { identity: WORKFLOW.replace('release.yml', 'test.yml') }],
    ['of another issuer', { issuer: 'https://issuer.example' }],
    ['for another repository', { predicate: createProvenance('https://github.com/mallory/x') }],
  ])('does not count one %s, which a rule refuses', async (_, variant) => {
    const { run, readLock, configure, home } = await createTrusted(variant)
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('present, not trusted')])
    expect(readLock().signers).toEqual([])
    const root = `[trust]\nsigstore_root = "${join(home, 'root.json')}"\n`
    configure(`${root}[install]\nrequire_signature = true\n`)
    expect(await run('install', SOURCE, '--yes')).toMatchObject({ code: 1 })
    const own = await createTrusted()
    expect(await own.run('install', SOURCE, '--yes')).toMatchObject({ code: 0 })
    expect(own.readLock().signers).toEqual(['alice-ci'])
  })

  it('does not count one of another instance, or one that was changed', async () => {
    const { run, readLock, home, registry } = await createTrusted()
    const other = (await startAuthority()).root
    writeFileSync(join(home, 'other.json'), other)
    const foreign = await run(
      'install',
      SOURCE,
      '--yes',
      '--trusted-root',
      join(home, 'other.json'),
    )
    expect(foreign.stderr).toContain('attestation present, not valid: ')
    expect(readLock().signers).toEqual([])
    const key = '@alice/greet@1.0.0'
    const text = JSON.stringify(registry.attestations.get(key))
    registry.attestations.set(
      key,
      JSON.parse(text.replace(/"sig":"(.{8})/, '"sig":"MEUCIQDx')) as object[],
    )
    const changed = await run('install', SOURCE, '--yes')
    expect(changed.stderr).toContain('attestation present, not valid: ')
    expect(readLock().signers).toEqual([])
    registry.attestations.set(key, JSON.parse(text) as object[])
    await run('install', SOURCE, '--yes')
    expect(readLock().signers).toEqual(['alice-ci'])
  })

  it('is refused by a revoked workflow', async () => {
    const { run, cwd } = await createTrusted()
    await run('keys', 'revoke', 'alice-ci', '--reason', 'taken over')
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('(revoked)')])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
  })

  it('cannot control the terminal', async () => {
    const predicate = createProvenance('https://github.com/alice/skills\u001b[2J')
    const { run } = await createTrusted({ predicate })
    const { stderr } = await run('install', SOURCE, '--yes')
    expect(stderr).toContain('alice/skills\\u001b[2J')
    expect(stderr).not.toContain('\u001b')
  })
})

describe('the attestations of a hostile registry', () => {
  it.each<[string, (path: string) => { status: number; body: string }, string]>([
    [
      'fail',
      () => ({ status: 500, body: 'x' }),
      'answered with 500 to the request for the attestations',
    ],
    ['have 100 MB', () => ({ status: 200, body: '[' }), 'has more than 1048576 bytes'],
    ['are not JSON', () => ({ status: 200, body: '<html>' }), 'it is not JSON'],
    [
      'are another document',
      () => ({ status: 200, body: '{"error":1}' }),
      'attestations is missing',
    ],
    ['are a list', () => ({ status: 200, body: '[]' }), 'expected an object'],
    [
      'have no bundle',
      () => ({ status: 200, body: '{"attestations":[{}]}' }),
      'attestations[0].bundle is missing',
    ],
    [
      'have a bundle of another type',
      () => ({ status: 200, body: '{"attestations":[{"bundle":{"mediaType":"text/plain"}}]}' }),
      'expected the type of a bundle of sigstore',
    ],
    [
      'have too many bundles',
      () => ({ status: 200, body: `{"attestations":[${'{},'.repeat(16)}{}]}` }),
      'has more than 16 elements',
    ],
    ['are nested', () => ({ status: 200, body: '['.repeat(100_000) }), 'nested too deeply'],
  ])('are refused if they %s', async (name, answer, reason) => {
    let isHostile = true
    const attested = await createAttestedPackage(({ url = '' }, response) => {
      if (!isHostile || !url.includes('/attestations/')) return false
      const { status, body } = answer(url)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.on('error', () => {})
      if (!name.includes('100 MB')) response.end(body)
      else for (let count = 0; count < 100; count += 1) response.write(body.repeat(1024 ** 2))
      return true
    })
    await attested.publish('1.0.0', {})
    await attested.trustWorkflow()
    const { code, stderr } = await attested.run('install', SOURCE, '--yes')
    expect(code).not.toBe(0)
    expect(stderr).toContain(reason)
    expect(existsSync(join(attested.cwd, '.agents'))).toBe(false)
    isHostile = false
    expect(await attested.run('install', SOURCE, '--yes')).toMatchObject({ code: 0 })
    expect(attested.readLock().signers).toEqual(['alice-ci'])
  })
})

describe('a restored skill with provenance', () => {
  it('is verified again, and refused without a trusted root', async () => {
    const { run, cwd, configure, home } = await createTrusted()
    await run('install', SOURCE, '--yes')
    const installed = join(cwd, '.agents/skills/greet')
    rmSync(installed, { recursive: true })
    configure('')
    const { code, stderr } = await run('install', '--frozen')
    expect([code, stderr]).toEqual([1, expect.stringContaining('was signed by alice-ci')])
    expect(stderr).toContain('pass --trusted-root <file>, or set trust.sigstore_root')
    expect(existsSync(installed)).toBe(false)
    const root = join(home, 'root.json')
    const restored = await run('install', '--frozen', '--trusted-root', root, '--json')
    expect(restored.code).toBe(0)
    expect(restored.json()).toMatchObject({
      installed: [{ signers: ['alice-ci'], attestations: [{ state: 'trusted' }] }],
    })
  })

  it('is reported by verify after its workflow was revoked', async () => {
    const { run } = await createTrusted()
    await run('install', SOURCE, '--yes')
    expect(await run('verify')).toMatchObject({ code: 0 })
    await run('keys', 'revoke', 'alice-ci', '--reason', 'taken over')
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('"alice-ci" is revoked')])
  })
})

describe('skills update of a package with provenance', () => {
  it('verifies the new version, and refuses the attestations of the old one', async () => {
    const { run, publish, registry, readLock } = await createTrusted()
    await run('install', SOURCE, '--yes')
    await publish('1.1.0', {})
    const own = registry.attestations.get('@alice/greet@1.1.0')!
    registry.attestations.set(
      '@alice/greet@1.1.0',
      registry.attestations.get('@alice/greet@1.0.0')!,
    )
    const refused = await run('update', '--yes', '--json')
    expect(refused.json()).toMatchObject({
      skills: [{ status: 'failed', error: { message: expect.stringContaining('(other)') } }],
    })
    expect(readLock().version).toBe('1.0.0')
    registry.attestations.set('@alice/greet@1.1.0', own)
    const updated = await run('update', '--yes', '--json')
    expect(updated.json()).toMatchObject({
      skills: [{ status: 'updated', signers: ['alice-ci'], attestations: [{ state: 'trusted' }] }],
    })
    expect(readLock()).toMatchObject({ version: '1.1.0', signers: ['alice-ci'] })
  })
})

describe('a pending skill with provenance', () => {
  it('keeps its signer, because this machine knows its archive', async () => {
    const { run, readLock, home } = await createTrusted()
    expect(await run('install', SOURCE)).toMatchObject({ code: 4 })
    const { code, stderr } = await run('install', '--pending', 'greet', '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('provenance trusted as alice-ci')])
    expect(readLock().signers).toEqual(['alice-ci'])
    expect(existsSync(join(home, '.config/skills/archives'))).toBe(true)
  })

  it('whose files and record were replaced has no signer, whatever archive the record names', async () => {
    const { run, cwd, readLock } = await createTrusted()
    await run('install', SOURCE)
    const folder = join(cwd, '.agents/.skills-install/pending/greet')
    const before = JSON.parse(readFileSync(join(folder, 'pending.json'), 'utf8')) as object
    writeFileSync(join(folder, 'skill/scripts/hello.sh'), 'evil\n')
    const damaged = await run('install', '--pending', 'greet', '--yes')
    const [, tree = ''] = /their digest is (sha256:\w+)/.exec(damaged.stderr) ?? []
    writeFileSync(join(folder, 'pending.json'), JSON.stringify({ ...before, tree }))
    const { code, stderr } = await run('install', '--pending', 'greet', '--yes')
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('\nsignatures that were not checked\n'),
    ])
    expect(stderr).toContain('not checked: the archive that it is about is not here')
    expect(readLock().signers).toEqual([])
  })
})

describe('skills info of a package with provenance', () => {
  it('shows its facts and their state, also if it is refused', async () => {
    const { run } = await createTrusted()
    const { stdout } = await run('info', SOURCE)
    expect(stdout).toContain('by alice-ci')
    expect(stdout).toContain('provenance trusted as alice-ci')
    const { json } = await run('info', SOURCE, '--json')
    expect(json()).toMatchObject({ signers: ['alice-ci'], attestations: [{ state: 'trusted' }] })
    await run('keys', 'revoke', 'alice-ci', '--reason', 'taken over')
    const refused = await run('info', SOURCE, '--json')
    expect(refused.json()).toMatchObject({
      signers: [],
      refusal: expect.stringContaining('(revoked)'),
      attestations: [{ state: 'revoked', signer: 'alice-ci' }],
    })
  })
})

describe('trust.sigstore_root', () => {
  it('is refused in the file of a project', async () => {
    const { run, cwd, home } = await createTrusted()
    const root = join(home, 'root.json')
    const text = `[trust]\nsigstore_root = "${root}"\n`
    writeFileSync(join(cwd, 'skills.config.toml'), text)
    const { code, stderr } = await run('install', SOURCE, '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('"trust.sigstore_root" is only')])
    writeFileSync(join(cwd, 'skills.config.toml'), '')
    const set = ['config', 'set', 'trust.sigstore_root', root]
    expect(await run(...set)).toMatchObject({ code: 2 })
    expect(await run(...set, '--global')).toMatchObject({ code: 0 })
  })

  it('that is missing or not valid stops the installation of what has attestations', async () => {
    const { run, cwd, configure, home } = await createTrusted()
    configure(`[trust]\nsigstore_root = "${join(home, 'none.json')}"\n`)
    const missing = await run('install', SOURCE, '--yes')
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('does not exist')])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    writeFileSync(join(home, 'none.json'), '{}')
    const broken = await run('install', SOURCE, '--yes')
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('mediaType is')])
  })
})
