import { isPlainObject } from '../../../skills/manifest/plain-objects.ts'
import type { Rule } from '../../rule.ts'
import { listCodeUses } from '../../code/code-uses.ts'
import { getTable } from '../../skill-facts.ts'

/** Variables that the sandbox sets for every run, and switches whose absence is their default. */
export const PROVIDED_VARIABLES: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'TZ',
  'USER',
  'LOGNAME',
  'PWD',
  'SHELL',
  'TERM',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'PYTHONHASHSEED',
  'DEBUG',
  'NODE_ENV',
  'CI',
  'NO_COLOR',
  'FORCE_COLOR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
])

export const UNDECLARED_SECRET: Rule = {
  id: 'permissions/undeclared-secret',
  severity: 'error',
  what: 'The code reads an environment variable that permissions.secrets does not declare',
  why: 'A run gets only the secrets that it declares; other variables are not set.',
  example: {
    bad: {
      'code/main.py':
        'import os\n\n\ndef main(args):\n    return {"who": args["who"], "set": bool(os.environ["CRM_KEY"])}\n',
    },
    good: {},
  },
  fix: 'Declare the name in permissions.secrets.',
  needsPython: true,
  check(skill, report) {
    const { secrets } = skill.manifest.permissions
    const isTable = isPlainObject(getTable(skill, 'permissions')['secrets'])
    for (const { file, environment } of listCodeUses(skill)) {
      const seen = new Set<string>()
      for (const { name, span, hasDefault } of environment) {
        if (secrets.includes(name) || PROVIDED_VARIABLES.has(name) || seen.has(name)) continue
        seen.add(name)
        report({
          file,
          span,
          message: `"${name}" is read from the environment but not declared in permissions.secrets`,
          help: isTable
            ? `Add ${name} = "https://host" to [permissions.secrets]`
            : `Add [permissions] secrets = ["${name}"]`,
          ...(hasDefault && { severity: 'warning' as const }),
        })
      }
    }
  },
}
