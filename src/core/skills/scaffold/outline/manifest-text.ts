import { INPUT_TYPES } from '../../manifest/manifest.ts'
import type { Template } from '../templates.ts'
import { listExampleBlobs, listExampleValues } from './example.ts'
import { completeOutline, findSecretHost, type Outline, type OutlineField } from './outline.ts'
import { formatTomlValue } from './toml-value.ts'

/** File with the JSON Schema of skill.toml, next to it: it is copied together with the skill. */
export const SCHEMA_FILE = 'skill.schema.json'

const PERMISSIONS = `
# Hosts and secrets that the code may use. Without these tables it has none.
# [permissions]
# network = ["https://api.example.com"]
# [permissions.secrets]
# EXAMPLE_API_TOKEN = "https://api.example.com"
`

/** Writes skill.toml. JSON strings are valid strings of TOML. */
export function createManifestText(
  values: { name: string; namespace: string; description: string },
  template: Pick<Template, 'kind' | 'language'>,
  sparse: Outline,
): string {
  const lines = [
    `#:schema ./${SCHEMA_FILE}`,
    `name = ${JSON.stringify(values.name)}`,
    'version = "0.1.0"',
    `description = ${JSON.stringify(values.description)}`,
    `kind = ${JSON.stringify(template.kind)}`,
    `namespace = ${JSON.stringify(values.namespace)}`,
    'tags = []',
    '',
  ]
  if (template.language === undefined) return lines.join('\n')
  const outline = completeOutline(sparse)
  lines.push(
    '[runtime]',
    `language = ${JSON.stringify(template.language)}`,
    `entrypoint = ${JSON.stringify(getEntrypoint(template.language))}`,
    'export = "main"',
    '',
    ...createInputTable(outline.inputs),
  )
  return `${lines.join('\n')}${createPermissionTable(outline)}${createExampleTable(sparse)}`
}

/** Path of the code of a generated skill. */
export function getEntrypoint(language: string): string {
  const extensions: Readonly<Record<string, string>> = { node: 'js', typescript: 'ts', shell: 'sh' }
  return `code/main.${extensions[language] ?? 'py'}`
}

function createInputTable(inputs: readonly OutlineField[]): string[] {
  const rows = inputs.map(({ name, type, description, required }) => {
    const must = required ? ', required = true' : type === 'boolean' ? ', default = false' : ''
    return `${name} = { type = "${type}", description = ${JSON.stringify(description)}${must} }`
  })
  const comment =
    rows.length === 0 ? [`# name = { type = "string", description = "…" }: ${listTypes()}`] : []
  return ['[inputs]', ...comment, ...rows, '']
}

function listTypes(): string {
  return `types are ${INPUT_TYPES.join(', ')}`
}

function createPermissionTable({ network, secrets }: Outline): string {
  if (network.length === 0 && secrets.length === 0) return PERMISSIONS
  const list = (key: string, values: readonly string[]) =>
    values.length === 0 ? '' : `${key} = [${values.map((each) => JSON.stringify(each)).join(', ')}]\n`
  const host = findSecretHost(network)
  if (host === undefined || secrets.length === 0) {
    return `\n[permissions]\n${list('network', network)}${list('secrets', secrets)}`
  }
  const rows = secrets.map((name) => `${name} = ${JSON.stringify(host)}\n`).join('')
  return `\n[permissions]\n${list('network', network)}\n${SECRETS_NOTE}[permissions.secrets]\n${rows}`
}

const SECRETS_NOTE = `# The values stay outside of the sandbox: they are put into the header Authorization of requests to
# the host. { hosts = ["…"], in = ["query:key"] } names other parts; {} gives the value to the code.
`

/** The example call of SKILL.md, with which "skills test --docs" runs the new skill. */
function createExampleTable(outline: Outline): string {
  const blobs = listExampleBlobs(outline)
  const args = { ...listExampleValues(outline), ...blobs }
  return `\n[[examples]]\ndescription = "uses example values"\nargs = ${formatTomlValue(args)}\n`
}
