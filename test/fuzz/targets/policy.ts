import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import { matchesList } from '../../../src/core/policy/match.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowErrors, expectThat } from './expect.ts'

/** Policies of an operator and of a hostile project. */
export const target: FuzzTarget = {
  name: 'policy',
  format: 'text',
  seeds: [
    '[allow]\nskills = ["demo.*"]\nnetwork = ["https://*.example.com"]\n[limits]\ntimeout = "30s"\n',
    '[[rules]]\nname = "r"\nrefuse = "no"\n[rules.when]\nlonger_than = "1m"\nskills = ["!a"]\n',
    '[deny]\nexecutables = ["rm", "/bin/*"]\ncwd = ["src/**"]\nenvironment = ["A_*"]\n',
    '[allow]\nskills = ["a"]\nlanguages = []\n',
    '[approval]\ncommand = ["ask"]\ntimeout = "10s"\n',
  ],
  words: [
    '[allow]\n',
    '[deny]\n',
    '[limits]\n',
    '[[rules]]\n',
    '[rules.when]\n',
    '[approval]\n',
    'skills = ',
    'network = ',
    'languages = ',
    'executables = ',
    'secrets = ',
    'callers = ',
    'name = "a"\n',
    'refuse = "b"\n',
    'approve = true\n',
    'output = "1MiB"\n',
    '["*"]',
    '[]\n',
    '["!x"]',
    'doors = ["cli"]\n',
    'repositories = []\n',
    'webhook = "https://a"\n',
    'environment = ',
  ],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    for (const trust of ['operator', 'project'] as const) {
      const parsed = allowErrors(() => parsePolicy('p.toml', text, trust))
      if (!parsed) continue
      expectThat(trust === 'operator' || !parsed.approval, "a project's policy has no hook")
      for (const scope of parsed.scopes) {
        const { name, approve, allow } = scope
        expectThat(typeof name === 'string' && typeof approve === 'boolean', 'a rule has a name')
        expectThat(scope.locate().length > 0, 'a rule has a location')
        // The planted bug: a list without elements matches everything.
        const list = allow.skills ?? ['x']
        const isAllowed = isPlanted ? list.every((each) => each === 'a') : matches(list)
        expectThat(list.length > 0 || !isAllowed, 'an empty list allows nothing')
      }
    }
  },
}

function matches(list: readonly string[]): boolean {
  return matchesList('skills', list, { names: ['demo.greet@0.1.0'] })
}
