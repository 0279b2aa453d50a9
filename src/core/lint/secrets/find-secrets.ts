import type { Span } from '../../skills/manifest/source.ts'

/** A value in a file that looks like a secret. */
export interface FoundSecret {
  value: string
  /** Span of the value, without quotes. */
  span: Span
  /** Kind of a known secret. */
  kind?: string
  /** Name to which the value is assigned, if only the name reveals it. */
  target?: string
}

/** Limit on secrets per file; a hostile file can have millions. */
const MAX_SECRETS = 200

/** Finds all values that look like secrets, in order, without the samples of documents. */
export function findSecrets(file: string, text: string): FoundSecret[] {
  const found: FoundSecret[] = []
  const add = (secret: FoundSecret) => {
    const { start, end } = secret.span
    if (found.length === MAX_SECRETS) return
    if (!found.some(({ span }) => span.start < end && start < span.end)) found.push(secret)
  }
  for (const secret of findKnownSecrets(text)) add(secret)
  if (file === 'skill.toml') for (const secret of findListedSecrets(text)) add(secret)
  if (isAssigningFile(file)) for (const secret of findAssignedSecrets(text)) add(secret)
  if (isAssigningFile(file)) for (const secret of findDefaultSecrets(text)) add(secret)
  return found.sort((a, b) => a.span.start - b.span.start)
}

function* findKnownSecrets(text: string): Generator<FoundSecret> {
  if (!SECRET_HINT.test(text)) return
  for (const { name, pattern } of KNOWN_SECRETS) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[2] ?? match[0]
      const end = match.index + match[0].length
      if (isSampleSecret(value) || isElided(text, end) || !isMixed(name, value)) continue
      yield { value, kind: name, span: { start: end - value.length, end } }
    }
  }
}

/** True if dots continue the value: the author omitted the rest. */
function isElided(text: string, end: number): boolean {
  return /^(?:\.\.\.|\u2026)/.test(text.slice(end, end + 3))
}

/** Names with hyphens, such as those of CSS classes, also begin with "sk-". */
function isMixed(kind: string, value: string): boolean {
  if (kind === 'a password') return isBasicPassword(value)
  if (/^a (?:bearer|database)/.test(kind)) return looksRandom(value)
  if (kind !== 'an OpenAI key') return true
  return [/\d/, /[A-Z]/, /[a-z]/].every((part) => part.test(value))
}

/** True for the base64 of `name:password`, unless the password is that of an example. */
function isBasicPassword(value: string): boolean {
  const [, password] =
    /^[\x21-\x7E]+?:([\x21-\x7E]{8,})$/.exec(Buffer.from(value, 'base64').toString('latin1')) ?? []
  return password !== undefined && /\d/.test(password) && !isSampleSecret(password)
}

/** True for code and settings; documents show too many values of examples. */
function isAssigningFile(file: string): boolean {
  return /\.(?:py|js|mjs|cjs|ts|mts|sh|bash|toml|json|ya?ml|ini|cfg)$/i.test(file)
}

const TARGET_HINT = /passw|secret|token|key|credential/i
const ASSIGNMENT =
  /\b([A-Za-z_][\w.-]{0,60})["']?[ \t]{0,4}(?::[ \t]{0,4}(?:str|string)[ \t]{0,4})?(?:=>|:=|=|:)[ \t]{0,4}["']([^"'\s]{12,512})["']/g
const SECRET_TARGET =
  /(?:password|passwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|credential)s?$/i

function* findAssignedSecrets(text: string): Generator<FoundSecret> {
  if (!TARGET_HINT.test(text)) return
  for (const match of text.matchAll(ASSIGNMENT)) {
    const [whole, target = '', value = ''] = match
    if (!SECRET_TARGET.test(target) || !looksRandom(value) || isSampleSecret(value)) continue
    const end = match.index + whole.length - 1
    yield { value, target, span: { start: end - value.length, end } }
  }
}

/** The default of a variable that is not set: in Python, JavaScript and shell. */
const DEFAULTS = [
  /(?:environ\.get|getenv)\(\s{0,20}["']([A-Z]\w{0,60})["']\s{0,20}(?:,|\)\s{0,20}or)\s{0,20}["']([^"'\s]{8,512})(?=["'])/g,
  /process\.env(?:\.|\[["'])([A-Z]\w{0,60})(?:["']\])?\s{0,20}(?:\?\?|\|\|)\s{0,20}["'`]([^"'`\s$]{8,512})(?=["'`])/g,
  /\$\{([A-Z]\w{0,60}):?[-=]["']?([^}"'\s$]{8,512})(?=["']?\})/g,
]

function* findDefaultSecrets(text: string): Generator<FoundSecret> {
  if (!/environ|getenv|process\.env|\$\{[A-Z]/.test(text)) return
  for (const match of DEFAULTS.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const [whole, target = '', value = ''] = match
    if (!SECRET_TARGET.test(target) || !looksRandom(value) || isSampleSecret(value)) continue
    const end = match.index + whole.length
    yield { value, target, span: { start: end - value.length, end } }
  }
}

function looksRandom(value: string): boolean {
  if (/^(?:https?:|[/.~#])|[()[\]@ ]|::|^[A-Z0-9_]+$/.test(value)) return false
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  // Lower-case words with separators are names, such as those of models.
  if (/^[a-z0-9]+(?:[-_.:/][a-z0-9]+)+$/.test(value) && !/[a-f0-9]{20}/.test(value)) return false
  return new Set(value).size >= Math.min(10, value.length * 0.5)
}

/** Yields entries of permissions.secrets that are values instead of names. */
function* findListedSecrets(text: string): Generator<FoundSecret> {
  const list = /^[ \t]*secrets[ \t]*=[ \t]*\[([^\]]{0,20000})/m.exec(text)
  if (!list) return
  const [whole, entries = ''] = list
  const base = list.index + whole.length - entries.length
  for (const match of entries.matchAll(/"([^"\n]{1,1000})"|'([^'\n]{1,1000})'/g)) {
    const value = match[1] ?? match[2] ?? ''
    const start = base + match.index + 1
    if (isSecretName(value)) continue
    yield { value, target: 'secrets', span: { start, end: start + value.length } }
  }
}

/** True for words that name a secret, in any case; values have digits between their letters. */
export function isSecretName(text: string): boolean {
  if (text.length > 64) return false
  return /^[A-Z]+$|^[A-Z][A-Z0-9]{0,7}(?:_[A-Z0-9]{1,16})+$|^[A-Za-z]+(?:[ _-][A-Za-z]+)*\d{0,2}$/.test(
    text,
  )
}

/** A kind of secret that is known by its form. The last group of a pattern, if any, is the value. */
interface KnownSecret {
  name: string
  pattern: RegExp
}

const KEY_HEADERS = String.raw`(?:Proc-Type:[^\n]{0,80}\n(?:DEK-Info:[^\n]{0,80}\n)?\s{0,4})?`

/** Patterns are global and linear. */
const KNOWN_SECRETS: readonly KnownSecret[] = [
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
  {
    name: 'a database address with its password',
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql)(?:\+\w{1,20})?:\/\/[^\s:@/"'`<>{}]{0,60}:([^\s:@/"'`<>{}]{8,200})(?=@(?:[\w-]{1,60}\.){1,8}[a-z]{2,20}\b)/g,
  },
  {
    name: 'a bearer token',
    pattern: /\bBearer (?:["'`]\s{0,4}\+\s{0,4}["'`])?([\w.~+/-]{20,500}=*)(?=["'`\s]|$)/g,
  },
  { name: 'a password', pattern: /\bBasic ([A-Za-z0-9+/]{16,500}={0,2})(?=["'`\s]|$)/g },
  {
    name: 'the address of a webhook',
    pattern:
      /\bhttps:\/\/hooks\.slack\.com\/services\/T\w{6,20}\/B\w{6,20}\/(\w{16,64})|\bhttps:\/\/(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,25}\/([\w-]{40,100})/g,
  },
]

/** Matches every text with a known secret, so that one search rules out most texts. */
const SECRET_HINT =
  /AKIA|ASIA|aws_secret|gh[pousr]_|github_pat_|glpat-|PRIVATE KEY|xox[abeoprs]-|k_live_|AIza|sk-|hf_|SG\.|npm_|pypi-|eyJ|Bearer |Basic |hooks\.slack|\/webhooks\/|(?:sql|postgres|mongo|redis|amqp|maria)[\w+]{0,20}:\/\//i

/** Words in values that documents show instead of a secret. */
const SAMPLE_WORD =
  /example|sample|fake|dummy|test|placeholder|change.?me|your|xxxx|redacted|insert|replace|demo|mock|secret|token|passw|api.?key|here|\.\.\.|[<>{}$*]/i

/** Values that vendors print in their documentation. */
const DOCUMENTED_VALUES: ReadonlySet<string> = new Set(['ghp_16C7e42F292c6912E7710c838347Ae178B4a'])

const SEQUENCES = ['01234567890123456', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop']
const MIN_SEQUENCE = 6
/** Random values of sixteen or more characters practically always have more different ones. */
const MIN_DIFFERENT = 7

/** True for a value that stands for a secret: it names itself, or no generator would return it. */
function isSampleSecret(value: string): boolean {
  if (DOCUMENTED_VALUES.has(value)) return true
  const body = stripPrefix(value)
  if (SAMPLE_WORD.test(body) || /(.)\1{4}/.test(body)) return true
  // Authors also mix two sequences, such as A1B2C3D4E5F6.
  if ([body, body.replace(/[^a-z]/gi, ''), body.replace(/\D/g, '')].some(hasSequence)) return true
  if (new Set(body).size < MIN_DIFFERENT) return true
  return value.startsWith('eyJ') && isSampleToken(value)
}

/** The random part of a value: prefixes such as `sk_live_` and headers of keys are words. */
function stripPrefix(value: string): string {
  const header = value.lastIndexOf('KEY-----')
  if (header !== -1) return value.slice(header + 8)
  return value.replace(
    /^(?:sk-(?:ant-|proj-|svcacct-|admin-)?(?:api\d\d-)?|[a-z]{2,6}_(?:live_|pat_)?)/,
    '',
  )
}

function hasSequence(text: string): boolean {
  const lower = text.toLowerCase()
  for (let at = 0; at + MIN_SEQUENCE <= lower.length; at++) {
    const part = lower.slice(at, at + MIN_SEQUENCE)
    if (SEQUENCES.some((sequence) => sequence.includes(part))) return true
  }
  return false
}

/** True for a JSON web token that is not signed, or whose claims are those of an example. */
function isSampleToken(token: string): boolean {
  const [header = '', claims = ''] = token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('utf8'))
  if (/"alg":\s{0,4}"none"/i.test(header)) return true
  return /1234567890|John Doe|example|"test|"sample|"user123"/i.test(claims)
}
