import type { StoredKey } from '../../core/signing/keys/key-store.ts'
import { parseSourcePattern } from '../../core/signing/trust/source.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getListOption, getTextOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { formatTable } from '../ui/table.ts'
import { openUserKeys, openUserTrust } from '../signing/open-stores.ts'
import { askPassphrase, PASSPHRASE_OPTION } from '../signing/passphrase.ts'
import { ADD_TRUST } from '../signing/trust-add.ts'
import { describeRule, reportTrust, reportTrustedKey, toJsonRule } from '../signing/trust-view.ts'

const NAME_ARGUMENT = { syntax: '<name>', description: 'Name of the key' }

const NEW_KEY: CommandDefinition = {
  summary: 'Create a key pair',
  details: [
    'Create a key pair of Ed25519.',
    '',
    "- The private key is a file in the user's configuration folder that no",
    '  other user can read.',
    '- With --passphrase, the file is encrypted. The passphrase is asked for, or',
    '  read from --passphrase-fd or from SKILLS_KEY_PASSPHRASE.',
  ].join('\n'),
  arguments: [NAME_ARGUMENT],
  options: [
    { flags: '--passphrase', description: 'Encrypt the private key with a passphrase' },
    PASSPHRASE_OPTION,
  ],
  examples: [
    { command: 'skills keys new release', explains: 'Create a key, and print its id' },
    {
      command: 'skills keys new release --passphrase',
      explains: 'Create one that needs a passphrase to sign',
      notRun: 'it asks for a passphrase',
    },
  ],
  async run(context, call) {
    const [name = ''] = call.args
    const { requireKeyName } = await import('../../core/signing/keys/key-store.ts')
    requireKeyName(name)
    const isEncrypted =
      getFlagOption(call, 'passphrase') || getTextOption(call, 'passphraseFd') !== undefined
    const passphrase = isEncrypted
      ? await askPassphrase(context, call, { key: name, isNew: true })
      : undefined
    const key = await openUserKeys(context).create(name, passphrase)
    showKey(context, key)
    context.note(`The private key is in "${key.file}"`)
    if (!key.isEncrypted) context.note('It has no passphrase: access to the file is enough to sign')
    return 0
  },
}

const LIST_KEYS: CommandDefinition = {
  summary: "List one's own keys, or those that are trusted",
  options: [{ flags: '--trusted', description: 'List the trusted keys and the rules' }],
  examples: [
    { command: 'skills keys list', explains: "Show names and ids of one's own keys" },
    { command: 'skills keys list --trusted', explains: 'Show keys, sources and rules' },
  ],
  async run(context, call) {
    if (getFlagOption(call, 'trusted')) {
      reportTrust(context, openUserTrust(context).read())
      return 0
    }
    const keys = openUserKeys(context).list()
    if (context.global.json) context.document('skills.keys/v1', { keys: keys.map(toJsonKey) })
    else if (keys.length > 0) context.print(formatTable(keys.map(toRow), { columns: Infinity }))
    if (keys.length === 0) context.note('No keys; type "skills keys new <name>" to create one')
    return 0
  },
}

const EXPORT_KEY: CommandDefinition = {
  summary: 'Print a public key, for verification',
  arguments: [NAME_ARGUMENT],
  examples: [
    {
      command: 'skills keys export release > release.pub',
      explains: 'Write the public key to a file',
      notRun: 'it needs a key',
    },
  ],
  async run(context, call) {
    const key = openUserKeys(context).get(call.args[0] ?? '')
    const publicKey = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    if (context.global.json) {
      context.document('skills.key/v1', { key: { ...toJsonKey(key), public_key: publicKey } })
    } else context.print(publicKey.trimEnd())
    context.note(`Its id is ${key.id}: publish it where others can compare it`)
    return 0
  },
}

const REMOVE_KEY: CommandDefinition = {
  summary: 'Remove a key pair, or a trusted key',
  details: [
    'Remove a key pair. Signatures that it made stay valid.',
    '',
    '- If others had access to it, ask its users to revoke it.',
    '- With --trusted, a key of another person that is not revoked is no longer',
    '  trusted.',
  ].join('\n'),
  arguments: [NAME_ARGUMENT],
  options: [
    { flags: '-y, --yes', description: 'Remove it without a question' },
    { flags: '--trusted', description: 'Remove a trusted key, by its name or id' },
  ],
  examples: [
    {
      command: 'skills keys remove release --yes',
      explains: 'Remove a key without a question',
      notRun: 'it needs a key',
    },
    {
      command: 'skills keys remove --trusted alice',
      explains: 'Stop trusting a key',
      notRun: 'it needs a trusted key',
    },
  ],
  async run(context, call) {
    const [name = ''] = call.args
    if (getFlagOption(call, 'trusted')) return await removeTrusted(context, name)
    const keys = openUserKeys(context)
    const { id } = keys.get(name)
    await confirmRemoval(context, getFlagOption(call, 'yes'), name)
    const key = keys.remove(name)
    if (context.global.json) context.document('skills.key/v1', { key: toJsonKey(key) })
    else context.print(`removed ${name} ${id}`)
    return 0
  },
}

const REVOKE: CommandDefinition = {
  summary: 'Revoke a key: nothing that it signed is trusted',
  details: [
    'Revoke a key: nothing that it signed is trusted.',
    '',
    'This includes earlier signatures: a thief of the key can choose their time.',
  ].join('\n'),
  arguments: [{ syntax: '<name>', description: 'Name or id of a trusted key' }],
  options: [{ flags: '--reason <text>', description: 'Reason, which each verification shows' }],
  examples: [
    {
      command: 'skills keys revoke alice --reason "the laptop was stolen"',
      explains: 'Revoke a key',
      notRun: 'it needs a trusted key',
    },
  ],
  async run(context, call) {
    const reason = getTextOption(call, 'reason')
    if (!reason?.trim()) {
      throw new SkillsError('usage/invalid', 'Missing the reason of the revocation', {
        hint: 'Pass --reason <text>, which each verification shows',
      })
    }
    const { revokeTrustedKey } = await import('../../core/signing/trust/change-trust.ts')
    const store = openUserTrust(context)
    const since = new Date().toISOString()
    const { list, key } = revokeTrustedKey(store.read(), call.args[0] ?? '', { since, reason })
    await store.write(list)
    reportTrustedKey(context, key)
    return 0
  },
}

const RULE: CommandDefinition = {
  summary: 'Require several keys for sources of skills',
  details: [
    'Require several keys for sources of skills.',
    '',
    '- Without --key, all keys count that are trusted for the source.',
    '- A key counts once, whatever the number of its signatures.',
    '- If several rules apply, all of them must be fulfilled.',
  ].join('\n'),
  arguments: [{ syntax: '<pattern>', description: 'Sources, such as "github:owner/*"' }],
  options: [
    { flags: '--threshold <number>', description: 'Number of keys that have to sign' },
    { flags: '--key <name>', description: 'Count only this key (repeatable)', isRepeatable: true },
    { flags: '--remove', description: 'Remove the rule of these sources' },
  ],
  examples: [
    {
      command: "skills keys rule 'github:acme/*' --threshold 2 --key alice --key bob",
      explains: 'Require the signatures of two people',
      notRun: 'it needs trusted keys',
    },
  ],
  async run(context, call) {
    const source = parseSourcePattern(call.args[0] ?? '')
    const { removeTrustRule, setTrustRule } =
      await import('../../core/signing/trust/change-trust.ts')
    const store = openUserTrust(context)
    if (getFlagOption(call, 'remove')) {
      await store.write(removeTrustRule(store.read(), source))
      if (context.global.json) context.document('skills.trust-rule/v1', { removed: source })
      else context.print(`removed the rule of ${source}`)
      return 0
    }
    const threshold = Number(getTextOption(call, 'threshold') ?? '')
    if (!Number.isInteger(threshold) || threshold < 1) {
      throw new SkillsError('usage/invalid', 'Missing the number of keys of the rule', {
        hint: 'Pass --threshold 2, or --remove',
      })
    }
    const keys = getListOption(call, 'key')
    const rule = { source, threshold, ...(keys.length > 0 && { keys }) }
    await store.write(setTrustRule(store.read(), rule))
    if (context.global.json) context.document('skills.trust-rule/v1', { rule: toJsonRule(rule) })
    else context.print(describeRule(rule))
    return 0
  },
}

export const command: CommandDefinition = {
  summary: 'Manage your own keys, and those that you trust',
  details: [
    'Manage your own keys, which sign skills, and those that you trust.',
    '',
    "- The trusted keys are in trust.json in the user's configuration folder.",
    '  Nothing in a skill, an archive or a project can change them.',
    '- "skills sign" signs with your own keys, "skills verify" checks by the',
    '  trusted ones.',
  ].join('\n'),
  subcommands: {
    new: NEW_KEY,
    list: LIST_KEYS,
    export: EXPORT_KEY,
    trust: ADD_TRUST,
    revoke: REVOKE,
    rule: RULE,
    remove: REMOVE_KEY,
  },
}

async function removeTrusted(context: Context, name: string): Promise<number> {
  const { removeTrustedKey } = await import('../../core/signing/trust/change-trust.ts')
  const store = openUserTrust(context)
  const { list, key } = removeTrustedKey(store.read(), name)
  await store.write(list)
  reportTrustedKey(context, key)
  return 0
}

async function confirmRemoval(context: Context, isConfirmed: boolean, name: string): Promise<void> {
  if (isConfirmed) return
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `Removing "${name}" needs a confirmation`, {
      hint: 'Pass --yes: a removed private key cannot be restored',
    })
  }
  const message = `Remove the private key ${name}? It cannot be restored`
  if (await confirmByPrompt(context, { message, initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was removed')
}

function showKey(context: Context, key: StoredKey): void {
  if (context.global.json) context.document('skills.key/v1', { key: toJsonKey(key) })
  else context.print(`${key.name} ${key.id}`)
}

function toRow({ name, id, isEncrypted }: StoredKey): string[] {
  return [name, id, isEncrypted ? 'with passphrase' : '']
}

function toJsonKey({ name, id, file, isEncrypted }: StoredKey) {
  return { name, id, file, encrypted: isEncrypted }
}
