import { once } from '../../../util/once.ts'

/** No code point above this has case variants. */
const LAST_CASED_CODE_POINT = 0x1e943

/**
 * Lists the case variants of a character, itself first: the characters that a regular expression
 * with the flags i and u treats as equal. Variants may differ in their number of bytes.
 */
export function listCaseForms(character: string): readonly string[] {
  const code = character.codePointAt(0) as number
  if (code < 0x80) return listAsciiForms(character)
  const escaped = `\\u{${code.toString(16)}}`
  const others = listCasedCharacters().match(new RegExp(escaped, 'giu')) ?? []
  return [character, ...others.filter((each) => each !== character)]
}

function listAsciiForms(character: string): string[] {
  const lower = character.toLowerCase()
  const upper = character.toUpperCase()
  if (lower === upper) return [character]
  const nonAscii = lower === 'k' ? ['\u212a'] : lower === 's' ? ['\u017f'] : []
  return [lower, upper, ...nonAscii]
}

/** All non-ASCII characters that have case variants; computed for the first non-ASCII letter. */
const listCasedCharacters = once(() => {
  let all = ''
  for (let code = 0x80; code <= LAST_CASED_CODE_POINT; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (/\p{CWCF}|\p{CWL}|\p{CWU}/u.test(character)) all += character
  }
  return `ksKS${all}`
})
