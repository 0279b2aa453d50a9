import { findNearest } from '../../../util/find-nearest.ts'
import { memoize } from '../../../util/memoize.ts'
import type { Span } from '../../skills/manifest/source.ts'
import type { ExampleArgument, ExampleCall } from './example-call.ts'
import { isPlaceholder, readJsonExample, readMembers } from './example-json.ts'
import { scanMarkdown } from '../markdown/markdown-scan.ts'
import { parseJsonTree } from '../../../util/text/json-tree.ts'
import type { LintedSkill } from '../rule.ts'
import type { SkillExample } from '../../skills/manifest/manifest.ts'

/** A word of a command in a code block. */
export interface ExampleWord extends Span {
  /** Without quotes. */
  text: string
  /** Offset of the first character inside the quotes. */
  inside: number
  isVariable: boolean
}

/** Calls of the skill: those in the code blocks of SKILL.md, then the examples of skill.toml. */
export const listExampleCalls: (skill: LintedSkill) => readonly ExampleCall[] = memoize(
  ({ markdown, manifest, toml }) => [
    ...readExampleCalls({ markdown, manifest }),
    ...readManifestCalls({ manifest, toml }),
  ],
)

/** A skill with examples; a call may name its folder, if that is known. */
type DocumentedSkill = Pick<LintedSkill, 'markdown' | 'manifest'> &
  Partial<Pick<LintedSkill, 'folder'>>

/** Reads the calls of a skill by its name or by its folder. */
export function readExampleCalls({ markdown, manifest, folder }: DocumentedSkill): ExampleCall[] {
  const isOwn = (reference: string) =>
    reference.split('@')[0] === manifest.name ||
    (folder !== undefined && reference.replace(/\/$/, '').endsWith(`/${folder}`))
  if (!markdown || manifest.name === '') return []
  const { code, headings } = scanMarkdown(markdown)
  return code.flatMap((block) => {
    if (/^jsonc?$/.test(block.language)) {
      const heading = headings.findLast(({ span }) => span.start < block.start)
      const isFirst = !code.some(
        ({ start }) => start < block.start && start > (heading?.span.start ?? 0),
      )
      return readJsonExample(block, manifest, isFirst ? (heading?.text ?? '') : '')
    }
    if (!block.text.includes('exec ')) return []
    return listCommands(block.text, block.start).flatMap((words) =>
      readCall(words, isOwn, Object.keys(manifest.inputs)),
    )
  })
}

/** Splits a block into commands and words; a backslash continues a line. */
function listCommands(text: string, base: number): ExampleWord[][] {
  const commands: ExampleWord[][] = [[]]
  const tokens =
    /\\\r?\n|[ \t]+|#[^\n]*|(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\.|[^\s"'\\;|&])+|[\n;|&]/g
  for (const match of text.matchAll(tokens)) {
    const [written] = match
    if (/^[\n;|&]/.test(written)) commands.push([])
    else if (!/^(?:[ \t#]|\\\r?\n)/.test(written)) {
      commands.at(-1)?.push(toWord(written, base + match.index))
    }
  }
  return commands
}

function toWord(written: string, start: number): ExampleWord {
  const text = written.replace(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\./g, unquote)
  const inside = start + (/^["']/.test(written) ? 1 : 0)
  const isVariable = /\$/.test(written.replace(/'[^']*'/g, ''))
  return { text, start, end: start + written.length, inside, isVariable }
}

function unquote(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1)
  return written.startsWith('"')
    ? written.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
    : written.slice(1)
}

function readCall(
  words: readonly ExampleWord[],
  isOwnReference: (reference: string) => boolean,
  inputs: readonly string[],
): ExampleCall[] {
  const at = words.findIndex(({ text }) => text === 'exec')
  const named = words[at + 1]
  const isOwn = at > 0 && words[at - 1]?.text === 'skills' && named && isOwnReference(named.text)
  if (!named || !isOwn) return []
  const options = words
    .slice(at + 2)
    .map((word, index, rest) =>
      (rest[index - 1]?.text ?? '').startsWith('-') && !rest[index - 1]?.text.includes('=')
        ? []
        : readOption(word, rest[index + 1], inputs),
    )
  const isElided = words.some(({ text }) => /\.\.\.|…|^\[/.test(text))
  const isPartial = isElided || options.includes('unknown')
  const passed = options.flatMap((each) => (each === 'unknown' ? [] : each))
  return [{ file: 'SKILL.md', span: named, arguments: passed, isPartial, isFailure: false }]
}

/** Arguments of an option; `unknown` if its value is not written in the example. */
function readOption(
  word: ExampleWord,
  next: ExampleWord | undefined,
  inputs: readonly string[],
): readonly ExampleArgument[] | 'unknown' {
  const option = /^--(args|arg|blob)(?:=|$)/.exec(word.text)
  if (!option) return readNamed(word, next, inputs)
  const value = word.text.includes('=') ? skipStart(word, option[0].length) : next
  const read =
    value &&
    (option[1] === 'args'
      ? readJsonArguments(value)
      : (readPair(value, option[1] === 'arg') ?? readUnnamed(value)))
  return read ?? 'unknown'
}

/** A path without the name of its input, which is refused. */
function readUnnamed(value: ExampleWord): ExampleArgument[] | undefined {
  const isPath = /^[\w./-]*[\w-]+\.\w+$/.test(value.text) && !value.isVariable
  const nameSpan = { start: value.inside, end: value.inside + value.text.length }
  return isPath
    ? [{ name: value.text, nameSpan, text: undefined, isJson: false, valueSpan: nameSpan }]
    : undefined
}

/** The input of `name=value`, and of `--name value` for a name that is or resembles an input. */
// eslint-disable-next-line complexity -- one condition for each form of an option
function readNamed(
  word: ExampleWord,
  next: ExampleWord | undefined,
  inputs: readonly string[],
): readonly ExampleArgument[] {
  if (!word.text.startsWith('-')) return readPair(word, true) ?? []
  const [, flag = ''] = /^--([A-Za-z][\w-]*)/.exec(word.text) ?? []
  const name = flag.replaceAll('-', '_')
  const isInput = inputs.includes(name) || (flag !== '' && findNearest(name, inputs) !== undefined)
  if (!isInput || KNOWN_OPTIONS.test(flag)) return []
  const nameSpan = { start: word.inside + 2, end: word.inside + 2 + flag.length }
  const value = word.text.includes('=') ? skipStart(word, flag.length + 3) : next
  const isPlain =
    value !== undefined &&
    !value.isVariable &&
    !value.text.startsWith('-') &&
    !isPlaceholder(value.text)
  const valueSpan = value ?? nameSpan
  return [{ name, nameSpan, text: isPlain ? value.text : undefined, isJson: false, valueSpan }]
}

/** Options of `skills exec` that may resemble an input. */
const KNOWN_OPTIONS =
  /^(?:timeout|memory|secret|secrets-file|allow-network|out|json|watch|quiet|detach|url|dry-run|config|root|env|keep|backend|debug|repeat|input-blob|no-\w+|host-packages)$/

/** References after "skills exec" in code blocks that are not the skill, but nearly. */
export function listMisnamedCalls({ markdown, manifest, folder }: LintedSkill): ExampleWord[] {
  const { name } = manifest
  if (!markdown || !name.includes('.')) return []
  const short = name.split('.').at(-1) ?? ''
  return scanMarkdown(markdown)
    .code.flatMap((block) =>
      block.text.includes('exec ') ? listCommands(block.text, block.start) : [],
    )
    .flatMap((words) => {
      const at = words.findIndex(({ text }) => text === 'exec')
      const called = words[at + 1]
      if (at < 1 || words[at - 1]?.text !== 'skills' || !called || called.text.includes('/'))
        return []
      const reference = called.text.split('@')[0] ?? ''
      const isOwn = reference === name || reference === folder
      const isNear = reference === short || findNearest(reference, [name]) !== undefined
      return isNear && (!isOwn || reference === short) ? [called] : []
    })
}

function skipStart(word: ExampleWord, length: number): ExampleWord {
  const text = word.text.slice(length)
  return { ...word, text, inside: word.end - text.length }
}

function readPair(value: ExampleWord, isText: boolean): ExampleArgument[] | undefined {
  const [name = ''] = value.text.split('=', 1)
  if (!/^[A-Za-z_][\w-]*$/.test(name) || !value.text.includes('=')) return undefined
  const text = value.text.slice(name.length + 1)
  const nameSpan = { start: value.inside, end: value.inside + name.length }
  const start = nameSpan.end + 1
  // The closing quote of the whole word is not a part of the value.
  const end = value.inside > value.start ? start + text.length : value.end
  const valueSpan = { start, end: Math.max(start, end) }
  const isPlain = isText && !value.isVariable && !isPlaceholder(text)
  const path = isText || value.isVariable || isPlaceholder(text) ? {} : { path: text }
  return [{ name, nameSpan, text: isPlain ? text : undefined, isJson: false, ...path, valueSpan }]
}

function readJsonArguments(value: ExampleWord): ExampleArgument[] | undefined {
  const isPlain = !value.isVariable && value.text.length === value.end - value.inside - 1
  const tree = isPlain && value.text.startsWith('{') ? parseJsonTree(value.text).tree : undefined
  return tree?.type === 'object' ? readMembers(tree, value.text, value.inside) : undefined
}

const NOWHERE = { start: 0, end: 0 }

/** Calls under [[examples]] of skill.toml. Positions are computed when they are read. */
function readManifestCalls({
  manifest,
  toml,
}: Pick<LintedSkill, 'manifest'> & Partial<Pick<LintedSkill, 'toml'>>): ExampleCall[] {
  const { examples = [], inputs } = manifest
  const locate = (path: readonly (string | number)[], what: 'key' | 'value') =>
    toml?.locate(['examples', ...path], what) ?? NOWHERE
  const readArguments = ({ index, args }: SkillExample): ExampleArgument[] =>
    Object.entries(args).map(([name, value]) => ({
      name,
      // A blob gets a new id in every run.
      text: inputs[name]?.type === 'blob' ? undefined : JSON.stringify(value),
      isJson: true,
      get nameSpan() {
        return locate([index, 'args', name], 'key')
      },
      get valueSpan() {
        return locate([index, 'args', name], 'value')
      },
    }))
  return examples.map((example) => ({
    file: 'skill.toml',
    arguments: readArguments(example),
    isPartial: false,
    isFailure: example.error !== undefined,
    get span() {
      return locate([example.index], 'key')
    },
  }))
}
