/** A statement with its texts put together. */
export interface FoldedStatement {
  /** The statement with assembled texts as one. */
  text: string
  /** The statement as it is written. */
  written: string
  start: number
  /** False if no word of it can belong to a harm. */
  mayHarm: boolean
}

/** A name of a file that holds data of a source. */
export interface Carrier<Source> {
  pattern: RegExp
  source: Source
}

const ASSIGNED =
  /^\s*(?:export\s+|local\s+|readonly\s+|declare\s+(?:-\w+\s+)?|const\s+|let\s+|var\s+)?(?:\$)?([A-Za-z_]\w*)(?:\[[^\]]{0,60}\])?\s*(?::[^=\n]{1,40})?[+|]?=(?!=)|^\s*(?:const|let|var)\s*[{[]\s*(?:\w+\s*:\s*)?([A-Za-z_]\w*)|["']-\w*[oO]["']\s*,\s*([A-Za-z_]\w*)|\bas\s+([A-Za-z_]\w*)\s*:|\bfor\s*\(?\s*(?:const\s+|let\s+|var\s+)?[[({]?\s*([A-Za-z_]\w*)(?:\s*,\s*([A-Za-z_]\w*))?(?:\s*,\s*([A-Za-z_]\w*))?\s*[\])}]?\s+(?:in|of)\b|\b([A-Za-z_]\w*)\.(?:append|update|push|extend|add|write|writestr|set)\(|(?:>>?|\btee|-o|-O|-?[cz]{1,3}f|--output)\s*["']?((?:\/tmp|\/var\/tmp|~|\$\w+)[\w./$-]{1,100})|\b(?:cp|mv|copy\w*\()\s?[^\n]{0,200}[\s"'](\/tmp[\w./-]{1,100})/gm
/** A file that a call writes, by its name or its path. */
const WRITTEN =
  /\b(?:writeFile(?:Sync)?\(|urlretrieve\([^,\n]{1,200},)\s*["'`]?([A-Za-z_~/.][\w./~-]*)/g
const OPENED =
  /\bopen\(\s*["'`]?([A-Za-z_~/.][\w./~-]*)["'`]?\s*,\s*["'](?:[wa]b?|w:\w{0,3})["']\s*\)\s*as\s+(\w+)|\b(\w+)\s*=\s*(?:await\s+)?(?:\w+\.)?(?:open|createWriteStream)\(\s*["'`]?([A-Za-z_~/.][\w./~-]*)/
const FUNCTION =
  /^\s*(?:export\s+)?(?:async\s+)?(?:def|function)\s+(\w+)|^\s*(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>|^(\w+)\(\)\s*\{/
const COMMON_NAMES = /^(?:self|this|os|path|Path|home|HOME|i|f|fh|e|err|cfg|args)$/
const MAX_NAMES = 60

/** Names that hold data of a source, by assignments and functions, in a few steps. */
export function findCarriers<Source>(
  statements: readonly FoldedStatement[],
  sources: ReadonlyMap<FoldedStatement, Source>,
): Carrier<Source>[] {
  const names = new Map<string, Carrier<Source>>()
  if (sources.size === 0) return []
  const files = findOpenedFiles(statements)
  const add = (name: string | undefined, source: Source) => {
    addName(name, source)
    addName(files.get(name ?? ''), source)
  }
  const addName = (name: string | undefined, source: Source) => {
    if (!name || names.size >= MAX_NAMES || names.has(name) || COMMON_NAMES.test(name)) return
    names.set(name, { source, pattern: compileName(name) })
  }
  for (let pass = 0; pass < 3; pass++) {
    const before = names.size
    for (const [at, statement] of statements.entries()) {
      const carried = [...names.values()].find(({ pattern }) => pattern.test(statement.text))
      const source = sources.get(statement) ?? carried?.source
      if (source === undefined) continue
      for (const match of statement.text.matchAll(WRITTEN)) add(match[1], source)
      for (const match of statement.text.matchAll(ASSIGNED)) {
        for (const name of match.slice(1)) add(name, source)
      }
      add(findFunction(statements, at), source)
    }
    if (names.size === before) break
  }
  return [...names.values()]
}

/** Files by the names of their handles. */
function findOpenedFiles(statements: readonly FoldedStatement[]): ReadonlyMap<string, string> {
  return new Map(
    statements.flatMap(({ text }) => {
      const [, path, handle, name, target] = (/open|create/.test(text) && OPENED.exec(text)) || []
      const file = path ?? target
      return file ? [[handle ?? name ?? '', file] as const] : []
    }),
  )
}

/** Name of the function around a statement; its callers get the data that it returns. */
export function findFunction(
  statements: readonly FoldedStatement[],
  at: number,
): string | undefined {
  const own = countIndent(statements[at]?.text)
  for (let index = at; index >= Math.max(0, at - 60); index--) {
    const text = statements[index]?.text
    const name = FUNCTION.exec(text ?? '')
      ?.slice(1)
      .find(Boolean)
    if (name !== undefined && (index === at || countIndent(text) < own)) return name
  }
  return undefined
}

function countIndent(text = ''): number {
  return /^\s*/.exec(text)?.[0].length ?? 0
}

function compileName(name: string): RegExp {
  const plain = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  return new RegExp(/^\w/.test(name) ? `(?<![\\w.])${plain}(?!\\w)` : plain)
}
