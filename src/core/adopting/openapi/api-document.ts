import { deriveFolderName, deriveTitle } from '../../skills/scaffold/skill-name.ts'
import type { GuessedCapability } from '../guessed-capability.ts'
import { cleanText } from '../script-interface.ts'
import type { ApiOperation } from './list-operations.ts'

/** Writes SKILL.md. Texts of the document are one line, without markup that a reader would render. */
export function createApiDocument(
  { name, description }: { name: string; description: string },
  operations: readonly ApiOperation[],
  capabilities: readonly GuessedCapability[],
): string {
  const isOne = operations.length === 1
  const secrets = capabilities.filter(({ kind }) => kind === 'secret')
  const hosts = capabilities.filter(({ kind }) => kind === 'host').map(({ value }) => value)
  return [
    '---',
    `name: ${deriveFolderName(name)}`,
    `description: ${JSON.stringify(description)}`,
    '---',
    '',
    `# ${deriveTitle(name)}`,
    '',
    isOne
      ? 'One operation of an HTTP API.'
      : 'Operations of an HTTP API. The input `command` selects one; the others are its parameters.',
    '',
    '## Operations',
    ...operations.map(formatOperation),
    '',
    '## Result',
    'The result has `status` and `body`, which is the parsed JSON, a text, or a blob for other content. A status of 400 or',
    'more is an error with the beginning of the response.',
    '',
    '## Permissions',
    `The skill reaches ${hosts.map((each) => `\`${each}\``).join(', ')}.`,
    ...secrets.map(({ value, use }) =>
      use
        ? `It sends the secret \`${value}\` only to ${use.hosts.map((each) => `\`${each}\``).join(', ')}.`
        : `It reads the secret \`${value}\`.`,
    ),
    '',
  ].join('\n')
}

function formatOperation({ command, summary }: ApiOperation): string {
  const inputs = command.arguments.map(
    ({ input, required }) => `\`${input}\`${required ? '' : ' (optional)'}`,
  )
  const text = escapeMarkup(summary)
  return `- \`${command.name}\`${text === '' ? '' : `: ${text}`}${inputs.length > 0 ? ` Inputs: ${inputs.join(', ')}` : ''}`
}

/** A summary cannot become a link, a heading, HTML or code. */
function escapeMarkup(text: string): string {
  const plain = cleanText(text, 200).replace(/[\\`*_[\]<>#|!]/g, (each) => `\\${each}`)
  return plain === '' || /[.!?…]$/.test(plain) ? plain : `${plain}.`
}
