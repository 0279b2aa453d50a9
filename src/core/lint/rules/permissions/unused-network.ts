import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { locateInToml, listParsedPython } from '../../skill-facts.ts'
import { findNetworkModule } from '../../python/network-modules.ts'
import { STANDARD_MODULES } from '../../python/standard-modules.ts'

export const UNUSED_NETWORK: Rule = {
  id: 'permissions/unused-network',
  severity: 'info',
  what: 'permissions.network is declared but the code imports no network library',
  why: 'A permission that is not needed is a risk without benefit, and operators hesitate to grant it.',
  example: {
    ...createNetworkExample('https://api.example.com'),
    bad: {
      ...createNetworkExample('https://api.example.com').bad,
      'code/main.py': 'def main(args):\n    return {"who": args.get("who")}\n',
    },
  },
  fix: 'Remove the entries.',
  needsPython: true,
  check(skill, report) {
    const files = listParsedPython(skill)
    if (skill.manifest.permissions.network.length === 0 || files.length === 0) return
    const imports = files.flatMap(({ facts }) => facts.imports)
    // A third-party package may use the network itself.
    const known = imports.every(
      ({ module, level }) =>
        level > 0 ||
        STANDARD_MODULES.has(module.split('.')[0] as string) ||
        /^(?:runtime|__future__)$/.test(module),
    )
    if (!known || imports.some((each) => findNetworkModule(each) !== undefined)) return
    report({
      ...locateInToml(skill, ['permissions', 'network'], 'key'),
      message: 'The network is declared, but no file imports a network library',
      help: 'Remove permissions.network',
    })
  },
}
