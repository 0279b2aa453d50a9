import type { ScriptArgument, ScriptInterface } from '../../adopting/script-interface.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'

const MAX_DOCUMENTED = 3
const MAX_WORDS = 40
const WORD = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(<[\w .-]{1,40}>|[^\s"'|;&<>()`#]+)) */

/** Reads the arguments that documents pass to a script. */
export function readDocumentedArguments(text: string, path: string): string[][] {
  const found = new Map<string, string[]>()
  let at = text.indexOf(path)
  while (at !== -1 && found.size < MAX_DOCUMENTED) {
    const words = readWords(text.slice(at + path.length, at + path.length + 1000))
    if (words.length > 0) found.set(words.join('\0'), words.map(fillPlaceholder))
    at = text.indexOf(path, at + path.length)
  }
  return [...found.values()]
}

/** Reads the words until the end of the command. */
function readWords(rest: string): string[] {
  const line = rest.replace(/\\\n/g, ' ').split(/[\n`]/)[0] ?? ''
  if (!/^["']?\s/.test(line)) return []
  const words: string[] = []
  let left = line.replace(/^["']?\s*/, '')
  for (let match = WORD.exec(left); match && words.length < MAX_WORDS; match = WORD.exec(left)) {
    words.push(match[1] ?? match[2] ?? match[3] ?? '')
    left = left.slice(match[0].length)
  }
  return words
}

/** Replaces `<file>` and similar words by a value that exists. */
function fillPlaceholder(word: string): string {
  const [, name] = /^[<{[]+([\w .-]+)[>}\]]+$/.exec(word) ?? []
  if (name === undefined && !/^[A-Z][A-Z_]{2,}$/.test(word)) return word
  return choosePlausibleText(name ?? word)
}

/** Chooses a value by the name of an argument. */
export function choosePlausibleText(name: string): string {
  const lower = name.toLowerCase()
  if (/url|link|uri|endpoint/.test(lower)) return 'https://example.com/'
  if (/csv|table|sheet/.test(lower)) return 'data.csv'
  if (/json/.test(lower)) return 'input.json'
  if (/dir|folder|root|directory|repo|project|workspace/.test(lower)) return '.'
  if (/out|dest|target/.test(lower)) return 'output.txt'
  if (/file|path|input|source|doc/.test(lower)) return 'input.txt'
  if (/city|location|place/.test(lower)) return 'Berlin'
  if (/mail/.test(lower)) return 'user@example.com'
  if (/date|day/.test(lower)) return '2026-01-15'
  if (/count|num|limit|size|port|days?$/.test(lower)) return '3'
  return 'example'
}

/** Guesses the arguments of a program that declares none, by what it does with them. */
export function guessArguments(text: string): string[][] {
  if (!READS_ARGUMENTS.test(text)) return []
  const first = GUESSES.find(([pattern]) => pattern.test(text))?.[1]
  return [...(first === undefined ? [] : [[first, first]]), ['input.txt', 'output.txt']]
}

const READS_ARGUMENTS = /\bargv\b|\$\{?[1@*]|\bARGV\b/
const GUESSES: readonly (readonly [RegExp, string])[] = [
  [/fromisoformat|strptime|new Date\(\s*process\.argv/, '2026-01-15'],
  [/(?:int|float|Number|parseInt|parseFloat)\(\s*(?:sys\.argv|process\.argv)/, '3'],
  [/json\.load|JSON\.parse/, 'input.json'],
  [/csv|DictReader/i, 'data.csv'],
  [/is_dir|isdir|walk\(|rglob|readdir|scandir|iterdir|\bfind\s/, '.'],
]

/** Builds argument lists from the declared interface of a script. */
export function buildArguments({ commands, takesRest }: ScriptInterface): string[][] {
  const built = commands
    .slice(0, 4)
    .map(({ words, arguments: declared }) => [
      ...words,
      ...declared
        .filter(({ required, flags }) => required || flags.length === 0)
        .flatMap(buildArgument),
    ])
  const rest = takesRest ? [['input.txt', 'output.txt']] : []
  return [...built, ...rest].filter(({ length }) => length > 0)
}

function buildArgument(argument: ScriptArgument): string[] {
  const { flags, action, choices, count } = argument
  if (/^(?:store_true|store_false|store_const|count|help|version)/.test(action))
    return flags.slice(0, 1)
  const value =
    choices?.[0] === undefined ? choosePlausibleValue(argument) : formatArgument(choices[0])
  const values = Array.from({ length: typeof count === 'number' ? count : 1 }, () => value)
  return [...(flags.at(-1) === undefined ? [] : [flags.at(-1) ?? '']), ...values]
}

function choosePlausibleValue({ type, name, default: preset }: ScriptArgument): string {
  if (preset !== undefined && preset !== null && preset !== '') return formatArgument(preset)
  if (type === 'integer' || type === 'number') return '3'
  return choosePlausibleText(name)
}

function formatArgument(value: Plain): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
