import type { Rule } from '../../rule.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { toNetworkEntry } from '../../code/network-origin.ts'

export const UNDECLARED_NETWORK: Rule = {
  id: 'permissions/undeclared-network',
  severity: 'error',
  what: 'The code uses the network but permissions.network is empty',
  why: 'A run has no network unless it is declared, so every request fails.',
  example: {
    bad: {
      'code/main.py':
        'import urllib.request\n\n\ndef main(args):\n    return {"who": urllib.request.urlopen(args["who"]).read().decode()}\n',
    },
    good: {},
  },
  fix: 'Declare the hosts in permissions.network, or remove the import or the request.',
  needsPython: true,
  check(skill, report) {
    if (skill.manifest.permissions.network.length > 0) return
    for (const { file, network, requests } of listCodeUses(skill)) {
      if (!network) continue
      const origin = requests.find((each) => each.origin !== undefined)?.origin
      report({
        file,
        span: network.span,
        message: `"${network.name}" needs the network, but permissions.network is empty`,
        help: `Add [permissions] network = ["${toNetworkEntry(origin) ?? 'https://host'}"]`,
      })
    }
  },
}
