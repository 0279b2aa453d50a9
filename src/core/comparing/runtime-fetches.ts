import type { Span } from '../skills/manifest/source.ts'

/** Code that a text fetches when it is executed, instead of having it in the skill. */
export interface RuntimeFetch {
  /** `unpinned` takes the version of the day, `remote-code` executes what an address returns. */
  kind: 'pinned' | 'unpinned' | 'remote-code'
  /** Such as `npx left-pad@latest`. */
  subject: string
  span: Span
}

/** Limit on fetches of one text. */
const MAX_FETCHES = 500
const MAX_LINE = 4000

/**
 * Finds fetches in scripts, in calls with lists of arguments, and in documents, which a model
 * follows. Each line counts alone; a backslash at its end joins the next one.
 */
export function findRuntimeFetches(text: string): RuntimeFetch[] {
  const found: RuntimeFetch[] = []
  for (const line of joinLines(text)) {
    if (found.length >= MAX_FETCHES) break
    if (!HINT.test(line.text)) continue
    // Quotes and commas separate the words of an argument list, as blanks do.
    const words = line.text.replace(/["'`,[\]()]/g, ' ')
    const span = { start: line.start, end: line.end }
    const remote = REMOTE_CODE.find((pattern) => pattern.test(line.text))
    if (remote) found.push({ kind: 'remote-code', subject: shorten(line.text), span })
    for (const fetcher of FETCHERS) found.push(...findPackages(fetcher, words, span))
  }
  return found.slice(0, MAX_FETCHES)
}

function* joinLines(text: string): Generator<{ text: string; start: number; end: number }> {
  let joined = ''
  let start = 0
  let at = 0
  for (const line of text.split('\n')) {
    if (joined === '') start = at
    at += line.length + 1
    const isContinued = line.endsWith('\\') && joined.length < MAX_LINE
    joined += isContinued ? `${line.slice(0, -1)} ` : line
    if (isContinued) continue
    yield { text: joined.slice(0, MAX_LINE), start, end: Math.min(at - 1, text.length) }
    joined = ''
  }
  if (joined !== '') yield { text: joined.slice(0, MAX_LINE), start, end: text.length }
}

const HINT =
  /npx|bunx|pnpx|dlx|npm|pnpm|yarn|uvx|uv |pip|gem|cargo|go |brew|apt|apk|dnf|yum|conda|docker|podman|deno|git |curl|wget|iwr|irm|invoke-|https?:/i

const INTERPRETER =
  '(?:sudo\\s+(?:-\\w+\\s+)*)?(?:/usr)?(?:/bin/)?(?:env\\s+)?(?:ba|z|da|k|fi)?sh\\b|python[\\d.]*\\b|node\\b|perl\\b|ruby\\b|deno\\b|php\\b'
const FETCH = '(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)'
/** An address whose content is executed. */
const REMOTE_CODE: readonly RegExp[] = [
  new RegExp(
    `\\b${FETCH}\\b[^\\n|]{0,1000}\\|\\s{0,20}(?:tee\\s[^|]{0,200}\\|\\s{0,20})?(?:sudo\\s+(?:-\\w+\\s+){0,5})?(?:${INTERPRETER})`,
    'i',
  ),
  new RegExp(`\\b${FETCH}\\b[^\\n|]{0,1000}\\|\\s{0,20}(?:iex|Invoke-Expression)\\b`, 'i'),
  new RegExp(
    `(?:\\beval|\\bexec|\\bsource|\\bsh\\s+-c|\\bpython[\\d.]*\\s+-c|\\biex|(?:^|\\s)\\.)\\s{0,20}["'(]{0,3}\\s{0,20}(?:<\\(|\\$\\(|\`)\\s{0,20}${FETCH}\\b`,
    'i',
  ),
  new RegExp(
    `(?:\\b(?:ba|z|da)?sh|\\bpython[\\d.]*|\\bnode)\\s{1,20}<\\(\\s{0,20}${FETCH}\\b`,
    'i',
  ),
  /\b(?:eval|exec|compile|new Function|loads)\s{0,20}\([^\n]{0,200}\b(?:urlopen|requests\.get|httpx\.get|fetch|axios\.get)\s{0,20}\(/,
  /\bimport\s{0,20}\(\s{0,20}["'`]https?:/,
  /\bfrom\s{1,20}["']https?:/,
  /\bdeno\s{1,20}run\b[^\n]{0,300}\bhttps?:/,
]

interface Fetcher {
  /** Ends before the first argument. */
  command: RegExp
  pinned: RegExp
  /** True if the command fetches the packages of a file without further words. */
  takesFiles?: boolean
}

const NPM_PIN = /^(?:@[^@/]+\/)?[^@]+@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/
const PYTHON_PIN = /^[\w.-]+(?:\[[\w,.-]*\])?==\d[\w.!+]*$|^[\w.-]+@\d+(?:\.\d+)+[\w.]*$/
const VERSION_PIN = /[@=:]v?\d+(?:\.\d+)+[\w.+-]*$|@sha256:[0-9a-f]{64}$/

const FETCHERS: readonly Fetcher[] = [
  {
    command: /\b(?:npx|bunx|pnpx|pnpm\s+dlx|yarn\s+dlx|npm\s+exec|bun\s+x)(?=\s)/,
    pinned: NPM_PIN,
  },
  {
    command:
      /\b(?:npm\s+(?:i|install|add|ci)|pnpm\s+(?:i|install|add)|yarn\s+(?:add|install|global\s+add)|bun\s+(?:add|install))(?=\s|$)/,
    pinned: NPM_PIN,
    takesFiles: true,
  },
  {
    command: /\b(?:uvx|uv\s+tool\s+(?:run|install)|pipx\s+(?:run|install))(?=\s)/,
    pinned: PYTHON_PIN,
  },
  {
    command: /\b(?:pip[\d.]*\s+install|uv\s+pip\s+install|uv\s+add|poetry\s+add)(?=\s|$)/,
    pinned: PYTHON_PIN,
    takesFiles: true,
  },
  {
    command:
      /\b(?:gem\s+install|cargo\s+(?:b?install|add)|go\s+(?:install|get|run)|brew\s+install|conda\s+install)(?=\s)/,
    pinned: VERSION_PIN,
  },
  {
    command: /\b(?:apt(?:-get)?|apk|dnf|yum)\s+(?:-\w+\s+)*(?:install|add)(?=\s)/,
    pinned: VERSION_PIN,
  },
  { command: /\b(?:docker|podman)\s+(?:run|pull)(?=\s)/, pinned: VERSION_PIN },
  { command: /\bgit\s+clone(?=\s)/, pinned: /^$/ },
]

/** Options whose next word is a value. */
const VALUE_OPTIONS =
  /^(?:-p|--package|--from|--with|-c|--call|-r|--requirement|-i|--index-url|--name|-v|-e|--python|-b|--branch)$/
/** Options whose value is a package. */
const PACKAGE_OPTIONS = /^(?:-p|--package|--from|--with)$/
/** Words of prose after the name of a command, which are no packages. */
const PROSE =
  /^(?:the|a|an|it|its|this|these|that|your|our|any|all|and|or|to|with|packages?|dependencies|via|is|are|in|from|for|on|as|by|not|will|can|command|commands|using|instead|fails?)$/i
const PACKAGE = /^@?[A-Za-z0-9][\w@/.:+~^<>=!*-]{0,200}$|^https?:\/\/\S{1,300}$|^git@\S{1,300}$/

function findPackages(
  { command, pinned, takesFiles }: Fetcher,
  line: string,
  span: Span,
): RuntimeFetch[] {
  const found: RuntimeFetch[] = []
  for (const match of line.matchAll(new RegExp(command.source, 'g'))) {
    const name = match[0].replace(/\s+/g, ' ')
    const rest = line.slice(match.index + match[0].length)
    const [command_ = ''] = rest.split(/[;|&#>]|\s-c\s/)
    const { packages, file } = readArguments(command_.split(/\s+/))
    const [first] = packages
    if (first !== undefined) {
      const kind = pinned.test(first) ? 'pinned' : 'unpinned'
      found.push({ kind, subject: `${name} ${first}`, span })
    } else if (takesFiles === true && (file !== undefined || command_.trim() === '')) {
      found.push({
        kind: 'pinned',
        subject: file === undefined ? name : `${name} -r ${file}`,
        span,
      })
    }
  }
  return found
}

function readArguments(words: readonly string[]): { packages: string[]; file: string | undefined } {
  const packages: string[] = []
  let file: string | undefined
  const pending = words.filter((word) => word !== '').slice(0, 50)
  for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
    if (!word.startsWith('-')) {
      packages.push(...readPackageWord(word))
      break
    }
    const [option = '', attached] = word.split('=', 2)
    const value = attached ?? (VALUE_OPTIONS.test(option) ? pending.shift() : undefined)
    if (value !== undefined && PACKAGE_OPTIONS.test(option)) packages.push(value)
    if (/^(?:-r|--requirement)$/.test(option)) file = value
  }
  return { packages, file }
}

/** The package that a word names; a path of the skill is none. */
function readPackageWord(word: string): string[] {
  if (PROSE.test(word) || !PACKAGE.test(word) || /^\.{0,2}\//.test(word)) return []
  return [word.replace(/[.:]$/, '')]
}

function shorten(line: string): string {
  const text = line.trim()
  return text.length > 160 ? `${text.slice(0, 157)}…` : text
}
