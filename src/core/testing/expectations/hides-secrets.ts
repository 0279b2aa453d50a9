import { nameField, oneOrMoreField } from '../document/field.ts'
import type { CaseRecord } from './case-record.ts'
import { formatRequest } from './conversation/record.ts'
import { defineExpectation } from './expectation.ts'

export const HIDES_SECRETS = defineExpectation({
  name: 'hides_secrets',
  summary: 'The fake values of these secrets occur in nothing that the run produced',
  example: '{ hides_secrets = ["API_TOKEN"] }',
  field: oneOrMoreField('Names of secrets of the case', nameField('Name of a secret')),
  needs: () => ['workspace', 'blobs', 'network'],
  judge(names, record, context) {
    const expected = `the values of ${names.join(', ')} to occur nowhere`
    const unknown = names.find((name) => !record.secrets.has(name))
    if (unknown !== undefined) {
      return { isMet: false, expected, got: `no value of "${unknown}" in the secrets of the case` }
    }
    const values = names.map((name) => record.secrets.get(name) ?? '')
    const places = listTexts(record)
      .filter(({ text }) => context.revealsSecret(text, values))
      .map(({ place }) => place)
    const found = [...new Set(places)].join(', ')
    return { isMet: found === '', expected, ...(found !== '' && { got: `a value in ${found}` }) }
  },
})

interface NamedText {
  place: string
  text: string
}

/** Everything that leaves the run. Output is masked already, which the mask shows. */
function listTexts(record: CaseRecord): NamedText[] {
  const { result, error, logs, stdout, stderr, files, blobs, network, calls } = record
  const written = [...files.created, ...files.changed]
  return [
    { place: 'the result', text: JSON.stringify(result ?? null) },
    { place: 'the error', text: JSON.stringify(error ?? null) },
    { place: 'the logs', text: logs },
    { place: 'the stdout', text: stdout },
    { place: 'the stderr', text: stderr },
    ...written.map((path) => ({ place: path, text: files.read(path)?.toString('utf8') ?? '' })),
    ...written.map((path) => ({ place: 'the name of a file', text: path })),
    ...blobs.map(({ bytes }) => ({ place: 'a blob', text: bytes.toString('utf8') })),
    ...network.map((each) => ({ place: 'the network', text: JSON.stringify(each) })),
    ...listConversationTexts(record),
    ...calls.map((each) => ({ place: `a call of ${each.command}`, text: each.args.join('\0') })),
  ]
}

/** Everything that a model would get. */
function listConversationTexts({ conversation }: CaseRecord): NamedText[] {
  if (!conversation) return []
  return conversation.turns.flatMap(({ request, answer }, at) => [
    { place: `request ${at + 1}`, text: formatRequest(request) },
    ...(answer?.calls ?? []).map(({ tool, text }) => ({ place: `a result of ${tool}`, text })),
  ])
}
