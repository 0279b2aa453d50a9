import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { parseSourcePattern } from '../../core/signing/trust/source.ts'
import type { TrustedSigner } from '../../core/signing/trust/trust-list.ts'
import { SkillsError } from '../../errors.ts'
import { readStreamUpTo, readUpTo } from '../../util/bytes/read-up-to.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandDefinition,
  type CommandLine,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openUserKeys, openUserTrust } from './open-stores.ts'
import { reportTrustedKey } from './trust-view.ts'

const MAX_KEY_BYTES = 16 * 1024

export const ADD_TRUST: CommandDefinition = {
  summary: 'Trust a key for sources of skills',
  details: [
    'Trust a key for sources of skills.',
    '',
    '- Compare the id of the key with one from another channel, such as the page',
    '  of its owner, and pass it with --key-id.',
    '- --first-use accepts a key without a comparison: the sender of the file',
    '  could have chosen the key. The list and each verification show this.',
    '- Sources are patterns such as "github:owner/*", "https://host/path/*",',
    '  "npm:@scope/*", or "*" for all sources.',
  ].join('\n'),
  arguments: [
    { syntax: '[key]', description: 'File of a public key, - for stdin, or a name with --own' },
  ],
  options: [
    { flags: '--name <name>', description: 'Name of the key in the list' },
    {
      flags: '--source <pattern>',
      description: 'Trust it for these sources (repeatable)',
      isRepeatable: true,
    },
    { flags: '--key-id <id>', description: 'Id that the key must have: sha256:<hex>' },
    { flags: '--first-use', description: 'Accept the key without a comparison of its id' },
    { flags: '--own', description: "Trust a key of one's own, by its name" },
    {
      flags: '--identity <pattern>',
      description: 'Trust the holder of certificates of sigstore, such as a workflow',
    },
    { flags: '--issuer <url>', description: 'Issuer of the identity' },
    {
      flags: '--expires <date>',
      description: 'Stop trusting it at this time: 2027-01-31, or 2027-01-31T08:00:00Z',
    },
  ],
  examples: [
    {
      command:
        "skills keys trust alice.pub --name alice --source 'github:alice/*' --key-id sha256:…",
      explains: 'Trust a key whose id was compared',
      notRun: 'it needs a key',
    },
    {
      command: "skills keys trust release --own --source '*'",
      explains: "Trust one's own key",
      notRun: 'it needs a key',
    },
  ],
  async run(context, call) {
    const key = await readTrustedKey(context, call)
    const { addTrustedKey } = await import('../../core/signing/trust/change-trust.ts')
    const store = openUserTrust(context)
    const list = addTrustedKey(store.read(), key)
    await store.write(list)
    reportTrustedKey(context, list.keys.find(({ id }) => id === key.id) ?? key)
    if (key.isFirstUse) {
      context.note(`Nothing confirms that this key is that of "${key.name}": compare ${key.id}`)
    }
    return 0
  },
}

async function readTrustedKey(context: Context, call: CommandLine): Promise<TrustedSigner> {
  const sources = getListOption(call, 'source').map(parseSourcePattern)
  if (sources.length === 0) {
    throw new SkillsError('usage/invalid', 'Missing the sources that the key may sign for', {
      hint: "Pass --source 'github:owner/*', or --source '*' for all",
    })
  }
  const [reference] = call.args
  const identity = getTextOption(call, 'identity')
  if (identity !== undefined) return await readIdentity(call, identity, sources)
  if (reference === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the file of the key', {
      hint: 'Pass the file of a public key, or --identity with --issuer',
    })
  }
  const isOwn = getFlagOption(call, 'own')
  const found = isOwn ? openUserKeys(context).get(reference) : await readKeyFile(context, reference)
  const { id, publicKey } = found
  const name = getTextOption(call, 'name') ?? (isOwn ? reference : undefined)
  if (name === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the name of the key', {
      hint: 'Pass --name <name>',
    })
  }
  const { requireKeyName } = await import('../../core/signing/keys/key-store.ts')
  const isFirstUse = checkComparison(call, id, isOwn)
  const expires = readExpiry(call)
  return {
    id,
    publicKey,
    name: requireKeyName(name),
    sources,
    isFirstUse,
    ...(expires !== undefined && { expires }),
  }
}

async function readIdentity(
  call: CommandLine,
  identity: string,
  sources: readonly string[],
): Promise<TrustedSigner> {
  const { formatIdentityId, parseIdentityPattern, parseIssuer } =
    await import('../../core/signing/trust/identity.ts')
  const { requireKeyName } = await import('../../core/signing/keys/key-store.ts')
  const [issuer, name] = [getTextOption(call, 'issuer'), getTextOption(call, 'name')]
  if (issuer === undefined || name === undefined || call.args.length > 0) {
    throw new SkillsError('usage/invalid', '--identity needs --issuer and --name, and no key', {
      hint: 'For workflows of GitHub: --issuer https://token.actions.githubusercontent.com',
    })
  }
  const found = { identity: parseIdentityPattern(identity), issuer: parseIssuer(issuer) }
  const expires = readExpiry(call)
  return {
    ...found,
    id: formatIdentityId(found),
    name: requireKeyName(name),
    sources,
    isFirstUse: false,
    ...(expires !== undefined && { expires }),
  }
}

async function readKeyFile(context: Context, reference: string) {
  const bytes =
    reference === '-'
      ? await readStreamUpTo(context.stdin as Readable, MAX_KEY_BYTES)
      : readFileUpTo(resolve(context.cwd, reference), reference)
  if (!bytes) {
    throw new SkillsError('key/unusable', `"${reference}" is longer than a public key`)
  }
  const { parseTrustedKey } = await import('../../core/signing/keys/verification-key.ts')
  return parseTrustedKey(bytes.toString('utf8'), reference)
}

function readFileUpTo(path: string, shown: string): Buffer | undefined {
  try {
    return readUpTo(path, MAX_KEY_BYTES)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('file/not-found', `Cannot read the key "${shown}" (${reason})`, {
      hint: "Pass the file of a public key, or --own with the name of one's own key",
      cause,
    })
  }
}

/** True if the key is accepted on first use; throws without a decision. */
function checkComparison(call: CommandLine, id: string, isOwn: boolean): boolean {
  const expected = getTextOption(call, 'keyId')
  const isFirstUse = getFlagOption(call, 'firstUse')
  if (expected !== undefined && !/^sha256:[0-9a-f]{64}$/.test(expected)) {
    throw new SkillsError('usage/invalid', `--key-id "${expected}" is not the whole id of a key`, {
      hint: 'Write sha256: and 64 hexadecimal digits, as "skills keys list" of its owner prints them',
    })
  }
  if (expected !== undefined && expected !== id) {
    throw new SkillsError('key/unusable', `The key has the id ${id}, expected ${expected}`, {
      hint: 'Do not use this file: it is the key of someone else',
    })
  }
  if (expected !== undefined || isOwn) return false
  if (isFirstUse) return true
  throw new SkillsError('usage/invalid', `The key has the id ${id}, which was not compared`, {
    hint: 'Compare it with its owner and pass --key-id, or pass --first-use to skip this',
  })
}

function readExpiry(call: CommandLine): string | undefined {
  const text = getTextOption(call, 'expires')
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new SkillsError('usage/invalid', `Expected a date for --expires, got "${text}"`, {
    hint: 'Write it as 2027-01-31, or 2027-01-31T08:00:00Z',
  })
}
