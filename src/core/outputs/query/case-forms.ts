import { once } from '../../../util/once.ts'

/** Beyond it nothing has case. */
const LAST_CASED_CODE_POINT = 0x1e943

/**
 * The forms that count as the same letter when case does not: those that a regular expression takes
 * for it with the flags i and u, itself first. A form may take more bytes than another.
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

/** All characters that have another case, made for the first letter beyond ASCII. */
const listCasedCharacters = once(() => {
  let all = ''
  for (let code = 0x80; code <= LAST_CASED_CODE_POINT; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (/\p{CWCF}|\p{CWL}|\p{CWU}/u.test(character)) all += character
  }
  return `ksKS${all}`
})
