import { MESSAGE_FILE } from './message.ts'
import { completeOutline, DRY_RUN, type Outline, type OutlineField } from './outline.ts'
import { createUrl } from './request-url.ts'

/** Writes code/main.py. */
export function createPythonText(sparse: Outline): string {
  const outline = completeOutline(sparse)
  const hasRequest = outline.network.length > 0
  const blobInputs = outline.inputs.filter(({ type, required }) => type === 'blob' && required)
  const needsLog = hasRequest || outline.secrets.length > 0 || blobInputs.length > 0
  const needsBlobs = blobInputs.length > 0 || outline.results.some(({ type }) => type === 'blob')
  const names = [...(needsBlobs ? ['blobs'] : []), ...(needsLog ? ['log'] : [])]
  const [, file = ''] = MESSAGE_FILE.split('/')
  return [
    ...(outline.secrets.length > 0 ? ['import os'] : []),
    ...(hasRequest ? ['import urllib.request'] : []),
    'from pathlib import Path',
    'from typing import TYPE_CHECKING',
    '',
    ...(names.length > 0 ? [`from runtime import ${names.join(', ')}`, ''] : []),
    'if TYPE_CHECKING:',
    '    from runtime import Inputs',
    '',
    ...(hasRequest ? [`API = ${JSON.stringify(createUrl(outline))}`] : []),
    `MESSAGE = Path(__file__).parent.parent / "resources" / "${file}"`,
    '',
    '',
    'def main(args: "Inputs"):',
    ...createPythonBody(outline, blobInputs).map((line) => (line === '' ? '' : `    ${line}`)),
    '',
  ].join('\n')
}

function createPythonBody(outline: Outline, blobInputs: readonly OutlineField[]): string[] {
  const read = 'MESSAGE.read_text(encoding="utf-8").strip()'
  const format = outline.inputs.length > 0 ? '.format(**args)' : ''
  return [
    `message = ${read}${format}`,
    ...blobInputs.map(
      ({ name }) =>
        `log.info(f"${name} has {len(blobs.read_bytes(args[${toQuoted(name)}]))} bytes")`,
    ),
    ...outline.secrets.flatMap((name) => [
      `if not os.environ.get("${name}"):`,
      `    log.warning("The secret ${name} is not configured")`,
    ]),
    ...createPythonRequest(outline),
    `return {${['"summary": message', ...outline.results.map(createPythonResult)].join(', ')}}`,
  ]
}

/** Quotes a name inside an f-string with double quotes, as Python before 3.12 needs it. */
function toQuoted(name: string): string {
  return `'${name}'`
}

function createPythonRequest({ network, secrets }: Outline): string[] {
  if (network.length === 0) return []
  const [secret] = secrets
  const headers =
    secret === undefined
      ? '{}'
      : `{"Authorization": f"Bearer {os.environ.get('${secret}', '')}"}`
  return [
    `if args.get("${DRY_RUN}"):`,
    '    log.info(f"Would request {API}")',
    'else:',
    `    request = urllib.request.Request(API, headers=${headers})`,
    '    with urllib.request.urlopen(request, timeout=30) as response:',
    '        log.info(f"{API} responded with status {response.status}")',
  ]
}

function createPythonResult({ name, type }: OutlineField): string {
  const values: Readonly<Record<string, string>> = {
    integer: '0',
    number: '0.0',
    boolean: 'False',
    object: '{}',
    array: '[]',
    blob: 'blobs.write_text(message)',
  }
  return `"${name}": ${values[type] ?? 'message'}`
}
