import type { Rule } from '../../rule.ts'
import { findSkillSecrets, maskSecret } from '../../secrets/mask-secrets.ts'

export const SECRET_LITERAL: Rule = {
  id: 'permissions/secret-literal',
  severity: 'error',
  what: 'A file contains a value that looks like a password, key or token',
  why: 'Everyone who can read the skill, including every model, has the secret.',
  example: {
    bad: {
      'code/main.py':
        'API_KEY = "q8Zr2Lw9Xk4Tn7Vb1Ym6"\n\n\ndef main(args):\n    return {"who": args.get("who"), "key": len(API_KEY)}\n',
    },
    good: {},
  },
  fix: 'Rotate the secret, declare its name in permissions.secrets and read it from the environment.',
  check(skill, report) {
    const help =
      'Rotate it, declare its name in permissions.secrets and read it from the environment'
    for (const { file, secrets } of findSkillSecrets(skill)) {
      for (const { value, span, kind, target } of secrets) {
        const message =
          kind === undefined
            ? `The value of "${target}" looks like a secret: "${maskSecret(value)}"`
            : `"${maskSecret(value)}" looks like ${kind}`
        report({ file, span, message, help })
      }
    }
  },
}
