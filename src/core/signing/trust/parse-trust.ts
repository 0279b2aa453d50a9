import { SkillsError } from '../../../errors.ts'
import { parsePlain, parseStrictJson, type JsonValue } from '../envelope/strict-json.ts'
import { KEY_NAME } from '../keys/key-store.ts'
import { formatVerificationKey, parseTrustedKey } from '../keys/verification-key.ts'
import { parseSourcePattern } from './source.ts'
import { formatIdentityId, parseIdentityPattern, parseIssuer } from './identity.ts'
import { isTrustedKey, type TrustedSigner, type TrustList, type TrustRule } from './trust-list.ts'

const FORMAT = 1
const MAX_KEYS = 256
const MAX_RULES = 256
const MAX_SOURCES = 256

/** Parses a trust list strictly: an unknown key could be a misspelt restriction. */
export function parseTrust(text: string, file: string): TrustList {
  const refuse = (problem: string) => invalidTrustError(file, problem)
  const root = parseStrictJson(text, refuse).only('format', 'keys', 'rules')
  if (root.at('format').value !== FORMAT) throw root.at('format').refuse(String(FORMAT))
  const keys = root.at('keys').list(MAX_KEYS).map(parseTrustedSigner)
  const names = new Set(keys.map(({ name }) => name))
  const ids = new Set(keys.map(({ id }) => id))
  if (names.size < keys.length) throw refuse('two keys have one name')
  if (ids.size < keys.length) throw refuse('one key has two names')
  const rules = root
    .at('rules')
    .list(MAX_RULES)
    .map((rule) => parseTrustRule(rule, names))
  return { keys, rules }
}

function parseTrustedSigner(entry: JsonValue): TrustedSigner {
  const isIdentity = !entry.at('identity').isAbsent
  entry.only('name', 'sources', 'expires', 'revoked', ...(isIdentity ? IDENTITY_KEYS : KEY_KEYS))
  const name = entry.at('name').matching(KEY_NAME, 'a name such as "release-2026"')
  const [expires, revoked, first] = ['expires', 'revoked', 'first_use'].map((key) => entry.at(key))
  if (first && !first.isAbsent && first.value !== true) throw first.refuse('true')
  revoked?.only('since', 'reason')
  return {
    ...(isIdentity ? parseIdentity(entry) : parseKey(entry, name)),
    name,
    sources: entry.at('sources').list(MAX_SOURCES).map(parsePattern),
    isFirstUse: first?.isAbsent === false,
    ...(expires?.isAbsent === false && { expires: expires.time() }),
    ...(revoked?.isAbsent === false && {
      revoked: { since: revoked.at('since').time(), reason: revoked.at('reason').text() },
    }),
  }
}

const KEY_KEYS = ['key', 'first_use']
const IDENTITY_KEYS = ['identity', 'issuer']

function parseKey(entry: JsonValue, name: string) {
  return parsePlain(entry.at('key'), 'a public key', (text) => parseTrustedKey(text, name))
}

function parseIdentity(entry: JsonValue) {
  const found = {
    identity: parsePlain(entry.at('identity'), 'an identity', parseIdentityPattern),
    issuer: parsePlain(entry.at('issuer'), 'the URL of an issuer', parseIssuer),
  }
  return { ...found, id: formatIdentityId(found) }
}

function parseTrustRule(entry: JsonValue, names: ReadonlySet<string>): TrustRule {
  entry.only('source', 'threshold', 'keys')
  const [threshold, keys] = [entry.at('threshold'), entry.at('keys')]
  if (threshold.count() < 1) throw threshold.refuse('a number from 1')
  const listed = keys.isAbsent ? undefined : keys.list(MAX_KEYS)
  for (const each of listed ?? []) {
    if (!names.has(each.text())) throw each.refuse('the name of a key of this list')
  }
  const counted = listed?.map((each) => each.text())
  if (counted && new Set(counted).size < threshold.count()) {
    throw threshold.refuse(`at most the number of its keys, ${new Set(counted).size}`)
  }
  return {
    source: parsePattern(entry.at('source')),
    threshold: threshold.count(),
    ...(counted && { keys: counted }),
  }
}

function parsePattern(value: JsonValue): string {
  return parsePlain(value, 'a pattern such as "github:owner/*"', parseSourcePattern)
}

export function formatTrust({ keys, rules }: TrustList): string {
  const document = {
    format: FORMAT,
    keys: keys.map((key) => ({
      name: key.name,
      ...(isTrustedKey(key)
        ? { key: formatVerificationKey(key) }
        : { identity: key.identity, issuer: key.issuer }),
      sources: key.sources,
      ...(key.expires !== undefined && { expires: key.expires }),
      ...(key.revoked && { revoked: key.revoked }),
      ...(key.isFirstUse && { first_use: true }),
    })),
    rules: rules.map(({ source, threshold, keys: names }) => ({
      source,
      threshold,
      ...(names && { keys: names }),
    })),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function invalidTrustError(file: string, problem: string): SkillsError {
  return new SkillsError('trust/invalid', `The trust list "${file}" is not valid: ${problem}`, {
    hint: 'Correct the file: until then, no signature is verified',
  })
}
