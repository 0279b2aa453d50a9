import { quoteShellWord } from '../../../../util/shell-word.ts'
import { createExampleArguments, EXAMPLE_BLOB, listExampleValues } from './example.ts'
import { MESSAGE_FILE } from './message.ts'
import { findSecretHost, completeOutline, type Outline, type OutlineField } from './outline.ts'

/** Values of a new skill that its documents contain. */
interface DocumentValues {
  name: string
  /** As a word of YAML. */
  folder: string
  title: string
  description: string
  dir: string
}

/** Writes SKILL.md of a skill with code. */
export function createDocumentText(values: DocumentValues, sparse: Outline): string {
  const outline = completeOutline(sparse)
  const call = ['skills', 'exec', values.name, ...createExampleArguments(outline, values.dir)]
  return [
    '---',
    `name: ${values.folder}`,
    `description: ${JSON.stringify(values.description)}`,
    '---',
    '',
    `# ${values.title}`,
    '',
    values.description,
    '',
    '## How to call it',
    '',
    ...createInputRows(outline.inputs),
    '',
    describeResult(outline.results),
    '',
    ...describePermissionLines(outline),
    '## Example',
    '',
    '```sh',
    call.map(quoteShellWord).join(' '),
    '```',
    '',
    ...describeExampleFiles(outline),
    `The text of \`summary\` is in [${MESSAGE_FILE}](${MESSAGE_FILE}).`,
    '',
  ].join('\n')
}

function createInputRows(inputs: readonly OutlineField[]): string[] {
  if (inputs.length === 0) return ['It takes no arguments.']
  return [
    '| Argument | Type | Meaning |',
    '| --- | --- | --- |',
    ...inputs.map(({ name, type, required, description }) => {
      const must = required ? 'required' : type === 'boolean' ? 'default false' : 'optional'
      return `| \`${name}\` | ${type}, ${must} | ${escapeCell(description)} |`
    }),
  ]
}

function escapeCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}

function describeResult(results: readonly OutlineField[]): string {
  if (results.length === 1 && results[0]?.name === 'greeting') {
    return 'The result is an object with `summary` and `greeting`.'
  }
  if (results.length === 0) return 'The result is an object with `summary`.'
  const rows = results.map(
    ({ name, type, description }) => `| \`${name}\` | ${type} | ${escapeCell(description)} |`,
  )
  const head = ['| Result | Type | Meaning |', '| --- | --- | --- |']
  return [...head, '| `summary` | string | One sentence about the run |', ...rows].join('\n')
}

function describePermissionLines({ network, secrets }: Outline): string[] {
  const list = (names: readonly string[]) => names.map((each) => `\`${each}\``).join(', ')
  const host = findSecretHost(network)
  const lines = [
    ...(network.length === 0 ? [] : [`It reaches only ${list(network)}.`]),
    ...(secrets.length === 0
      ? []
      : [`It ${host === undefined ? 'reads' : 'sends'} the secret${secrets.length === 1 ? '' : 's'} ${list(secrets)}${host === undefined ? '' : ` only to \`${host}\``}.`]),
  ]
  return lines.length === 0 ? [] : [lines.join(' '), '']
}

function describeExampleFiles(outline: Outline): string[] {
  const hasBlob = outline.inputs.some(({ type, required }) => type === 'blob' && required)
  if (hasBlob) return [`The blob of this call is [${EXAMPLE_BLOB}](${EXAMPLE_BLOB}).`]
  const json = 'resources/example.json'
  const hasValues = Object.keys(listExampleValues(outline)).length > 0
  return hasValues ? [`The arguments of this call are also in [${json}](${json}).`] : []
}
