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
export function isSampleSecret(value: string): boolean {
  if (DOCUMENTED_VALUES.has(value)) return true
  const body = stripPrefix(value)
  if (SAMPLE_WORD.test(body) || /(.)\1{4}/.test(body) || hasSequence(body)) return true
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

/** True for a JSON web token whose claims are those of an example. */
function isSampleToken(token: string): boolean {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
  return /1234567890|John Doe|example|"test|"sample|"user123"/i.test(claims)
}
