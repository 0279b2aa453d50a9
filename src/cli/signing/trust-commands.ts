import { parseSourcePattern } from '../../core/signing/trust/source.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getListOption, getTextOption, type CommandDefinition } from '../command.ts'
import { openUserTrust } from './open-stores.ts'
import { describeRule, reportTrustedKey, toJsonRule } from './trust-view.ts'

const KEY_ARGUMENT = { syntax: '<name>', description: 'Name or id of a key of the list' }

export const REVOKE_TRUST: CommandDefinition = {
  summary: 'Revoke a key: nothing that it signed is trusted',
  details: [
    'Revoke a key: nothing that it signed is trusted.',
    '',
    'This includes earlier signatures: a thief of the key can choose their time.',
  ].join('\n'),
  arguments: [KEY_ARGUMENT],
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

export const TRUST_RULE: CommandDefinition = {
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
