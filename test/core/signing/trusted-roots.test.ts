import { describe, expect, it } from 'vitest'
import {
  createStatement,
  openRoot,
  signProvenance,
  summarize,
  verifyPackage,
} from './attestation-fixtures.ts'
import { startAuthority } from './sigstore-authority.ts'

describe('the certificate of a bundle', () => {
  const minutes = (count: number) => new Date(Date.now() - count * 60_000)

  it.each([
    ['that expired before the signature', minutes(60), 'invalid'],
    ['that is not valid yet', minutes(-60), 'invalid'],
    ['that is valid at the time of the signature, the control', minutes(1), 'trusted'],
  ])('%s', async (_, issuedAt, state) => {
    const authority = await startAuthority({ issuedAt })
    const bundle = await authority.sign(createStatement())
    const sigstore = await openRoot(authority.root)
    expect(verifyPackage([bundle], { sigstore }).attestations).toMatchObject([{ state }])
  })

  it('has to be logged if the instance has a log of certificates', async () => {
    const { authority, bundle, sigstore } = await signProvenance()
    const root = JSON.parse(authority.root) as { tlogs: unknown[] }
    const strict = await openRoot(JSON.stringify({ ...root, ctlogs: root.tlogs }))
    const found = verifyPackage([bundle], { sigstore: strict })
    expect(summarize(found)).toEqual(['untrusted', 'invalid'])
    expect(found.attestations[0]?.problem).toContain('expected 1 SCTs, got 0')
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
  })
})

describe('an instance without a log', () => {
  it('verifies by the times of its authority, and not without them', async () => {
    const authority = await startAuthority({ witness: 'timestamps' })
    const sigstore = await openRoot(authority.root)
    const bundle = await authority.sign(createStatement())
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
    const timeless = bundle.replace(/"rfc3161Timestamps":\[.*?\]/, '"rfc3161Timestamps":[]')
    expect(timeless).not.toBe(bundle)
    expect(summarize(verifyPackage([timeless], { sigstore }))).toEqual(['untrusted', 'invalid'])
  })
})

describe('an instance with a log and an authority of time', () => {
  it('demands an entry of the log, whatever time a bundle has', async () => {
    const authority = await startAuthority({ witness: 'timestamps' })
    const bundle = await authority.sign(createStatement())
    const { tlogs } = JSON.parse((await startAuthority()).root) as { tlogs: unknown[] }
    const root = JSON.stringify({ ...(JSON.parse(authority.root) as object), tlogs })
    const found = verifyPackage([bundle], { sigstore: await openRoot(root) })
    expect(summarize(found)).toEqual(['untrusted', 'invalid'])
    expect(found.attestations[0]?.problem).toContain('expected 1 tlog entries, got 0')
    const plain = verifyPackage([bundle], { sigstore: await openRoot(authority.root) })
    expect(summarize(plain)).toEqual(['verified', 'trusted'])
  })
})

describe('a file with the roots of several instances', () => {
  it('verifies bundles of each, and none that is valid for none', async () => {
    const [one, two] = [await startAuthority(), await startAuthority({ witness: 'timestamps' })]
    const sigstore = await openRoot(`${one.root}\n${two.root}\n`)
    const third = await (await startAuthority()).sign(createStatement())
    for (const authority of [one, two]) {
      const bundle = await authority.sign(createStatement())
      expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
    }
    expect(summarize(verifyPackage([third], { sigstore }))).toEqual(['untrusted', 'invalid'])
  })

  it('does not add up: certificates of one, and times or logs of the other', async () => {
    const [one, two] = [await startAuthority(), await startAuthority({ witness: 'timestamps' })]
    const bundle = await one.sign(createStatement())
    const sigstore = await openRoot(`${one.root}\n${two.root}\n`)
    const unlogged = bundle.replace(/"tlogEntries":\[.*?\}\],/, '"tlogEntries":[],')
    expect(summarize(verifyPackage([unlogged], { sigstore }))).toEqual(['untrusted', 'invalid'])
    expect(summarize(verifyPackage([bundle], { sigstore }))).toEqual(['verified', 'trusted'])
  })

  it('with a line that is no root is refused, and names the line', async () => {
    const { root } = await startAuthority()
    await expect(openRoot(`${root}\n{}\n`)).rejects.toThrow(/line 2: mediaType is missing/)
    await expect(openRoot('')).rejects.toThrow('it is empty')
    await expect(openRoot(`${root}\n`.repeat(9))).rejects.toThrow('more than 8 lines')
  })
})
