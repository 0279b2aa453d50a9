import type { LintedSkill, Rule } from '../../rule.ts'
import { isVendored } from '../../vendored.ts'

const CREDENTIALS =
  /(?:^|\/)(?:\.env(?:\.(?!(?:[\w-]+\.)?(?:example|sample|template)\b)[^/]*)?|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|\.netrc|\.npmrc|\.pypirc|credentials(?:\.json)?|service[-_]account[^/]*\.json|\.htpasswd)$/i

export const CREDENTIAL_FILE: Rule = {
  id: 'hygiene/credential-file',
  severity: 'error',
  what: 'The skill contains a file that usually stores credentials',
  why: 'Everyone with the skill gets the credentials; models can read all of its files.',
  example: { bad: { '.env': 'API_KEY=abc\n' }, good: {} },
  fix: 'Remove the file, rotate its credentials, and declare the secret in permissions.secrets.',
  check(skill, report) {
    for (const { path, type } of skill.files) {
      if (type !== 'file' || !CREDENTIALS.test(path) || isVendored(path)) continue
      if (isCertificate(skill, path)) continue
      report({
        file: path,
        message: `"${path}" looks like a credential file, expected none in a skill`,
        help: 'Remove it, and declare the secret by name in permissions.secrets',
      })
    }
  },
}

/** True for a .pem file with a certificate, which is public. */
function isCertificate(skill: LintedSkill, path: string): boolean {
  if (!/\.pem$/i.test(path)) return false
  const text = skill.read(path)
  return text !== undefined && text.includes('-----BEGIN ') && !text.includes('PRIVATE KEY')
}
