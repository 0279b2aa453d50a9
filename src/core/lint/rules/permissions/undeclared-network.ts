import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'
import { findNetworkModule } from '../../python/network-modules.ts'

export const UNDECLARED_NETWORK: Rule = {
  id: 'permissions/undeclared-network',
  severity: 'error',
  what: 'The code imports a network library but permissions.network is empty',
  why: 'A run has no network unless it is declared, so every request fails.',
  example: {
    bad: {
      'code/main.py':
        'import urllib.request\n\n\ndef main(args):\n    return {"who": urllib.request.urlopen(args["who"]).read().decode()}\n',
    },
    good: {},
  },
  fix: 'Declare the hosts in permissions.network, or remove the import.',
  needsPython: true,
  check(skill, report) {
    if (skill.manifest.permissions.network.length > 0) return
    for (const { file, facts } of listParsedPython(skill)) {
      const found = facts.imports.find((each) => findNetworkModule(each) !== undefined)
      if (found)
        report({
          file,
          span: found.span,
          message: `"${findNetworkModule(found)}" needs the network, but permissions.network is empty`,
          help: 'Add [permissions] network = ["https://host"]',
        })
    }
  },
}
