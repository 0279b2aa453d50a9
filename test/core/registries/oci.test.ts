import { describe, expect, it } from 'vitest'
import { pullSkill } from '../../../src/core/registries/oci/pull-skill.ts'
import { formatTag, pushSkill, yankTag } from '../../../src/core/registries/oci/push-skill.ts'
import { readAttestations } from '../../../src/core/registries/oci/referrers.ts'
import { createArtifact, createClient, createFiles } from './oci-fixtures.ts'
import { startOciRegistry } from './oci-registry.ts'

const ENVELOPE = JSON.stringify({
  payload: Buffer.from('{}').toString('base64'),
  payloadType: 'application/vnd.in-toto+json',
  signatures: [{ keyid: 'a', sig: Buffer.from('signature').toString('base64') }],
})

describe.each([true, false])('a registry with referrers: %s', (hasReferrers) => {
  it('returns the files and the signatures that were published', async () => {
    const client = createClient((await startOciRegistry({ hasReferrers })).host)
    const artifact = await createArtifact()
    const envelopes = Buffer.from(`${ENVELOPE}\n`)
    const pushed = await pushSkill(client, { artifact, tag: '1.0.0', envelopes })
    expect(pushed).toMatchObject({ digest: artifact.digest, isNew: true })
    const pulled = await pullSkill(client, '1.0.0')
    expect(pulled.files).toEqual(createFiles())
    expect(pulled.digest).toBe(artifact.digest)
    expect((await pullSkill(client, artifact.digest)).files).toEqual(createFiles())
    const signatures = await readAttestations(client, pulled.manifestDigest)
    expect(signatures?.map(({ payload }) => payload.toString())).toEqual(['{}'])
  })

  it('keeps the signatures of an earlier push, each once', async () => {
    const client = createClient((await startOciRegistry({ hasReferrers })).host)
    const artifact = await createArtifact()
    const lines = [ENVELOPE, ENVELOPE.replace('"a"', '"b"'), ENVELOPE]
    for (const line of lines) {
      await pushSkill(client, { artifact, tag: '1.0.0', envelopes: Buffer.from(`${line}\n`) })
    }
    const signatures = await readAttestations(client, artifact.digest)
    const ids = signatures?.map((each) => each.signatures[0]?.keyId)
    expect(ids?.sort()).toEqual(['a', 'b'])
  })

  it('has no signatures of an unsigned skill', async () => {
    const client = createClient((await startOciRegistry({ hasReferrers })).host)
    const artifact = await createArtifact()
    await pushSkill(client, { artifact, tag: '1.0.0' })
    expect(await readAttestations(client, artifact.digest)).toBeUndefined()
  })
})

describe('a version in a registry', () => {
  it('has the same digest each time it is built', async () => {
    const [first, second] = [await createArtifact(), await createArtifact()]
    expect(first.manifest.equals(second.manifest)).toBe(true)
    expect((await createArtifact('1.0.1')).digest).not.toBe(first.digest)
  })

  it('is not replaced by other content, and the same content is published once', async () => {
    const registry = await startOciRegistry()
    const client = createClient(registry.host)
    const artifact = await createArtifact()
    await pushSkill(client, { artifact, tag: '1.0.0' })
    const again = await pushSkill(client, { artifact, tag: '1.0.0' })
    expect(again.isNew).toBe(false)
    const other = await createArtifact('1.0.0', 'Other.')
    await expect(pushSkill(client, { artifact: other, tag: '1.0.0' })).rejects.toThrow(
      expect.objectContaining({ code: 'skill/exists' }),
    )
    expect((await pullSkill(client, '1.0.0')).digest).toBe(artifact.digest)
    expect(registry.manifests.has(other.digest)).toBe(false)
  })

  it('gets its tag only after all of its content', async () => {
    const registry = await startOciRegistry()
    const envelopes = Buffer.from(`${ENVELOPE}\n`)
    const artifact = await createArtifact()
    await pushSkill(createClient(registry.host), { artifact, tag: '1.0.0', envelopes })
    const writes = registry.requests
      .map(({ line }) => line)
      .filter((line) => line.startsWith('PUT'))
    expect(writes.at(-1)).toBe('PUT /v2/team/greet/manifests/1.0.0')
    expect(writes.filter((line) => line.endsWith('/manifests/1.0.0'))).toHaveLength(1)
  })

  it('is withdrawn where tags can be deleted, and stays installable by its digest', async () => {
    const client = createClient((await startOciRegistry({ deletesTags: true })).host)
    const artifact = await createArtifact()
    await pushSkill(client, { artifact, tag: '1.0.0' })
    await yankTag(client, '1.0.0')
    await expect(pullSkill(client, '1.0.0')).rejects.toThrow('There is no')
    expect((await pullSkill(client, artifact.digest)).files).toEqual(createFiles())
  })

  it('is not reported as withdrawn where tags cannot be deleted', async () => {
    const client = createClient((await startOciRegistry()).host)
    await pushSkill(client, { artifact: await createArtifact(), tag: '1.0.0' })
    await expect(yankTag(client, '1.0.0')).rejects.toThrow('does not delete')
    await expect(yankTag(client, '2.0.0')).rejects.toThrow('There is no')
  })

  it('needs a version that can be a tag', () => {
    expect(formatTag('1.0.0-rc.1')).toBe('1.0.0-rc.1')
    expect(() => formatTag('1.0.0+build')).toThrow('cannot be a tag')
  })
})
