import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { parseValue, SEVERITIES } from '../parse-value.ts'
import { hasScheme } from '../roots/root-source.ts'
import type { SettingPath } from './setting-path.ts'

/** Folders that relative paths refer to: on the command line, and in the file. */
export interface PathBases {
  cwd: string
  /** Configuration file that is written. */
  file: string
  /** True if the file applies to all folders: its paths are absolute. */
  isGlobal: boolean
}

/** A value for the file, or a description of the expected one. */
export type ParsedWords = { raw: Plain } | { expected: string }

/** Parses the words of a command line to the value of a setting in a file. */
export function parseWords(
  setting: SettingPath,
  words: readonly string[],
  bases: PathBases,
): ParsedWords {
  const isList = isWordList(setting)
  const [first = ''] = words
  if (!isList && words.length !== 1) return { expected: 'one value' }
  const raw = isList ? parseListWords(words) : parseWord(setting, first)
  if (raw === undefined) return { expected: describeJson(setting) }
  const placed = rebasePaths(setting, raw, bases)
  const expected = findExpected(setting, placed, bases.file)
  return expected === undefined ? { raw: placed } : { expected }
}

function isWordList({ key, entry }: SettingPath): boolean {
  return entry === undefined && LIST_TYPES.has(key.type)
}

function findExpected({ key, entry }: SettingPath, raw: Plain, file: string): string | undefined {
  if (entry !== undefined && key.type === 'rules' && !SEVERITIES.includes(raw as string)) {
    return 'error, warning, info or off'
  }
  const parsed = parseValue(key, entry === undefined ? raw : { [entry]: raw }, dirname(file))
  return 'expected' in parsed ? parsed.expected : undefined
}

function parseListWords(words: readonly string[]): Plain | undefined {
  const [first = ''] = words
  return words.length === 1 && first.startsWith('[') ? parseJsonWord(first) : [...words]
}

function parseWord({ key, entry }: SettingPath, word: string): Plain | undefined {
  if (entry !== undefined) return word.startsWith('{') ? parseJsonWord(word) : word
  const isFlag = key.type === 'flag' || key.type === 'flag or choice'
  if (isFlag) return /^(?:true|false)$/.test(word) ? word === 'true' : word
  if (NUMBER_TYPES.has(key.type)) return /^\d+$/.test(word) ? Number(word) : word
  return key.type === 'text' || key.type === 'path' ? word : parseJsonWord(word)
}

const LIST_TYPES: ReadonlySet<string> = new Set(['texts', 'paths', 'roots', 'sources'])
const PATH_LIST_TYPES: ReadonlySet<string> = new Set(['paths', 'roots', 'sources'])
const NUMBER_TYPES: ReadonlySet<string> = new Set(['count', 'count or 0', 'bytes', 'duration'])

function parseJsonWord(word: string): Plain | undefined {
  try {
    return JSON.parse(word) as Plain
  } catch {
    return undefined
  }
}

function describeJson({ key, entry }: SettingPath): string {
  if (entry !== undefined) return 'a value or a JSON object'
  const isTable = key.type === 'rules' || key.type === 'repositories'
  if (isTable) return `a JSON object; its entries can be set one by one as ${key.key}.<name>`
  return LIST_TYPES.has(key.type) ? 'a JSON list' : 'a JSON list of objects'
}

/** Makes paths of the command line relative to the file. */
function rebasePaths({ key, entry }: SettingPath, raw: Plain, bases: PathBases): Plain {
  const isPath = (each: Plain) =>
    typeof each === 'string' && !(key.type !== 'paths' && hasScheme(each))
  const rebase = (each: Plain) => (isPath(each) ? rebasePath(each as string, bases) : each)
  if (key.type === 'path') return rebase(raw)
  if (PATH_LIST_TYPES.has(key.type)) return Array.isArray(raw) ? raw.map(rebase) : raw
  return key.type === 'repositories' && entry !== undefined ? rebase(raw) : raw
}

function rebasePath(path: string, { cwd, file, isGlobal }: PathBases): string {
  if (path === '' || isAbsolute(path)) return path
  if (isGlobal) return resolve(cwd, path)
  if (resolve(cwd) === dirname(file)) return path
  return relative(dirname(file), resolve(cwd, path)) || '.'
}
