import { join } from 'node:path'
import type {
  Manifest,
  Plain,
  PlainObject,
  SkillExample,
} from '../../core/skills/manifest/manifest.ts'
import type { SkillDescription } from '../../runtime-handle/handle.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { MarkdownPage } from './markdown.ts'
import { formatCount } from './text.ts'

/** Limits without --full. */
const MAX_SHOWN = 3
const MAX_LENGTH = 200

/** Renders the examples of a manifest: a description, the command, and the expected end of each. */
export function renderExamples(
  { manifest, dir }: Pick<SkillDescription, 'manifest' | 'dir'>,
  { page, full }: { page: MarkdownPage; full: boolean },
): string {
  const { examples = [] } = manifest
  const { style } = page
  const shown = full ? examples : examples.slice(0, MAX_SHOWN)
  const blocks = shown.map((example) => {
    const command = formatExampleCommand(example, manifest, dir)
    const lines = [
      ...(example.description === undefined ? [] : [toPrintable(example.description)]),
      `  ${style.cyan(shorten(command, full))}`,
      ...formatExampleEnd(example).map((end) => style.dim(`  → ${shorten(end, full)}`)),
    ]
    return lines.join('\n')
  })
  const rest = examples.length - shown.length
  if (rest > 0) blocks.push(style.dim(`… ${formatCount(rest, 'more example')}: add --full`))
  return blocks.join('\n')
}

/** The command that makes the call; blobs are files of the skill's folder, which a remote skill does not have here. */
function formatExampleCommand(
  { args }: SkillExample,
  { name: skill, inputs }: Manifest,
  dir: string | undefined,
): string {
  const isBlob = (name: string) => Object.hasOwn(inputs, name) && inputs[name]?.type === 'blob'
  const passed = Object.entries(args)
  const values: PlainObject = Object.fromEntries(passed.filter(([name]) => !isBlob(name)))
  const words = [
    ...(Object.keys(values).length === 0 ? [] : ['--args', JSON.stringify(values)]),
    ...passed.flatMap(([name, path]) =>
      isBlob(name) ? ['--blob', `${name}=${join(dir ?? '', spellPath(path))}`] : [],
    ),
  ]
  return ['skills', 'exec', skill, ...words].map(quoteShellWord).join(' ')
}

function formatExampleEnd({ result, error }: SkillExample): string[] {
  if (error !== undefined) return [`fails with ${error}`]
  return result === undefined ? [] : [JSON.stringify(result)]
}

/** Lint reports other values; they are shown as they are written. */
function spellPath(value: Plain): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function shorten(text: string, full: boolean): string {
  const printable = toPrintable(text)
  return full || printable.length <= MAX_LENGTH ? printable : `${printable.slice(0, MAX_LENGTH)}…`
}
