import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  addTrustedKey,
  removeTrustedKey,
  revokeTrustedKey,
} from '../../../src/core/signing/trust/change-trust.ts'
import { formatTrust, parseTrust } from '../../../src/core/signing/trust/parse-trust.ts'
import {
  matchesSource,
  parseSource,
  parseSourcePattern,
} from '../../../src/core/signing/trust/source.ts'
import { openTrustStore } from '../../../src/core/signing/trust/trust-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSigner, trustSigners } from './signed-skill.ts'

const alice = createSigner('alice', { expires: '2027-01-01T00:00:00.000Z' })
const bob = createSigner('bob', { isFirstUse: true })
const list = {
  ...trustSigners(alice, bob),
  rules: [{ source: 'github:acme/*', threshold: 2, keys: ['alice', 'bob'] }],
}

describe('a source', () => {
  it.each([
    ['github:Owner/Repo', 'github:owner/repo'],
    ['github:owner/repo/path@v1', 'github:owner/repo/path'],
    ['npm:@scope/pkg@1.0.0', 'npm:@scope/pkg'],
    ['npm:pkg', 'npm:pkg'],
    ['https://EXAMPLE.com:443/a/b.zip#sha256=00', 'https://example.com/a/b.zip'],
  ])('%s is %s', (text, source) => {
    expect(parseSource(text)).toBe(source)
  })

  it.each([
    ['github:owner/../evil', /".."/],
    ['github:owner//x', /empty/],
    ['github:owner/%2e%2e/x', /"%"/],
    ['https://user@example.com/x', /user name/],
    ['https://example.com/x?y=z', /query/],
    ['https://example.com/../x', /".."/],
    ['http://example.com/x', /expected one of/],
    ['github:', /empty/],
    ['owner/repo', /expected one of/],
    ['github:own\u0435r/x', /ASCII/],
    ['github:o*/x', /"\*"/],
  ])('%s is refused', (text, message) => {
    expect(() => parseSource(text)).toThrow(message)
  })

  it.each([
    ['github:alice/*', 'github:alice/skills', true],
    ['github:alice/*', 'github:alice/skills/greet@v2', true],
    ['github:alice/*', 'github:alicette/skills', false],
    ['github:alice/*', 'github:alice', false],
    ['github:alice', 'github:alice/skills', true],
    ['github:alice/skills', 'github:alice/skills-2', false],
    ['npm:@scope/*', 'npm:@scope/x@1.0.0', true],
    ['npm:@scope/*', 'npm:@scope2/x', false],
    ['https://a.example/skills/*', 'https://a.example/skills/x.zip', true],
    ['https://a.example/*', 'https://a.example.evil/x', false],
    ['*', 'npm:x', true],
  ])('the pattern %s matches %s: %s', (pattern, source, isMatch) => {
    expect(matchesSource(parseSourcePattern(pattern), parseSource(source))).toBe(isMatch)
  })

  it.each(['github:*/x', 'github:al*', 'https://*/x', '**', 'github:alice/*/x'])(
    'the pattern %s is refused',
    (pattern) => {
      expect(() => parseSourcePattern(pattern)).toThrow(/is not a source/)
    },
  )
})

describe('a trust list', () => {
  it('is the same after it was written and read', () => {
    expect(formatTrust(parseTrust(formatTrust(list), 'trust.json'))).toBe(formatTrust(list))
  })

  it.each<[string, [string, string], RegExp]>([
    ['an unknown key', ['"sources"', '"source"'], /expected one of the keys/],
    ['a key twice', ['"format": 1', '"format": 1, "format": 1'], /is there twice/],
    ['another format', ['"format": 1', '"format": 2'], /format is 2, expected 1/],
    ['a misspelt time', ['2027-01-01T', '2027-1-1T'], /expires is .*, expected a time/],
    ['a date that does not exist', ['2027-01-01T', '2027-13-01T'], /expected a time that exists/],
    [
      'a name of no key in a rule',
      ['"bob"\n      ]', '"bab"\n      ]'],
      /expected the name of a key/,
    ],
    ['a rule that no keys can fulfil', ['"threshold": 2', '"threshold": 3'], /at most the number/],
    ['a threshold of nothing', ['"threshold": 2', '"threshold": 0'], /expected a number from 1/],
    ['first_use that is not true', ['"first_use": true', '"first_use": false'], /expected true/],
    ['a pattern that is not valid', ['github:acme/*', 'github:*'], /expected a pattern/],
  ])('with %s is refused', (_, [from, to], message) => {
    const text = formatTrust(list)
    expect(text).toContain(from)
    expect(() => parseTrust(text.replace(from, to), 'trust.json')).toThrow(message)
  })

  it('that others can write to is refused', async () => {
    const file = join(createFolder(), 'skills', 'trust.json')
    const store = openTrustStore(file)
    expect(store.read().keys).toEqual([])
    await store.write(list)
    expect(store.read().keys).toHaveLength(2)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o666)
    expect(() => store.read()).toThrow(/Others can write to/)
    chmodSync(file, 0o600)
    chmodSync(join(file, '..'), 0o777)
    expect(() => store.read()).toThrow(/Others can write to/)
    chmodSync(join(file, '..'), 0o700)
    expect(store.read().keys).toHaveLength(2)
  })

  it('that is not a file or too large is refused', () => {
    const folder = createFolder({ 'large.json': 'x'.repeat(1024 ** 2 + 1) })
    mkdirSync(join(folder, 'trust.json'))
    expect(() => openTrustStore(join(folder, 'trust.json')).read()).toThrow(/is not a file/)
    expect(() => openTrustStore(join(folder, 'large.json')).read()).toThrow(/more than/)
  })

  it('is not replaced if another process changed it after it was read', async () => {
    const file = join(createFolder(), 'trust.json')
    const [first, second] = [openTrustStore(file), openTrustStore(file)]
    await first.write(list)
    second.read()
    const revoked = { since: '2026-11-20T00:00:00.000Z', reason: 'stolen' }
    await first.write(revokeTrustedKey(first.read(), 'alice', revoked).list)
    await expect(second.write(list)).rejects.toThrow(/was changed meanwhile/)
    expect(second.read().keys[0]?.revoked?.reason).toBe('stolen')
    await second.write({ ...second.read(), rules: [] })
    expect(first.read().rules).toEqual([])
  })

  it('is not replaced by one that could not be read again', async () => {
    const file = join(createFolder(), 'trust.json')
    const store = openTrustStore(file)
    await store.write(list)
    const broken = { ...list, rules: [{ source: 'x', threshold: 1 }] }
    await expect(store.write(broken)).rejects.toThrow(/expected a pattern/)
    expect(store.read().rules).toEqual(list.rules)
    writeFileSync(file, '{}')
    expect(() => store.read()).toThrow(/format is missing/)
  })
})

describe('a change of the trust list', () => {
  const revoked = { since: '2026-11-20T00:00:00.000Z', reason: 'stolen' }

  it('does not add or remove a revoked key', () => {
    const { list: after } = revokeTrustedKey(trustSigners(alice), 'alice', revoked)
    expect(() => addTrustedKey(after, alice.trusted)).toThrow(/is revoked: stolen/)
    expect(() => removeTrustedKey(after, 'alice')).toThrow(/is revoked, and stays listed/)
    expect(addTrustedKey(trustSigners(), alice.trusted).keys).toHaveLength(1)
  })

  it('does not give a known name to another key', () => {
    const impostor = createSigner('alice').trusted
    expect(() => addTrustedKey(list, impostor)).toThrow(/another key with the name "alice"/)
    const renamed = { ...alice.trusted, name: 'carol' }
    expect(() => addTrustedKey(list, renamed)).toThrow(/this key with the name "alice"/)
  })

  it('adds sources to a known key, and forgets its first use after a comparison', () => {
    const compared = { ...bob.trusted, sources: ['npm:@bob/*'], isFirstUse: false }
    const { keys } = addTrustedKey(list, compared)
    expect(keys[1]).toMatchObject({ sources: ['github:alice/*', 'npm:@bob/*'], isFirstUse: false })
  })

  it('does not remove a key that a rule names', () => {
    expect(() => removeTrustedKey(list, 'bob')).toThrow(/names "bob"/)
    expect(() => removeTrustedKey(list, 'bab')).toThrow(/has no key "bab"/)
  })
})
