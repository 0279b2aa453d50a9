import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePatterns } from '../../../src/core/runs/redaction/compile-patterns.ts'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'

const letters = 'Ab3dEf6hIj'.repeat(10)
const take = (size: number) => letters.slice(0, size)
/** Assembled, so that no scanner of this repository takes them for real ones. */
const TOKENS: Record<string, string> = {
  'GitHub token': ['gh', 'p_', take(36)].join(''),
  'GitHub fine-grained token': ['github', '_pat_', take(30)].join(''),
  'GitLab token': ['gl', 'pat-', take(20)].join(''),
  'AWS key': ['AK', 'IA', 'ABCDEFGH12345678'].join(''),
  'AWS secret': ['aws_secret_access_key = ', take(40)].join(''),
  'Anthropic key': ['sk', '-ant-', 'api03-', take(40)].join(''),
  'OpenAI key': ['sk', '-proj-', take(40)].join(''),
  'Hugging Face token': ['hf', '_', take(34)].join(''),
  'Slack token': ['xo', 'xb-', '123456789-', take(20)].join(''),
  'Slack hook': ['https://hooks.slack.com', '/services/', 'T0/B0/', take(24)].join(''),
  'Google key': ['AI', 'za', take(35)].join(''),
  'Stripe key': ['sk', '_live_', take(24)].join(''),
  'SendGrid key': ['S', 'G.', take(22), '.', take(43)].join(''),
  'npm token': ['npm', '_', take(36)].join(''),
  'PyPI token': ['pypi', '-AgE', 'IcHlwaS5vcmc', take(60)].join(''),
  'JSON Web Token': ['ey', 'J', take(20), '.eyJ', take(30), '.', take(43)].join(''),
  'bearer token': ['Authorization: Bear', 'er ', take(30)].join(''),
  'basic credentials': ['authorization: Basi', 'c ', take(20), '=='].join(''),
  'password in a URL': ['postgres://admin', ':', 'hunter2@db.internal/x'].join(''),
  'private key': [
    '-----BEGIN RSA ',
    'PRIVATE KEY',
    '-----\nProc-Type: 4,ENCRYPTED\n\n',
    take(64),
    '\n',
    take(64),
    '\n',
    take(20),
    '==\n-----END RSA PRIVATE KEY-----',
  ].join(''),
  'private key in JSON': [
    '-----BEGIN ',
    'PRIVATE KEY',
    '-----\\n',
    take(64),
    '\\n',
    take(64),
    '\\n-----END PRIVATE KEY-----',
  ].join(''),
  'private key that is cut': [
    '-----BEGIN OPENSSH ',
    'PRIVATE KEY',
    '-----\n',
    take(64),
    '\n',
    take(64),
  ].join(''),
}

const defaults = compilePatterns({ defaults: true, patterns: [] })

function redactInPieces(text: string, cuts: readonly number[], patterns = defaults) {
  const redactor = createRedactor([], patterns)
  const stream = redactor.stream()
  const bytes = Buffer.from(text)
  const borders = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ]
  const parts = borders.slice(1).map((end, at) => stream.push(bytes.subarray(borders[at], end)))
  return { text: Buffer.concat([...parts, stream.end()]).toString(), counts: redactor.counts }
}

describe('the default patterns', () => {
  it.each(Object.entries(TOKENS))('mask a %s, wherever a stream is split', (_, token) => {
    // Control: without patterns it is printed.
    expect(createRedactor([]).text(token)).toBe(token)
    const text = `before é "${token}" after\nlast`
    const whole = createRedactor([], defaults).text(text)
    expect(whole).toMatch(/^before é "[^]*\[redacted\][^]*" after\nlast$/)
    expect(whole).not.toContain(token.slice(12))
    fc.assert(
      fc.property(fc.array(fc.nat(300), { maxLength: 6 }), (cuts) => {
        const redacted = redactInPieces(text, cuts)
        expect(redacted.text).toBe(whole)
        expect(redacted.counts).toEqual({ secrets: 0, patterns: 1 })
      }),
      { numRuns: 40 },
    )
    const bytes = [...Buffer.from(text).keys()]
    expect(redactInPieces(text, bytes).text).toBe(whole)
  })

  it('mask a whole password in which another credential ends first', () => {
    const key = TOKENS['OpenAI key'] ?? ''
    const redacted = createRedactor([], defaults).text(`https://bob:${key}.more@host/x`)
    expect(redacted).toBe('https://[redacted]@host/x')
    // Control: the inner credential alone is a match, which ends before the rest of the password.
    expect(createRedactor([], defaults).text(`${key}.more`)).toBe('[redacted].more')
  })

  it('mask the credentials of a URL, and not the characters around them', () => {
    const url = ['postgres://admin', ':', 'hunter2@db.internal/x'].join('')
    const redacted = 'postgres://[redacted]@db.internal/x'
    expect(createRedactor([], defaults).text(`"${url}",`)).toBe(`"${redacted}",`)
    const bytes = [...Buffer.from(url).keys()]
    expect(redactInPieces(url, bytes).text).toBe(redacted)
    // The name of a user may be the secret.
    const token = ['https://', take(20), ':', 'x-oauth-basic@example.com'].join('')
    expect(createRedactor([], defaults).text(token)).toBe('https://[redacted]@example.com')
  })

  it.each([
    'sk-learn is a short name, and task-management-of-something-long too',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'https://example.com:8080/path@2x.png and user@example.com',
    'import { getByRole } from "@testing-library/dom" // ghp_short',
    'the bearer of this letter, -----BEGIN CERTIFICATE-----',
    'commit 2f1c3c8d0c5b6a7e8f9a0b1c2d3e4f5a6b7c8d9e',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ])('leave ordinary text as it is: %s', (text) => {
    expect(redactInPieces(text, [3, 7, 20])).toEqual({
      text,
      counts: { secrets: 0, patterns: 0 },
    })
  })

  it('hold back no more than the beginning of a possible match', () => {
    const stream = createRedactor([], defaults).stream()
    expect(stream.push(Buffer.from('Password: ')).toString()).toBe('Password: ')
    expect(stream.push(Buffer.from('x gh')).toString()).toBe('x ')
    expect(stream.push(Buffer.from('i')).toString()).toBe('ghi')
  })

  it('mask text, but not returned values, and count secrets apart', () => {
    const token = TOKENS['GitHub token'] ?? ''
    const redactor = createRedactor(['my-own-secret'], defaults)
    expect(redactor.value({ token })).toEqual({ token })
    expect(redactor.text(`${token} my-own-secret my-own-secret`)).toBe(
      '[redacted] [redacted] [redacted]',
    )
    expect(redactor.counts).toEqual({ secrets: 2, patterns: 1 })
  })
})

describe('own patterns', () => {
  it('mask what they match, with or without the defaults', () => {
    const token = TOKENS['GitHub token'] ?? ''
    const text = `acme_123 password=hunter2; ${token}`
    const patterns = ['acme_\\d+', '(?i)PASSWORD=\\S+']
    const redact = (defaultsToo: boolean) =>
      redactInPieces(text, [4, 20], compilePatterns({ defaults: defaultsToo, patterns })).text
    expect(redact(false)).toBe(`[redacted] [redacted] ${token}`)
    expect(redact(true)).toBe('[redacted] [redacted] [redacted]')
    expect(compilePatterns({ defaults: false, patterns: [] })).toBeUndefined()
  })

  it.each([
    ['(a)\\1', /back-references/],
    ['(?=a)', /lookaround/],
    ['a*', /empty text/],
    ['(', /not closed/],
  ])('that are not linear or not valid are refused: %s', (pattern, reason) => {
    expect(() => compilePatterns({ defaults: true, patterns: [pattern] })).toThrow(reason)
    expect(() => compilePatterns({ defaults: true, patterns: [pattern] })).toThrow(
      'redaction.patterns',
    )
  })

  it('that backtrack badly elsewhere take linear time', () => {
    // Control: the regular expressions of the language need a time that doubles with each letter.
    const timeNative = (size: number) => {
      const started = process.cpuUsage().user
      expect(/^(a+)+b/.test('a'.repeat(size))).toBe(false)
      return process.cpuUsage().user - started
    }
    expect(timeNative(22)).toBeGreaterThan(20 * timeNative(12))
    const bad = compilePatterns({ defaults: false, patterns: ['(a+)+b', '(x|xx)*y'] })
    const text = 'a'.repeat(300_000) + 'x'.repeat(300_000)
    expect(redactInPieces(text, [100_000], bad).text).toBe(text)
  })

  it('hold back at most 64 KiB', () => {
    const patterns = compilePatterns({ defaults: false, patterns: ['start.*end'] })
    const stream = createRedactor([], patterns).stream()
    const released = stream.push(Buffer.from(`start${'x'.repeat(200_000)}`)).length
    expect(released).toBeGreaterThan(130_000)
  })
})
