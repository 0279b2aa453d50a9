import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { RegistryConnection } from '../../../src/core/registries/http/registry-connection.ts'
import { pullSkill, type PulledSkill } from '../../../src/core/registries/oci/pull-skill.ts'
import { pushSkill } from '../../../src/core/registries/oci/push-skill.ts'
import { readAttestations } from '../../../src/core/registries/oci/referrers.ts'
import { createArtifact, createClient, createFiles, REPOSITORY } from './oci-fixtures.ts'
import { listen, startOciRegistry, type FakeOciRegistry } from './oci-registry.ts'

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'
const LOGIN = { type: 'password', user: 'user', password: 'secret' } as const
const digestOf = (bytes: Uint8Array) => `sha256:${hash('sha256', bytes)}`

async function startPublished(intercept?: Intercept): Promise<FakeOciRegistry> {
  const source = await startOciRegistry()
  await pushSkill(createClient(source.host), { artifact: await createArtifact(), tag: '1.0.0' })
  const registry = await startOciRegistry(intercept ? { intercept } : {})
  for (const [key, value] of source.manifests) registry.manifests.set(key, value)
  for (const [key, value] of source.blobs) registry.blobs.set(key, value)
  return registry
}

type Manifest = Record<string, unknown> & {
  layers: { mediaType: string; digest: string; size: number }[]
}

/** Replaces the manifest under the tag, as its registry could. */
function changeManifest(registry: FakeOciRegistry, change: (manifest: Manifest) => object): void {
  const { type, bytes } = registry.manifests.get('1.0.0')!
  const changed = change(JSON.parse(bytes.toString()) as Manifest)
  registry.manifests.set('1.0.0', { type, bytes: Buffer.from(JSON.stringify(changed)) })
}

function replaceLayer(registry: FakeOciRegistry, bytes: Buffer): void {
  const digest = digestOf(bytes)
  registry.blobs.set(digest, bytes)
  changeManifest(registry, (manifest) => ({
    ...manifest,
    layers: [{ ...manifest.layers[0], digest, size: bytes.length }],
  }))
}

const pull = async ({ host }: FakeOciRegistry, reference = '1.0.0'): Promise<PulledSkill> =>
  await pullSkill(createClient(host), reference)

describe('a hostile OCI registry', () => {
  it('the control: the same registry without an attack returns the skill', async () => {
    expect((await pull(await startPublished())).files).toEqual(createFiles())
  })

  it('is refused with other bytes for a digest of a manifest', async () => {
    const registry = await startPublished()
    const digest = digestOf(registry.manifests.get('1.0.0')!.bytes)
    changeManifest(registry, (manifest) => ({ ...manifest, annotations: {} }))
    registry.manifests.set(digest, registry.manifests.get('1.0.0')!)
    await expect(pull(registry, digest)).rejects.toThrow('the digest of its manifest')
    // The control: a client that does not compare takes the other manifest.
    expect((await pull(registry)).files).toEqual(createFiles())
  })

  it('is refused with a header that names another digest', async () => {
    const registry: FakeOciRegistry = await startPublished((request, response) => {
      if (!request.url?.endsWith('/manifests/1.0.0')) return false
      const headers = { 'content-type': MANIFEST, 'docker-content-digest': digestOf(Buffer.of(1)) }
      response.writeHead(200, headers).end(registry.manifests.get('1.0.0')!.bytes)
      return true
    })
    await expect(pull(registry)).rejects.toThrow('the digest of its manifest')
  })

  it('is refused with other content of the same size for a layer', async () => {
    const registry = await startPublished()
    for (const [digest, bytes] of registry.blobs) {
      registry.blobs.set(digest, Buffer.alloc(bytes.length, 1))
    }
    await expect(pull(registry)).rejects.toThrow('its digest is')
  })

  it('is refused with a layer of another size than announced', async () => {
    const registry = await startPublished()
    for (const [digest, bytes] of registry.blobs) {
      registry.blobs.set(digest, Buffer.concat([bytes, Buffer.of(0)]))
    }
    await expect(pull(registry)).rejects.toThrow('bytes, expected')
  })

  it('cannot change its answer between the tag and the content', async () => {
    let count = 0
    const registry: FakeOciRegistry = await startPublished((request) => {
      if (request.url?.endsWith('/manifests/1.0.0')) count += 1
      return false
    })
    const { digest } = await pull(registry)
    // One answer for the tag decides about everything else.
    expect(count).toBe(1)
    expect(digest).toBe((await createArtifact()).digest)
  })

  it('is refused with a manifest larger than the limit', async () => {
    const registry = await startPublished()
    changeManifest(registry, (manifest) => ({ ...manifest, padding: 'x'.repeat(2 * 1024 ** 2) }))
    await expect(pull(registry)).rejects.toThrow('more than 1048576 bytes')
  })

  it('is refused with an answer that does not end', async () => {
    const registry = await startPublished((request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      const write = () => void (response.destroyed || response.write(Buffer.alloc(65_536), write))
      write()
      return true
    })
    await expect(pull(registry)).rejects.toThrow('its answer has more than')
  })

  it('is refused with an answer that stalls', async () => {
    const host = await listen(async () => await Promise.resolve())
    const connection = new RegistryConnection(new URL(`http://${host}/`), {
      signal: new AbortController().signal,
      timeoutMs: 200,
    })
    const request = connection.send({ url: new URL(`http://${host}/v2/`), maxBytes: 1 })
    await expect(request).rejects.toThrow(expect.objectContaining({ code: 'remote/timeout' }))
  })

  it('is refused with a layer that announces a huge size', async () => {
    const registry = await startPublished()
    changeManifest(registry, (manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], size: 1024 ** 4 }],
    }))
    await expect(pull(registry)).rejects.toThrow('expected at most')
  })

  it('is refused with a layer that is not a gzipped tar archive', async () => {
    const registry = await startPublished()
    replaceLayer(registry, Buffer.from('PK\u0003\u0004 is a zip archive'))
    await expect(pull(registry)).rejects.toThrow('not a gzipped tar archive')
  })

  it('is refused with a damaged layer', async () => {
    const registry = await startPublished()
    replaceLayer(registry, Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0), Buffer.alloc(40, 7)]))
    await expect(pull(registry)).rejects.toThrow(
      expect.objectContaining({ code: 'archive/invalid' }),
    )
  })

  it.each([
    ['layers of an unknown type', { mediaType: 'application/x-unknown' }, 'no layer with files'],
    ['a digest of another kind', { digest: 'md5:abc' }, 'SHA-256 digest'],
    ['a digest with a path', { digest: 'sha256:../../../etc/passwd' }, 'SHA-256 digest'],
    ['a size below zero', { size: -1 }, 'whole number'],
  ])('is refused with %s', async (_, change, message) => {
    const registry = await startPublished()
    changeManifest(registry, (manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], ...change }],
    }))
    await expect(pull(registry)).rejects.toThrow(message)
  })

  it('is refused with a document that is a manifest and an index', async () => {
    const registry = await startPublished()
    changeManifest(registry, (manifest) => ({ ...manifest, manifests: [] }))
    await expect(pull(registry)).rejects.toThrow('both layers and manifests')
  })

  it('is refused with another type in the header than in the document', async () => {
    const registry = await startPublished()
    registry.manifests.get('1.0.0')!.type = INDEX
    await expect(pull(registry)).rejects.toThrow('the registry says')
  })

  it('is refused with a key that is there twice', async () => {
    const registry = await startPublished()
    const { bytes, type } = registry.manifests.get('1.0.0')!
    const doubled = bytes.toString().replace('{', '{"layers":[],')
    registry.manifests.set('1.0.0', { type, bytes: Buffer.from(doubled) })
    await expect(pull(registry)).rejects.toThrow('is there twice')
  })

  it('does not make the client fetch other addresses of a layer', async () => {
    let isAsked = false
    const other = await listen(async (_, response) => {
      isAsked = true
      await Promise.resolve(response.end())
    })
    const registry = await startPublished()
    changeManifest(registry, (manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], urls: [`http://${other}/layer`] }],
    }))
    expect((await pull(registry)).files).toEqual(createFiles())
    expect(isAsked).toBe(false)
  })

  it('is refused with layers for files whose paths lead out', async () => {
    const registry = await startPublished()
    const bytes = Buffer.from('text')
    registry.blobs.set(digestOf(bytes), bytes)
    const layer = (title: string) => ({
      mediaType: 'text/markdown',
      digest: digestOf(bytes),
      size: bytes.length,
      annotations: { 'org.opencontainers.image.title': title },
    })
    const set = (...titles: string[]) =>
      changeManifest(registry, (manifest) => ({
        ...manifest,
        layers: titles.map((each) => layer(each)),
      }))
    set('SKILL.md', '../evil')
    await expect(pull(registry)).rejects.toThrow('leads out')
    set('SKILL.md', 'skill.MD')
    await expect(pull(registry)).rejects.toThrow('are one file')
    set('SKILL.md', 'notes.md')
    expect((await pull(registry)).files.map(({ path }) => path)).toEqual(['SKILL.md', 'notes.md'])
  })

  it('is refused with an index of several skills, and read with one of several platforms', async () => {
    const registry = await startPublished()
    const [first, second] = [await createArtifact(), await createArtifact('2.0.0', 'Two.')]
    await pushSkill(createClient(registry.host), { artifact: second, tag: '2.0.0' })
    const set = (...digests: string[]) => {
      const manifests = digests.map((digest) => ({ mediaType: MANIFEST, digest, size: 1 }))
      const document = { schemaVersion: 2, mediaType: INDEX, manifests }
      registry.manifests.set('1.0.0', { type: INDEX, bytes: Buffer.from(JSON.stringify(document)) })
    }
    set(first.digest, second.digest)
    await expect(pull(registry)).rejects.toThrow('has 2 skills')
    set()
    await expect(pull(registry)).rejects.toThrow('is empty')
    set(first.digest, first.digest)
    expect((await pull(registry)).files).toEqual(createFiles())
  })

  it('is refused with signatures of another subject', async () => {
    const registry = await startOciRegistry()
    const client = createClient(registry.host)
    const [artifact, other] = [await createArtifact(), await createArtifact('2.0.0')]
    const envelope = '{"payload":"e30=","payloadType":"text/plain","signatures":[{"sig":"YQ=="}]}'
    await pushSkill(client, { artifact, tag: '1.0.0', envelopes: Buffer.from(envelope) })
    await pushSkill(client, { artifact: other, tag: '2.0.0' })
    const tag = (digest: string) => digest.replace(':', '-')
    registry.manifests.set(tag(other.digest), registry.manifests.get(tag(artifact.digest))!)
    await expect(readAttestations(client, other.digest)).rejects.toThrow('another subject')
    expect(await readAttestations(client, artifact.digest)).toHaveLength(1)
  })
})

describe('credentials', () => {
  const basic = `Basic ${btoa('user:secret')}`
  const challenge = (realm: string) => ({ 'www-authenticate': `Bearer realm="${realm}"` })

  it('stay at the registry when it redirects to another one', async () => {
    const seen: (string | undefined)[] = []
    const storage = await startPublished(({ headers }) => {
      seen.push(headers.authorization)
      return false
    })
    const registry = await startPublished((request, response) => {
      if (request.headers.authorization !== basic) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="any"' }).end()
        return true
      }
      if (!request.url?.includes('/blobs/')) return false
      response.writeHead(307, { location: `http://${storage.host}${request.url}` }).end()
      return true
    })
    const { files } = await pullSkill(createClient(registry.host, LOGIN), '1.0.0')
    expect(files).toEqual(createFiles())
    expect(seen).toEqual([undefined])
    // The control: the registry itself got them.
    expect(registry.requests.some(({ authorization }) => authorization === basic)).toBe(true)
  })

  it('stay at the registry when its list of tags continues at another one', async () => {
    let isAsked = false
    const other = await listen(async (_, response) => {
      isAsked = true
      await Promise.resolve(response.end('{"tags":["2.0.0"]}'))
    })
    let next = `http://${other}/v2/tags`
    const registry = await startOciRegistry({
      intercept: ({ url, headers }, response) => {
        const isKnown = headers.authorization === basic
        const link = url === '/last' ? {} : { link: `<${next}>; rel="next"` }
        const login = { 'www-authenticate': 'Basic realm="any"' }
        response.writeHead(isKnown ? 200 : 401, isKnown ? link : login).end('{"tags":["1.0.0"]}')
        return true
      },
    })
    const client = createClient(registry.host, LOGIN)
    await expect(client.listTags()).rejects.toThrow('its list of tags continues at')
    expect(isAsked).toBe(false)
    // The control: the next page is at the registry itself.
    next = '/last'
    expect(await client.listTags()).toEqual(['1.0.0', '1.0.0'])
  })

  it('are not given to a server behind a redirect that asks for them', async () => {
    const seen: (string | undefined)[] = []
    const storage = await listen(async ({ headers }, response) => {
      seen.push(headers.authorization)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="any"' }).end()
      await Promise.resolve()
    })
    const registry = await startPublished((request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      response.writeHead(307, { location: `http://${storage}${request.url}` }).end()
      return true
    })
    await expect(pullSkill(createClient(registry.host, LOGIN), '1.0.0')).rejects.toThrow('denies')
    expect(seen).toEqual([undefined])
  })

  it('are not sent to a realm of another domain', async () => {
    const registry = await startPublished((_, response) => {
      response.writeHead(401, challenge('https://evil.example.com/token')).end()
      return true
    })
    const client = createClient(registry.host, LOGIN)
    await expect(pullSkill(client, '1.0.0')).rejects.toThrow('sent to "evil.example.com"')
  })

  it('are exchanged for a token of exactly this repository, at a realm of the same host', async () => {
    const asked: string[] = []
    const realm = await listen(async (request, response) => {
      asked.push(`${request.headers.authorization} ${request.url}`)
      await Promise.resolve(response.end('{"token":"short-lived"}'))
    })
    const registry = await startPublished(({ headers }, response) => {
      if (headers.authorization === 'Bearer short-lived') return false
      const wide = `Bearer realm="http://${realm}/token",service="s",scope="repository:other:push"`
      response.writeHead(401, { 'www-authenticate': wide }).end()
      return true
    })
    await pullSkill(createClient(registry.host, LOGIN), '1.0.0')
    const scope = encodeURIComponent(`repository:${REPOSITORY}:pull`)
    expect(asked).toEqual([`${basic} /token?service=s&scope=${scope}`])
  })

  it.each([
    ['http://10.0.0.1/token', 'expected https'],
    ['https://10.0.0.1/token', 'a private address'],
    ['https://169.254.169.254/latest', 'a metadata address'],
    ['file:///etc/passwd', 'expected https'],
  ])('an anonymous client does not ask the realm %s', async (realm, message) => {
    const registry = await startPublished((_, response) => {
      response.writeHead(401, challenge(realm)).end()
      return true
    })
    await expect(pull(registry)).rejects.toThrow(message)
  })

  it('are not sent with an upload to another server', async () => {
    let isAsked = false
    const other = await listen(async (_, response) => {
      isAsked = true
      await Promise.resolve(response.writeHead(201).end())
    })
    const registry = await startOciRegistry({
      intercept: (request, response) => {
        if (request.method !== 'POST') return false
        response.writeHead(202, { location: `http://${other}/upload` }).end()
        return true
      },
    })
    const push = pushSkill(createClient(registry.host, LOGIN), {
      artifact: await createArtifact(),
      tag: '1.0.0',
    })
    await expect(push).rejects.toThrow('sends the upload to')
    expect(isAsked).toBe(false)
  })

  it('a redirect to a metadata address is refused', async () => {
    const registry = await startPublished((request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      response.writeHead(302, { location: 'https://169.254.169.254/latest/meta-data' }).end()
      return true
    })
    await expect(pull(registry)).rejects.toThrow('a metadata address')
  })

  it('a redirect that never ends is refused', async () => {
    const registry = await startPublished((request, response) => {
      if (!request.url?.includes('/blobs/')) return false
      response.writeHead(302, { location: request.url }).end()
      return true
    })
    await expect(pull(registry)).rejects.toThrow('more than 5 redirects')
  })
})
