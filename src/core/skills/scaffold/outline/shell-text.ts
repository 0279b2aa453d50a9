import { listMessageInputs, MESSAGE_FILE } from './message.ts'
import { completeOutline, DRY_RUN, type Outline, type OutlineField } from './outline.ts'
import { createUrl } from './request-url.ts'

/** Writes code/main.sh. */
export function createShellText(sparse: Outline): string {
  const outline = completeOutline(sparse)
  return [
    '# The output of main is its result: one JSON document. Write everything else to standard error.',
    'here=${BASH_SOURCE[0]%/*}',
    ...(outline.network.length > 0 ? [`api='${createUrl(outline)}'`] : []),
    '',
    'main() {',
    ...createShellBody(outline).map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n')
}

function createShellBody(outline: Outline): string[] {
  const blobInputs = outline.inputs.filter(({ type, required }) => type === 'blob' && required)
  const names = listMessageInputs(outline)
  return [
    'local message value',
    `message=$(<"$here/../${MESSAGE_FILE}") || return`,
    ...names.flatMap((name) => [
      `value=$(arg ${name}) || return`,
      `message=\${message//"{${name}}"/"$value"}`,
    ]),
    ...blobInputs.flatMap(({ name }) => [
      `value=$(blob_read "$(arg ${name})" | wc -c) || return`,
      `log_info "${name} has $value bytes"`,
    ]),
    ...outline.secrets.map(
      (name) => `[[ -n \${${name}-} ]] || log_warning "The secret ${name} is not configured"`,
    ),
    ...createShellRequest(outline),
    `json ${['summary="$message"', ...outline.results.map(createShellResult)].join(' ')}`,
  ]
}

function createShellRequest({ network, secrets }: Outline): string[] {
  if (network.length === 0) return []
  const [secret] = secrets
  const header = secret === undefined ? '' : ` --header "Authorization: Bearer \${${secret}-}"`
  return [
    `if [[ $(arg ${DRY_RUN} false) == true ]]; then`,
    '  log_info "Would request $api"',
    'else',
    `  curl --silent --show-error --fail --max-time 30${header} "$api" >&2 || return`,
    'fi',
  ]
}

function createShellResult({ name, type }: OutlineField): string {
  const values: Readonly<Record<string, string>> = {
    integer: ':=0',
    number: ':=0',
    boolean: ':=false',
    object: ":='{}'",
    array: ":='[]'",
    blob: '="$(blob_write text/plain <<<"$message")"',
  }
  return `${name}${values[type] ?? '="$message"'}`
}
