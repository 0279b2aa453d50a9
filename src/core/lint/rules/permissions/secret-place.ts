import { getSecretUse } from '../../../skills/manifest/secret-use.ts'
import type { SecretUse } from '../../../skills/manifest/manifest.ts'
import { normalizePlace } from '../../../skills/manifest/capabilities.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { findSecretSinks, type SecretSink } from '../../code/secret-sinks.ts'
import { createSecretsExample, createSecretUseToml } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { locateSecret } from '../../skill-facts.ts'

const CODE = `import os
import urllib.request


def main(args):
    key = os.environ["CRM_KEY"]
    url = f"https://api.example.com/people?name={args.get('who')}&key={key}"
    return {"who": urllib.request.urlopen(url).read().decode()}
`

export const SECRET_PLACE: Rule = {
  id: 'permissions/secret-place',
  severity: 'warning',
  what: 'The code uses a secret in a way that "in" does not list',
  why: 'The run has a stand-in for the value, which is replaced in the listed parts of a request only.',
  example: {
    bad: {
      ...createSecretsExample('', '').good,
      'code/main.py': CODE,
      'skill.toml': createSecretUseToml('CRM_KEY = "https://api.example.com"'),
    },
    good: {
      'code/main.py': CODE,
      'skill.toml': createSecretUseToml(
        'CRM_KEY = { hosts = ["https://api.example.com"], in = ["query:key"] }',
      ),
    },
  },
  fix: 'Add the place to "in", or declare the secret without hosts, so that its value is inside of the sandbox.',
  needsPython: true,
  check(skill, report) {
    const { permissions } = skill.manifest
    for (const [index, name] of permissions.secrets.entries()) {
      const use = getSecretUse(permissions, name)
      if (!use) continue
      for (const { file } of listCodeUses(skill)) {
        for (const sink of findSecretSinks(skill.read(file) ?? '', name)) {
          const problem = describeProblem(sink, use)
          if (!problem) continue
          report({
            ...locateSecret(skill, index),
            message: `The code ${problem.does} the secret "${name}" (${file}:${sink.line}), but "in" lists ${use.in.join(', ')}`,
            help: problem.help,
          })
        }
      }
    }
  },
}

function describeProblem(
  sink: SecretSink,
  use: SecretUse,
): { does: string; help: string } | undefined {
  if (sink.kind === 'place') {
    const isListed = use.in.map(normalizePlace).includes(normalizePlace(sink.place))
    const does = `puts into ${sink.place.replace(':', ' ')}`
    return isListed ? undefined : { does, help: `Add "${sink.place}" to "in"` }
  }
  const { scheme } = sink
  if (scheme === 'jwt') {
    return {
      does: 'signs a JWT with',
      help: 'Declare the secret without hosts: only inside of the sandbox can it sign a JWT',
    }
  }
  const isListed = use.in.some((place) => place === 'sigv4' || place.startsWith('hmac:'))
  if (isListed) return undefined
  return scheme === 'sigv4'
    ? { does: 'signs requests of AWS with', help: 'Add "sigv4" to "in"' }
    : {
        does: 'signs with HMAC and',
        help: 'Add "hmac:<header>" if the header has the HMAC of the body, otherwise declare the secret without hosts',
      }
}
