import { createJsDocType, createTypeScriptMembers } from './editor-types.ts'
import { listMessageInputs, MESSAGE_FILE } from './message.ts'
import { completeOutline, DRY_RUN, type Outline, type OutlineField } from './outline.ts'
import { createUrl } from './request-url.ts'

/** URL of the generated module; the bundler would replace the expression in one piece. */
const MODULE_URL = ['import', 'meta', 'url'].join('.')

/** Writes code/main.js or code/main.ts. */
export function createJavaScriptText(sparse: Outline, language: 'node' | 'typescript'): string {
  const outline = completeOutline(sparse)
  const isTyped = language === 'typescript'
  const hasRequest = outline.network.length > 0
  const blobInputs = outline.inputs.filter(({ type, required }) => type === 'blob' && required)
  const needsLog = hasRequest || outline.secrets.length > 0 || blobInputs.length > 0
  const needsBlobs = blobInputs.length > 0 || outline.results.some(({ type }) => type === 'blob')
  const names = [...(needsBlobs ? ['blobs'] : []), ...(needsLog ? ['log'] : [])]
  const isAsync = hasRequest ? 'async ' : ''
  return [
    '/// <reference path="./runtime.d.ts" />',
    "import { readFileSync } from 'node:fs'",
    ...(names.length > 0 ? [`import { ${names.join(', ')} } from 'runtime'`] : []),
    '',
    ...(hasRequest ? [`const API = '${createUrl(outline)}'`] : []),
    `const MESSAGE = new URL('../${MESSAGE_FILE}', ${MODULE_URL})`,
    '',
    ...createArgumentType(outline, isTyped),
    `export ${isAsync}function main(args${isTyped ? ': Inputs' : ''}) {`,
    ...createJavaScriptBody({ outline, blobInputs, isTyped }).map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n')
}

/** Lines before the function that describe its arguments to an editor. */
function createArgumentType(outline: Outline, isTyped: boolean): string[] {
  if (!isTyped) return [`/** @param {${createJsDocType(outline)}} args */`]
  const members = createTypeScriptMembers(outline).map((line) => `  ${line}`)
  const comment = '/** Arguments of main: the inputs of skill.toml. */'
  return [comment, 'interface Inputs {', ...members, '}', '']
}

interface BodyParts {
  outline: Outline
  blobInputs: readonly OutlineField[]
  isTyped: boolean
}

function createJavaScriptBody({ outline, blobInputs, isTyped }: BodyParts): string[] {
  return [
    ...createMessageLines(outline),
    ...blobInputs.map(
      ({ name }) => `log.info(\`${name} has \${blobs.readBytes(args.${name}).length} bytes\`)`,
    ),
    ...outline.secrets.map(
      (name) =>
        `if (!${getVariable(name, isTyped)}) log.warning('The secret ${name} is not configured')`,
    ),
    ...createJavaScriptRequest(outline, isTyped),
    `return { ${['summary: message', ...outline.results.map(createJavaScriptResult)].join(', ')} }`,
  ]
}

function createMessageLines(outline: Outline): string[] {
  const read = "readFileSync(MESSAGE, 'utf8').trim()"
  const names = listMessageInputs(outline)
  if (names.length === 0) return [`const message = ${read}`]
  return [
    `const message = ${read}`,
    ...names.map((name) => `  .replaceAll('{${name}}', () => String(args.${name}))`),
  ]
}

function getVariable(name: string, isTyped: boolean): string {
  return isTyped ? `process.env['${name}']` : `process.env.${name}`
}

function createJavaScriptRequest({ network, secrets }: Outline, isTyped: boolean): string[] {
  if (network.length === 0) return []
  const [secret] = secrets
  const token = secret === undefined ? '' : getVariable(secret, isTyped)
  const headers =
    secret === undefined ? '' : `, { headers: { authorization: \`Bearer \${${token}}\` } }`
  return [
    `if (args.${DRY_RUN}) {`,
    '  log.info(`Would request ${API}`)',
    '} else {',
    `  const response = await fetch(API${headers})`,
    '  log.info(`${API} responded with status ${response.status}`)',
    '}',
  ]
}

function createJavaScriptResult({ name, type }: OutlineField): string {
  const values: Readonly<Record<string, string>> = {
    integer: '0',
    number: '0',
    boolean: 'false',
    object: '{}',
    array: '[]',
    blob: 'blobs.writeText(message)',
  }
  return `${name}: ${values[type] ?? 'message'}`
}
