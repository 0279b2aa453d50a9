import type { Plain, SkillInput } from '../../core/skills/manifest/manifest.ts'
import { printable } from '../../util/printable.ts'
import type { SkillDescription } from '../../runtime-handle/handle.ts'
import { renderMarkdown, type Page } from './markdown.ts'
import { permissionSentences } from './permission-sentences.ts'
import { table } from './table.ts'
import { count, formatBytes, wrap } from './text.ts'

/** How much is shown without --full. */
const SHORT_DOCS = 24
const SHORT_FILES = 10

/** A skill as a page for a person. */
export async function renderDescription(
  description: SkillDescription,
  { page, full }: { page: Page; full: boolean },
): Promise<string> {
  const { style, columns } = page
  const { manifest } = description
  const heading = `${style.bold(printable(manifest.name))} ${style.dim(printable(manifest.version))}`
  const parts = [
    [heading, ...wrap(printable(manifest.description), columns)].join('\n'),
    facts(description, page),
    section('Inputs', inputs(description, page), page),
    section('Permissions', permissions(description, page), page),
    section('Documentation', await documentation(description, { page, full }), page),
    section('Files', files(description, { page, full }), page),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function section(title: string, body: string, { style }: Page): string {
  return body === '' ? '' : `${style.bold(title)}\n${body}`
}

function facts({ dir, manifest, versions }: SkillDescription, { columns, style }: Page): string {
  const { runtime } = manifest
  const others = versions.filter((version) => version !== manifest.version)
  const rows: [string, string | undefined][] = [
    ['Title', manifest.title],
    ['Kind', manifest.kind],
    ['Namespace', manifest.namespace],
    ['Tags', manifest.tags.join(', ')],
    ['Runtime', runtime && `${runtime.language}, ${runtime.entrypoint}, ${runtime.export}()`],
    ['Dependencies', manifest.dependencies?.python],
    ['Other versions', others.join(', ')],
    ['Unknown keys', manifest.unknownKeys.join(', ')],
    ['Folder', dir],
  ]
  const shown = rows.flatMap(([label, value]) => (value ? [[label, printable(value)]] : []))
  return table(shown, { columns, paint: [style.dim] })
}

function inputs({ manifest }: SkillDescription, { columns, style }: Page): string {
  const rows = Object.entries(manifest.inputs).map(([name, input]) => [
    printable(name),
    printable(input.type),
    input.required ? 'required' : 'optional',
    inputText(input),
  ])
  if (rows.length === 0) return ''
  const head = ['Name', 'Type', 'Needed', 'Meaning']
  return table(rows, { columns, head, paintHead: style.dim, paint: [style.cyan] })
}

function inputText(input: SkillInput): string {
  const one = (value: Plain) => JSON.stringify(value)
  const extra = [
    input.enum && `one of ${input.enum.map(one).join(', ')}`,
    input.default !== undefined && `default ${one(input.default)}`,
  ].filter(Boolean)
  const text = input.description ?? ''
  return printable(extra.length > 0 ? `${text} (${extra.join('; ')})` : text)
}

function permissions({ manifest }: SkillDescription, { columns }: Page): string {
  return permissionSentences(manifest)
    .flatMap((sentence) => wrap(sentence, columns))
    .join('\n')
}

async function documentation(
  { markdown }: SkillDescription,
  { page, full }: { page: Page; full: boolean },
): Promise<string> {
  if (markdown === undefined) return ''
  const body = markdown.replace(/^\uFEFF?---[^\n]*\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, '')
  const lines = (await renderMarkdown(body, page)).split('\n')
  if (full || lines.length <= SHORT_DOCS) return lines.join('\n')
  const rest = count(lines.length - SHORT_DOCS, 'more line')
  return [...lines.slice(0, SHORT_DOCS), page.style.dim(`… ${rest}: add --full`)].join('\n')
}

function files(
  { files: all }: SkillDescription,
  { page, full }: { page: Page; full: boolean },
): string {
  const shown = full ? all : all.slice(0, SHORT_FILES)
  const rows = shown.map(({ path, size }) => [formatBytes(size), printable(path)])
  const list = table(rows, { columns: page.columns, paint: [page.style.dim] })
  if (shown.length === all.length) return list
  return `${list}\n${page.style.dim(`… ${count(all.length - shown.length, 'more file')}: add --full`)}`
}
