/** A kind of secret that is known by its form. The last group of a pattern, if any, is the value. */
interface KnownSecret {
  name: string
  pattern: RegExp
}

const KEY_HEADERS = String.raw`(?:Proc-Type:[^\n]{0,80}\n(?:DEK-Info:[^\n]{0,80}\n)?\s{0,4})?`

/** Patterns are global and linear. */
export const KNOWN_SECRETS: readonly KnownSecret[] = [
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  {
    name: 'an AWS secret key',
    pattern:
      /\baws_secret_access_key["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  {
    name: 'a GitHub token',
    pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{60,255}\b/g,
  },
  { name: 'a GitLab token', pattern: /\bglpat-[A-Za-z0-9_-]{20,200}/g },
  {
    name: 'a private key',
    pattern: new RegExp(
      String.raw`-----BEGIN (?:[A-Z0-9]{2,20} ){0,2}PRIVATE KEY-----(?:\s|\\[nr]|["'+,]){0,40}${KEY_HEADERS}[A-Za-z0-9+/=]{20,4096}`,
      'g',
    ),
  },
  { name: 'a Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g },
  { name: 'a Stripe key', pattern: /\b[rs]k_live_[A-Za-z0-9]{20,200}\b/g },
  { name: 'a Google API key', pattern: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/g },
  { name: 'an Anthropic key', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,200}/g },
  { name: 'an OpenAI key', pattern: /\bsk-(?!ant-)[A-Za-z0-9_-]{40,200}/g },
  { name: 'a Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{34,100}\b/g },
  { name: 'a SendGrid key', pattern: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g },
  { name: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'a PyPI token', pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,250}/g },
  {
    name: 'a JSON web token',
    pattern: /\beyJ[A-Za-z0-9_-]{10,500}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,500}/g,
  },
]

/** Matches every text with a known secret, so that one search rules out most texts. */
export const SECRET_HINT =
  /AKIA|ASIA|aws_secret|gh[pousr]_|github_pat_|glpat-|PRIVATE KEY|xox[abeoprs]-|k_live_|AIza|sk-|hf_|SG\.|npm_|pypi-|eyJ/i
