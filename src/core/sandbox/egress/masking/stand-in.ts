import { createHmac, randomBytes } from 'node:crypto'

/** Prefixes that clients check, and that say nothing about the value. */
const PREFIX =
  /^(?:sk-ant-api\d\d-|sk-ant-|sk-proj-|sk-svcacct-|sk-or-v1-|sk-|[srp]k_(?:live|test)_|whsec_|gh[opusr]_|github_pat_|glpat-|xox[abprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|SG\.|key-|lin_api_|secret_|ntn_)/

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
/** With fewer random characters, a stand-in could be found in a text by chance. */
const MIN_RANDOM = 16

/** Creates stand-ins. The same scope gives the same stand-in for a secret, and others none of it. */
export class StandInSource {
  readonly #key = randomBytes(32)

  /** `scope`: a run, or a session whose commands share a sandbox. */
  create(scope: string, name: string, value: string): string {
    const random = this.#openRandom(JSON.stringify([scope, name, value]))
    return createWebToken(value, random) ?? createShaped(value, random)
  }

  #openRandom(seed: string): () => number {
    let block = 0
    let bytes = Buffer.alloc(0)
    let at = 0
    return () => {
      if (at === bytes.length) {
        bytes = createHmac('sha256', this.#key).update(`${block++} ${seed}`).digest()
        at = 0
      }
      return bytes[at++] as number
    }
  }
}

/** Claims that clients check, and that open nothing without a signature. */
const CHECKED_CLAIMS: ReadonlySet<string> = new Set(['iss', 'aud', 'azp', 'scope', 'typ'])

/** A JSON Web Token that clients can read, with its times, other names and another signature. */
function createWebToken(value: string, random: () => number): string | undefined {
  const [, header = '', claims = '', signature = ''] =
    /^(eyJ[\w-]+)\.(eyJ[\w-]+)\.([\w-]{16,})$/.exec(value) ?? []
  try {
    const read: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const shaped = JSON.stringify(read, (key, each: unknown) =>
      typeof each === 'string' && !CHECKED_CLAIMS.has(key) ? drawLike(each, random).text : each,
    )
    const written = Buffer.from(shaped).toString('base64url')
    return `${header}.${written}.${drawLike(signature, random).text}`
  } catch {
    return undefined
  }
}

function createShaped(value: string, random: () => number): string {
  const prefix = PREFIX.exec(value)?.[0] ?? ''
  const rest = value.slice(prefix.length)
  const padding = /^[A-Za-z0-9+/_-]{12,}(={1,2})$/.exec(rest)?.[1] ?? ''
  const { text, drawn } = drawLike(rest.slice(0, rest.length - padding.length), random)
  const missing = Array.from({ length: Math.max(0, MIN_RANDOM - drawn) }, () =>
    draw(LOWER + DIGITS, random),
  )
  return prefix + text + missing.join('') + padding
}

/** Draws a text of the same shape; `drawn`: how many of its characters are random. */
function drawLike(body: string, random: () => number): { text: string; drawn: number } {
  const alphabets = [...body].map(selectAlphabet(body))
  const text = alphabets.map((each) => draw(each, random)).join('')
  return { text, drawn: alphabets.filter((each) => each.length > 1).length }
}

/**
 * Letters stay letters of their case, digits digits, and separators themselves. Other characters
 * become letters, since their escapes would differ between clients.
 */
function selectAlphabet(body: string): (character: string) => string {
  if (/^[0-9a-f-]+$/.test(body) && /[0-9]/.test(body)) {
    return (character) => (character === '-' ? '-' : HEX)
  }
  return (character) => {
    if (/[-_.]/.test(character)) return character
    if (/[0-9]/.test(character)) return DIGITS
    return /[A-Z]/.test(character) ? UPPER : LOWER
  }
}

/** Bytes that would prefer the first characters are left out. */
function draw(alphabet: string, random: () => number): string {
  const limit = 256 - (256 % alphabet.length)
  let byte = random()
  while (byte >= limit) byte = random()
  return alphabet.charAt(byte % alphabet.length)
}
