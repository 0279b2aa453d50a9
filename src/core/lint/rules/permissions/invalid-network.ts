import type { Rule } from '../../rule.ts'
import { createExampleToml, EXAMPLE_TABLES } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { MAX_PORTS, parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'

export const INVALID_NETWORK: Rule = {
  id: 'permissions/invalid-network',
  severity: 'error',
  what: 'An entry of permissions.network is not a valid address',
  why: 'The runtime rejects a skill with entries that it does not understand.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        `${EXAMPLE_TABLES}\n[permissions]\nnetwork = ["api.example.com"]\n`,
      ),
      'code/main.py':
        'import urllib.request\n\n\ndef main(args):\n    return {"who": args.get("who")}\n',
    },
    good: {},
  },
  fix: 'Write scheme and host, such as https://api.example.com or https://*.example.com.',
  check(skill, report) {
    const ports = new Set<number>()
    for (const [index, entry] of skill.manifest.permissions.network.entries()) {
      const parsed = parseNetworkEntry(entry)
      if (!('problem' in parsed)) {
        ports.add(parsed.port)
        continue
      }
      report({
        ...locateInToml(skill, ['permissions', 'network', index]),
        message: `${quoteValue(entry)} is not a valid network entry: ${parsed.problem}`,
        help: parsed.suggestion
          ? `Write "${parsed.suggestion}"`
          : 'Write it as https://host or https://*.host',
      })
    }
    if (ports.size > MAX_PORTS)
      report({
        ...locateInToml(skill, ['permissions', 'network'], 'key'),
        message: `The entries use ${ports.size} different ports, expected at most ${MAX_PORTS}`,
        help: 'Use fewer ports',
      })
  },
}
