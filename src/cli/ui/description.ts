import type { Plain, SkillInput } from '../../core/skills/manifest/manifest.ts'
import { toPrintable } from '../../util/printable.ts'
import type { SkillDescription } from '../../runtime-handle/handle.ts'
import { renderExamples } from './render-examples.ts'
import { renderMarkdown, type MarkdownPage } from './markdown.ts'
import { describePermissions } from './describe-permissions.ts'
import { formatTable } from './table.ts'
import { formatCount, formatSize, wrapText } from './text.ts'

/** Limits without --full. */
const MAX_DOC_LINES = 24
const MAX_FILES = 10

/** Renders a skill's description. */
export async function renderDescription(
  description: SkillDescription,
  { page, full }: { page: MarkdownPage; full: boolean },
): Promise<string> {
  const { style, columns } = page
  const { manifest } = description
  const heading = `${style.bold(toPrintable(manifest.name))} ${style.dim(toPrintable(manifest.version))}`
  const parts = [
    [heading, ...wrapText(toPrintable(manifest.description), columns)].join('\n'),
    renderFacts(description, page),
    renderSection('Inputs', renderInputs(description, page), page),
    renderSection('Examples', renderExamples(description, { page, full }), page),
    renderSection('Permissions', renderPermissions(description, page), page),
    renderSection('Documentation', await renderDocumentation(description, { page, full }), page),
    renderSection('Files', renderFiles(description, { page, full }), page),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function renderSection(title: string, body: string, { style }: MarkdownPage): string {
  return body === '' ? '' : `${style.bold(title)}\n${body}`
}

function renderFacts(
  { dir, manifest, versions }: SkillDescription,
  { columns, style }: MarkdownPage,
): string {
  const { runtime } = manifest
  const others = versions.filter((version) => version !== manifest.version)
  const rows: [string, string | undefined][] = [
    ['Title', manifest.title],
    ['Kind', manifest.kind],
    ['Namespace', manifest.namespace],
    ['Tags', manifest.tags.join(', ')],
    ['Runtime', runtime && `${runtime.language}, ${runtime.entrypoint}, ${runtime.export}()`],
    ['Dependencies', Object.values(manifest.dependencies ?? {}).join(', ')],
    ['Other versions', others.join(', ')],
    ['Unknown keys', manifest.unknownKeys.join(', ')],
    ['Folder', dir],
  ]
  const shown = rows.flatMap(([label, value]) => (value ? [[label, toPrintable(value)]] : []))
  return formatTable(shown, { columns, paint: [style.dim] })
}

function renderInputs({ manifest }: SkillDescription, { columns, style }: MarkdownPage): string {
  const rows = Object.entries(manifest.inputs).map(([name, input]) => [
    toPrintable(name),
    toPrintable(input.type),
    input.required ? 'required' : 'optional',
    renderInput(input),
  ])
  if (rows.length === 0) return ''
  const head = ['Name', 'Type', 'Needed', 'Meaning']
  return formatTable(rows, { columns, head, paintHead: style.dim, paint: [style.cyan] })
}

function renderInput(input: SkillInput): string {
  const one = (value: Plain) => JSON.stringify(value)
  const extra = [
    input.enum && `one of ${input.enum.map(one).join(', ')}`,
    input.default !== undefined && `default ${one(input.default)}`,
  ].filter(Boolean)
  const text = input.description ?? ''
  return toPrintable(extra.length > 0 ? `${text} (${extra.join('; ')})` : text)
}

function renderPermissions({ manifest }: SkillDescription, { columns }: MarkdownPage): string {
  return describePermissions(manifest)
    .flatMap((sentence) => wrapText(sentence, columns))
    .join('\n')
}

async function renderDocumentation(
  { markdown }: SkillDescription,
  { page, full }: { page: MarkdownPage; full: boolean },
): Promise<string> {
  if (markdown === undefined) return ''
  const body = markdown.replace(/^\uFEFF?---[^\n]*\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, '')
  const lines = (await renderMarkdown(body, page)).split('\n')
  if (full || lines.length <= MAX_DOC_LINES) return lines.join('\n')
  const rest = formatCount(lines.length - MAX_DOC_LINES, 'more line')
  return [...lines.slice(0, MAX_DOC_LINES), page.style.dim(`… ${rest}: add --full`)].join('\n')
}

function renderFiles(
  { files: all }: SkillDescription,
  { page, full }: { page: MarkdownPage; full: boolean },
): string {
  const shown = full ? all : all.slice(0, MAX_FILES)
  const rows = shown.map(({ path, size }) => [formatSize(size), toPrintable(path)])
  const list = formatTable(rows, { columns: page.columns, paint: [page.style.dim] })
  if (shown.length === all.length) return list
  return `${list}\n${page.style.dim(`… ${formatCount(all.length - shown.length, 'more file')}: add --full`)}`
}
