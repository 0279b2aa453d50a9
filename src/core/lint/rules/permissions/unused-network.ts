import type { Rule } from '../../rule.ts'
import { createNetworkExample } from '../../example-skill.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { locateInToml } from '../../skill-facts.ts'

export const UNUSED_NETWORK: Rule = {
  id: 'permissions/unused-network',
  severity: 'info',
  what: 'permissions.network is declared but the code does not use the network',
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
    const files = listCodeUses(skill)
    if (skill.manifest.permissions.network.length === 0 || files.length === 0) return
    if (files.some((each) => each.network !== undefined || each.mayUseNetwork)) return
    report({
      ...locateInToml(skill, ['permissions', 'network'], 'key'),
      message: 'The network is declared, but no file uses it',
      help: 'Remove permissions.network',
    })
  },
}
