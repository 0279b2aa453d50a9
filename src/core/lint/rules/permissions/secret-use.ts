import { isPlainObject, toPlainObject } from '../../../skills/manifest/plain-objects.ts'
import type { Plain } from '../../../skills/manifest/manifest.ts'
import { coversEntry, parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'
import { createSecretsExample, createSecretUseToml } from '../../example-skill.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
import { getTable, locateInToml, quoteValue } from '../../skill-facts.ts'

const EXAMPLE = createSecretsExample('', '').good

export const SECRET_USE: Rule = {
  id: 'permissions/secret-use',
  severity: 'error',
  what: 'The hosts or places of a secret are not valid, or the skill cannot reach a host',
  why: 'The runtime rejects a use that it does not understand, and a run reaches only the hosts of permissions.network.',
  example: {
    bad: {
      ...EXAMPLE,
      'skill.toml': createSecretUseToml('CRM_KEY = "https://crm.example.com"', []),
    },
    good: {
      ...EXAMPLE,
      'skill.toml': createSecretUseToml('CRM_KEY = "https://crm.example.com"', [
        'https://*.example.com',
      ]),
    },
  },
  fix: 'Write hosts such as https://api.example.com, which permissions.network lists as well, and places such as "header:Authorization".',
  check(skill, report) {
    for (const { path, message } of skill.problems) {
      if (path[0] !== 'permissions' || path[1] !== 'secrets') continue
      report({
        ...locateInToml(skill, path, 'key'),
        message,
        help: 'Write for example { hosts = ["https://api.example.com"], in = ["header:Authorization"] }',
      })
    }
    const allowed = skill.manifest.permissions.network.map(parseNetworkEntry)
    for (const [path, host] of listHosts(skill)) {
      const entry = parseNetworkEntry(host)
      if ('problem' in entry) continue
      if (allowed.some((each) => !('problem' in each) && coversEntry(each, entry))) continue
      report({
        ...locateInToml(skill, path),
        message: `The secret "${path[2]}" is for ${quoteValue(host)}, which permissions.network does not list`,
        help: `Add ${quoteValue(host)} to permissions.network`,
      })
    }
  },
}

/** Hosts of the valid uses, with their paths in the form that the author wrote. */
function listHosts(skill: LintedSkill): [path: (string | number)[], host: string][] {
  const written = toPlainObject(getTable(skill, 'permissions')['secrets'])
  return Object.entries(skill.manifest.permissions.secretUses ?? {}).flatMap(
    ([name, { hosts }]) => {
      const path = ['permissions', 'secrets', name]
      const value: Plain | undefined = written[name]
      const [base, list] = isPlainObject(value)
        ? [[...path, 'hosts'], value['hosts']]
        : [path, value]
      return hosts.map((host, index): [(string | number)[], string] => [
        Array.isArray(list) ? [...base, index] : base,
        host,
      ])
    },
  )
}
