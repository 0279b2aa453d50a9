import { rotate } from '../texts/decode-text.ts'
import { foldCodes, HELPER, type Constants } from './fold-lists.ts'
import { foldShell } from './fold-shell.ts'

const MAY_FOLD =
  /\(\s*[A-Z_]{3,}\b|["'`]\s*[+.]|join|chr\b|Code|bytes|Buffer|\|\s*["']?(?:rev|xxd)|\[["']|\\[xu01]|::-1|reverse|home|HOME|expand|PROFILE|b64|atob|base64|fromhex|rot|replace|\$\{?\w|\{\w|\+\s*["'\w]|getattr/

/** A statement with assembled texts as one text: what is run, not how it is written. */
export function foldStatement(source: string, constants: Constants): string {
  const helper = constants.get(HELPER)
  if (!MAY_FOLD.test(source) && (!helper || !source.includes(helper))) return source
  let text = source
  for (let pass = 0; pass < 3; pass++) {
    const before = text
    const known = foldShell(decodeEscapes(foldConstants(text, constants)))
    text = foldPaths(foldTexts(foldCodes(known, constants, helper), constants))
    if (text === before) break
  }
  return text.replace(MEMBER, '$1.$2')
}

/** A part of an object of the runtime, by a text. */
const MEMBER =
  /\b(process|globalThis|window|global|module|require\("[\w:/-]{1,30}"\))\[["'`]([A-Za-z_]\w*)["'`]\]/g

function decodeEscapes(text: string): string {
  if (!/\\[xu0-3]/.test(text)) return text
  return text.replace(
    /\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{4})\}?|\\0?([01][0-7]{2})/g,
    (...found: string[]) => {
      const [, hex, unit, octal] = found
      const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unit ?? '', 16)
      return String.fromCharCode(code)
    },
  )
}

/** Puts the values of constants in place of their names, in texts and next to an operator. */
function foldConstants(text: string, constants: Constants): string {
  if (constants.size === 0) return text
  return text
    .replace(/\$\{([A-Za-z_]\w*)\[[@*]\]\}/g, (whole, name: string) => {
      return (
        constants
          .get(`${name}[]`)
          ?.replace(/[[\]"',]+/g, ' ')
          .trim() ?? whole
      )
    })
    .replace(/\$?\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g, (whole, braced, plain) => {
      return constants.get((braced ?? plain) as string) ?? whole
    })
    .replace(
      /(?<=[(+,[]\s{0,4})([A-Za-z_]\w*)(?:\.decode\(\))?(?=\s{0,4}[)+,\]])|(?<=[=(]\s{0,4})([A-Za-z_]\w*)(?=\s{0,4}\+)|(?<![\w."'])([A-Za-z_]\w*)(?=\.(?:r?glob|iterdir|joinpath|read_text|read_bytes)\()/g,
      (name: string, first?: string) => {
        const value = constants.get(first ?? name)
        return value === undefined ? name : `"${value}"`
      },
    )
}

const STRING = `(?:"([^"\\n]{0,2000})"|'([^'\\n]{0,2000})')`
const CONCAT = new RegExp(`${STRING}\\s*(?:\\+|\\.(?=\\s*["']))\\s*[fbru]?${STRING}`, 'g')
const REVERSED = new RegExp(
  `${STRING}(?:\\[::-1\\]|\\.split\\((?:""|'')\\)\\.reverse\\(\\)\\.join\\((?:""|'')\\))`,
  'g',
)
const DECODED = new RegExp(
  `(?:\\w+\\.)?(?:b64decode|atob|Buffer\\.from|base64_decode)\\(\\s*b?${STRING}(?:\\s*,\\s*["']base64["'])?\\s*\\)(?:\\.(?:decode|toString)\\([^()\\n]{0,20}\\))?`,
  'g',
)
const HEXED = new RegExp(
  `(?:\\w+\\.)?(?:fromhex|unhexlify|Buffer\\.from)\\(\\s*b?${STRING}(?:\\s*,\\s*["']hex["'])?\\s*\\)(?:\\.(?:decode|toString)\\([^()\\n]{0,20}\\))?`,
  'g',
)
const ROTATED = new RegExp(
  `(?:codecs\\.)?decode\\(\\s*${STRING}\\s*,\\s*["']rot_?-?13["']\\s*\\)`,
  'g',
)
const JOINED = /(?:"([^"\n]{0,3})"|'([^'\n]{0,3})')\.join\(\s*[[(]([^\])]{0,2000})[\])]\s*\)/g
const JOINS =
  /\[([^\][]{0,2000})\](\.reverse\(\))?\.join\(\s*(?:"([^"\n]{0,3})"|'([^'\n]{0,3})')\s*\)/g

function quoteText(text: string): string {
  return `"${text.replace(/["\n]/g, ' ')}"`
}

function foldTexts(text: string, constants: Constants): string {
  let folded = text
  if (/chr\(|fromCharCode/i.test(folded)) {
    folded = folded
      .replace(/\bchr\(\s*(0x[0-9a-f]+|\d{1,6})\s*\)/gi, (_, code: string) => toCharacters(code))
      .replace(/String\.fromC(?:harCode|odePoint)\(([\d\s,x]{1,2000})\)/g, (_, codes: string) =>
        toCharacters(codes),
      )
  }
  if (/join\(/.test(folded)) {
    folded = folded
      .replace(/\b([A-Za-z_]\w*)(?=\.join\()/g, (name) => constants.get(`${name}[]`) ?? name)
      .replace(
        /(?<=\.join\(\s{0,4})([A-Za-z_]\w*)(?=\s{0,4}\))/g,
        (name) => constants.get(`${name}[]`) ?? name,
      )
    folded = folded
      .replace(JOINED, (...found: string[]) => joinItems(found[0], found[3], found[1] ?? found[2]))
      .replace(JOINS, (...found: string[]) =>
        joinItems(found[0], reverseItems(found[1], found[2]), found[3] ?? found[4]),
      )
  }
  folded = folded.replace(CONCAT, (...found: string[]) =>
    quoteText((found[1] ?? found[2] ?? '') + (found[3] ?? found[4] ?? '')),
  )
  if (/::-1|reverse/.test(folded)) {
    folded = folded.replace(REVERSED, (_, a?: string, b?: string) =>
      quoteText([...(a ?? b ?? '')].toReversed().join('')),
    )
  }
  return foldDecoders(folded)
}

function foldDecoders(text: string): string {
  if (!/b64|atob|Buffer|base64|hex|rot/.test(text)) return text
  return text
    .replace(DECODED, (whole, a?: string, b?: string) => decode(whole, a ?? b, 'base64'))
    .replace(HEXED, (whole, a?: string, b?: string) => decode(whole, a ?? b, 'hex'))
    .replace(ROTATED, (_, a?: string, b?: string) => quoteText(rotate(a ?? b ?? '')))
}

/** A list of character codes as a text. */
function toCharacters(codes: string): string {
  const numbers = codes.split(',').map((code) => Number(code.trim()))
  const isValid = numbers.every((code) => code > 0 && code < 0x110000)
  return isValid ? quoteText(String.fromCodePoint(...numbers)) : '""'
}

function reverseItems(list = '', isReversed?: string): string {
  return isReversed ? list.split(',').toReversed().join(',') : list
}

function joinItems(whole = '', list = '', separator = ''): string {
  const items = [...list.matchAll(new RegExp(STRING, 'g'))].map((each) => each[1] ?? each[2] ?? '')
  const commas = list.split(',').filter((each) => each.trim() !== '').length
  return items.length > 0 && items.length >= commas ? quoteText(items.join(separator)) : whole
}

function decode(whole: string, text: string | undefined, encoding: 'base64' | 'hex'): string {
  const decoded = Buffer.from(text ?? '', encoding).toString('utf8')
  return decoded.length > 1 && !/[\u0000-\u0008\uFFFD]/.test(decoded) ? quoteText(decoded) : whole
}

const HOME =
  /(?:os\.path\.expanduser\(\s*["']~["']\s*\)|(?:pathlib\.)?Path\.home\(\)|os\.homedir\(\)|\bhomedir\(\)|process\.env(?:\.(?:HOME|USERPROFILE)|\[["'](?:HOME|USERPROFILE)["']\])|os\.(?:environ(?:\.get)?|getenv)[[(]["'](?:HOME|USERPROFILE)["'][^)\]]{0,10}[\])]|\$\{?HOME\}?|%USERPROFILE%|\$env:USERPROFILE)/g
const PATH_CALL = /\b(?:os\.path|path|posixpath)\.(?:join|resolve)\(([^()]{1,400})\)/g
const PATH_SLASH = /(~|["'])\)?\s*\/\s*["']([^"'\n]{1,200})["']/g

/** Paths below the home folder, however they are put together, as `~/…`. */
function foldPaths(text: string): string {
  const folded = text
    .replace(HOME, '"~"')
    .replace(/""~""/g, '"~"')
    .replace(/"~"(?=[/\\])|\$\{"~"\}/g, '~')
    .replace(/"~"\.joinpath\(\s*["']([^"'\n]{1,200})["']\s*\)/g, '"~/$1"')
    .replace(
      /(?:os\.path\.expanduser|Path)\(\s*[rf]?(["'])(~[^"']{0,200})\1\s*\)(?:\.expanduser\(\))?/g,
      '"$2"',
    )
  const joined = /\.(?:join|resolve)\(/.test(folded)
    ? folded.replace(PATH_CALL, (_, list: string) =>
        quoteText(list.split(',').map(unquote).filter(Boolean).join('/')),
      )
    : folded
  return joined.includes('/')
    ? joined.replace(PATH_SLASH, (_, lead: string, rest: string) =>
        lead === '~' ? `~/${rest}` : `/${rest}"`,
      )
    : joined
}

function unquote(text: string): string {
  const part = text.trim()
  return /^[A-Za-z_]\w*$/.test(part) ? `{${part}}` : part.replace(/^[rfbu]?["'`]|["'`]$/g, '')
}
