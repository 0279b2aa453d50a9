/** Texts by the names of the variables that hold them. */
export type Constants = ReadonlyMap<string, string>

/** The key of the function that makes texts of character codes. */
export const HELPER = '()'

/** A list of character codes, or the name of one. */
const CODES = String.raw`(\[[\d\s,xa-fA-F]{2,4000}\]|[A-Za-z_$][\w$]{0,40})`
const FROM_CODE = String.raw`(?:String\.)?fromC(?:harCode|odePoint)`

/** Calls that make a text of character codes. */
const CALLS: readonly RegExp[] = [
  new RegExp(
    String.raw`${CODES}\.map\([^()\n]{0,40}(?:\([^()\n]{0,40}\)[^()\n]{0,10})?${FROM_CODE}(?:\([^()\n]{0,40}\))?\s*\)(?:\.join\((?:""|''|${'``'})\))?`,
    'g',
  ),
  new RegExp(String.raw`${FROM_CODE}(?:\(\s*\.\.\.|\.apply\([^,()\n]{0,20},\s*)${CODES}\s*\)`, 'g'),
  new RegExp(
    String.raw`b?(?:""|'')\.join\(\s*(?:map\(\s*chr\s*,\s*|[[(]?\s*chr\(\s*\w+\s*\)\s+for\s+\w+\s+in\s+)${CODES}\s*[\])]?\s*\)`,
    'g',
  ),
  new RegExp(
    String.raw`\b(?:bytes|bytearray|Buffer\.from)\(\s*${CODES}\s*\)(?:\.(?:decode|toString)\([^()\n]{0,20}\))?`,
    'g',
  ),
]

const DEFINED =
  /\b([A-Za-z_$][\w$]*)\s*(?:=\s*(?:lambda\s+\w+\s*:|\(?\s*\w+\s*\)?\s*=>|function)|\(\s*(?:\.\.\.)?\w+\s*\)\s*\{)[^\n]{0,60}(?:fromC(?:harCode|odePoint)|\bchr\b)/

/** The name of a function that a statement defines, and that makes a text of character codes. */
export function findCodesHelper(text: string): string | undefined {
  return /fromC|chr\b/.test(text) ? DEFINED.exec(text)?.[1] : undefined
}

/** Puts the text of character codes in place of the call that makes it. */
export function foldCodes(text: string, constants: Constants, helper: string | undefined): string {
  if (!/fromC|\bchr\b|bytes|Buffer/.test(text) && (!helper || !text.includes(helper))) return text
  const own = helper
    ? [new RegExp(String.raw`(?<![\w$.])${helper.replaceAll('$', '\\$')}\(\s*${CODES}\s*\)`, 'g')]
    : []
  return [...CALLS, ...own].reduce(
    (folded, call) =>
      folded.replace(call, (whole: string, codes: string) => {
        const made = readCodes(codes.startsWith('[') ? codes : constants.get(`${codes}[]`))
        return made === undefined ? whole : `"${made.replace(/["\n]/g, ' ')}"`
      }),
    text,
  )
}

/** The text of a list of printable character codes. */
function readCodes(list: string | undefined): string | undefined {
  if (list === undefined || !/^\[[\d\s,xa-fA-F]+\]$/.test(list)) return undefined
  const codes = list
    .slice(1, -1)
    .split(',')
    .filter((each) => each.trim() !== '')
    .map(Number)
  const isText = codes.length > 1 && codes.every((code) => code >= 9 && code < 127)
  return isText ? String.fromCodePoint(...codes) : undefined
}

const PROGRAM =
  /\b(?:run|call|check_call|check_output|Popen|getoutput|spawn|spawnSync|execFile|execFileSync|execa|create_subprocess_exec|exec\.Command)\(\s*(?:["'`]([\w./-]{1,40})["'`]\s*,\s*)?\[([^\]]{2,1500})\]/

/** The command that a call starts with a list of words, as a line of a shell. */
export function readCommand(text: string): string | undefined {
  const match = /\b(?:run|call|check|Popen|spawn|exec|create_sub|getout)/.test(text)
    ? PROGRAM.exec(text)
    : null
  if (!match) return undefined
  const [, program = '', list = ''] = match
  const words = [...list.matchAll(/["'`]([^"'`\n]{0,400})["'`]|([^\s,"'`][^,"'`\n]{0,100})/g)].map(
    (each) => each[1] ?? (each[2] ?? '').trim(),
  )
  return [program, ...words]
    .join(' ')
    .replace(/^sys\.executable\b/, 'python')
    .trim()
}
