import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { coversEntry, parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const DUPLICATE_NETWORK: Rule = {
  id: 'permissions/duplicate-network',
  severity: 'warning',
  what: 'A network entry is repeated or is covered by another one',
  why: 'It has no effect and makes the list harder to review.',
  example: createNetworkExample('https://*.example.com", "https://api.example.com'),
  fix: 'Remove the narrower entry, or the broader one if it is not needed.',
  check(skill, report) {
    const entries = skill.manifest.permissions.network.map((text) => ({
      text,
      parsed: parseNetworkEntry(text),
    }))
    for (const [index, { text, parsed }] of entries.entries()) {
      if ('problem' in parsed) continue
      const other = entries.find(
        ({ parsed: wider }, at) =>
          at !== index &&
          !('problem' in wider) &&
          coversEntry(wider, parsed) &&
          (at < index || !coversEntry(parsed, wider)),
      )
      if (other)
        report({
          ...locateInToml(skill, ['permissions', 'network', index]),
          message: `${quoteValue(text)} is already covered by ${quoteValue(other.text)}`,
          help: 'Remove one of them',
        })
    }
  },
}
