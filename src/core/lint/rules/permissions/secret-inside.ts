import { parseNetworkEntry } from '../../../skills/manifest/network-entry.ts'
import { getSecretUse, toWrittenUse } from '../../../skills/manifest/secret-use.ts'
import { formatTomlValue } from '../../../skills/scaffold/outline/toml-value.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { findSecretPlaces } from '../../code/secret-sinks.ts'
import { createSecretUseToml } from '../../example-skill.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
import { locateSecret } from '../../skill-facts.ts'

const CODE = `import os
import urllib.request


def main(args):
    headers = {"Authorization": f"Bearer {os.environ['CRM_KEY']}"}
    request = urllib.request.Request(f"https://api.example.com/{args.get('who')}", headers=headers)
    return {"who": urllib.request.urlopen(request).read().decode()}
`

export const SECRET_INSIDE: Rule = {
  id: 'permissions/secret-inside',
  severity: 'info',
  what: 'The value of a secret is inside of the sandbox, but the code sends it to one host only',
  why: 'Code that has the value can print, save or encode it. With hosts, a run has a stand-in instead.',
  example: {
    bad: { 'code/main.py': CODE, 'skill.toml': createSecretUseToml('CRM_KEY = {}') },
    good: {
      'code/main.py': CODE,
      'skill.toml': createSecretUseToml('CRM_KEY = "https://api.example.com"'),
    },
  },
  fix: 'Write the hosts of the secret in [permissions.secrets], and "in" for places other than the header Authorization.',
  needsPython: true,
  check(skill, report) {
    const host = findOnlyHost(skill)
    if (host === undefined) return
    const { permissions } = skill.manifest
    const texts = listCodeUses(skill).map(({ file }) => skill.read(file) ?? '')
    for (const [index, name] of permissions.secrets.entries()) {
      if (getSecretUse(permissions, name)) continue
      const places = findSecretPlaces(texts, name)
      if (!places) continue
      report({
        ...locateSecret(skill, index),
        message: `${name} is inside of the sandbox: name its hosts in [permissions.secrets]`,
        help: `Write ${name} = ${formatTomlValue(toWrittenUse({ hosts: [host], in: places }))}`,
      })
      // One note per skill is enough to learn of the form.
      return
    }
  },
}

function findOnlyHost({ manifest }: LintedSkill): string | undefined {
  const [host, ...others] = manifest.permissions.network
  if (host === undefined || others.length > 0) return undefined
  const entry = parseNetworkEntry(host)
  return 'problem' in entry || entry.scheme !== 'https' || entry.wildcard ? undefined : host
}
