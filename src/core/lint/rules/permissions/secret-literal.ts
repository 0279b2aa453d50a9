import type { Rule } from '../../rule.ts'
import { listParsedPython, readTextFiles } from '../../skill-facts.ts'

const KNOWN_SECRETS: readonly (readonly [string, RegExp])[] = [
  ['an AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{60,255}\b/],
  ['a private key', /-----BEGIN (?:[A-Z]{2,20} )?PRIVATE KEY-----/],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{10,200}/],
  ['a Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,200}\b/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['an Anthropic key', /\bsk-ant-[A-Za-z0-9_-]{20,200}/],
  ['an OpenAI key', /\bsk-(?:proj-)?[A-Za-z0-9_-]{40,200}\b/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  [
    'a JSON web token',
    /\beyJ[A-Za-z0-9_-]{10,500}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,500}/,
  ],
]

const SECRET_HINT =
  /AKIA|ASIA|gh[pousr]_|github_pat_|PRIVATE KEY|xox[abprs]-|k_live_|AIza|sk-|npm_|eyJ/
const SECRET_TARGET =
  /(?:password|passwd|secret|token|api_?key|private_?key|access_?key|credential)/i
const EXAMPLE_VALUE =
  /example|placeholder|change_?me|dummy|your[_-]|xxxx|\.\.\.|[<{$]|^[A-Z0-9_]+$|^[a-z_ -]+$/

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
  needsPython: true,
  check(skill, report) {
    const help = 'Rotate it, declare its name in permissions.secrets and read it from os.environ'
    for (const { file, text } of readTextFiles(skill)) {
      if (!SECRET_HINT.test(text)) continue
      for (const [what, pattern] of KNOWN_SECRETS) {
        const match = pattern.exec(text)
        if (match)
          report({
            file,
            span: { start: match.index, end: match.index + match[0].length },
            message: `"${maskSecret(match[0])}" looks like ${what}`,
            help,
          })
      }
    }
    for (const { file, facts } of listParsedPython(skill)) {
      for (const { value, target, span } of facts.strings) {
        if (
          !target ||
          !SECRET_TARGET.test(target) ||
          !looksRandom(value) ||
          KNOWN_SECRETS.some(([, pattern]) => pattern.test(value))
        )
          continue
        report({
          file,
          span,
          message: `The value of "${target}" looks like a secret: "${maskSecret(value)}"`,
          help,
        })
      }
    }
  },
}

/** Shows enough to find the secret, too little to use it. */
function maskSecret(secret: string): string {
  return `${secret.slice(0, 4)}…`
}

function looksRandom(value: string): boolean {
  if (value.length < 12 || value.length > 512 || /\s/.test(value) || EXAMPLE_VALUE.test(value))
    return false
  if (/^(?:https?:|\/|\.{0,2}\/)/.test(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(value)).length
  return kinds >= 2 && new Set(value).size >= Math.min(10, value.length * 0.5)
}
