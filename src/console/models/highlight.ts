/** Languages that are painted; other text stays plain. */
export type PaintedLanguage =
  | 'toml'
  | 'json'
  | 'python'
  | 'javascript'
  | 'shell'
  | 'markdown'
  | 'yaml'

export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'name'

export interface PaintedRange {
  kind: TokenKind
  start: number
  end: number
}

/** Longer texts stay plain: painting them would block the page. */
const MAX_CHARACTERS = 200_000

const EXTENSIONS: Readonly<Record<string, PaintedLanguage>> = {
  toml: 'toml',
  json: 'json',
  jsonl: 'json',
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'javascript',
  tsx: 'javascript',
  sh: 'shell',
  bash: 'shell',
  md: 'markdown',
  yaml: 'yaml',
  yml: 'yaml',
}

export function findLanguage(path: string): PaintedLanguage | undefined {
  return EXTENSIONS[path.split('.').at(-1)?.toLowerCase() ?? '']
}

/** A string that nothing closes ends with its line, so that no text makes the search begin again and again. */
const STRINGS = `"(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?`
/** The end of the text, also with the flag `m`. */
const END = '$(?![\\s\\S])'
const TRIPLE_QUOTED = `"""[\\s\\S]*?(?:"""|${END})|'''[\\s\\S]*?(?:'''|${END})`
const NUMBER =
  '(?<![\\w.])-?(?:0[xX][0-9a-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)(?![\\w])'

function words(text: string): string {
  return `\\b(?:${text.split(' ').join('|')})\\b`
}

/** Alternatives are tried in this order at each place. */
const GRAMMARS: Readonly<Record<PaintedLanguage, readonly (readonly [TokenKind, string])[]>> = {
  toml: [
    ['comment', '#[^\\n]*'],
    ['string', `${TRIPLE_QUOTED}|${STRINGS}`],
    ['name', '^[ \\t]*\\[\\[?[^[\\]\\n]+\\]\\]?|^[ \\t]*[\\w."-]+(?=[ \\t]*=)'],
    ['keyword', words('true false')],
    ['number', NUMBER],
  ],
  json: [
    ['name', '"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)'],
    ['string', STRINGS],
    ['keyword', words('true false null')],
    ['number', NUMBER],
  ],
  python: [
    ['comment', '#[^\\n]*'],
    ['string', `${TRIPLE_QUOTED}|${STRINGS}`],
    [
      'keyword',
      words(
        'and as assert async await break class continue def del elif else except finally for from global if import in is lambda match None nonlocal not or pass raise return True False try while with yield',
      ),
    ],
    ['number', NUMBER],
  ],
  javascript: [
    ['comment', `//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|${END})`],
    ['string', `\`(?:[^\`\\\\]|\\\\[\\s\\S])*\`?|${STRINGS}`],
    [
      'keyword',
      words(
        'as async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield',
      ),
    ],
    ['number', NUMBER],
  ],
  shell: [
    ['comment', '(?<![\\w$])#[^\\n]*'],
    ['string', STRINGS],
    ['name', '\\$\\{[^}\\n]*\\}?|\\$\\w+'],
    [
      'keyword',
      words(
        'case do done elif else esac exit export fi for function if in local read return set then while',
      ),
    ],
  ],
  markdown: [
    ['string', `\`\`\`[\\s\\S]*?(?:\`\`\`|${END})|\`[^\`\\n]*\`?`],
    ['keyword', '^#{1,6} [^\\n]*'],
    ['name', '\\[[^[\\]\\n]*\\]\\([^()\\n]*\\)'],
  ],
  yaml: [
    ['comment', '(?:^|(?<=\\s))#[^\\n]*'],
    ['string', STRINGS],
    ['name', '^[ \\t-]*[\\w.][\\w.-]*(?=:(?:\\s|$))'],
    ['keyword', words('true false null')],
    ['number', NUMBER],
  ],
}

/** Ranges of tokens. They never overlap, and the text itself stays one piece. */
export function paint(text: string, language: PaintedLanguage | undefined): PaintedRange[] {
  if (language === undefined || text.length > MAX_CHARACTERS) return []
  const grammar = GRAMMARS[language]
  const pattern = new RegExp(grammar.map(([, source]) => `(${source})`).join('|'), 'gm')
  const ranges: PaintedRange[] = []
  for (const match of text.matchAll(pattern)) {
    const index = match.slice(1).findIndex((each) => each !== undefined)
    const kind = grammar[index]?.[0]
    if (kind === undefined || match[0] === '') continue
    ranges.push({ kind, start: match.index, end: match.index + match[0].length })
  }
  return ranges
}
