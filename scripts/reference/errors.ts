import { ERROR_MEANINGS } from '../../src/error-meanings.ts'
import { RPC_ERRORS, SkillsError, type ErrorCode } from '../../src/errors.ts'
import { EXIT_STATUSES } from '../../src/cli/exit-statuses.ts'
import { code, escapeText, list, renderPage, sentence, table } from './markdown.ts'

/** errors.md: every error code and what each entry point answers for it. */
export function renderErrors(): string {
  const codes = Object.entries(ERROR_MEANINGS) as [ErrorCode, string][]
  const areas = [...new Set(codes.map(([each]) => getArea(each)))].toSorted()
  return renderPage('Error codes', [
    'Every error has a code, a message and usually a hint. Each entry point reports them in its own form:',
    list([
      'Command line: the message and the hint on stderr, and the exit status; with `--json` the code is `error.code` of the document.',
      'HTTP routes: the HTTP status, and the code as `error.code` of the body.',
      'JSON-RPC: the JSON-RPC code as `error.code`, and the code of this page as `error.data.kind`.',
    ]),
    '## JSON-RPC codes',
    table(
      ['Code', 'Message'],
      RPC_ERRORS.map((each) => [code(String(each.code)), escapeText(each.message)]),
    ),
    '## Exit statuses',
    table(
      ['Exit status', 'Meaning'],
      EXIT_STATUSES.map(({ exit, meaning }) => [code(String(exit)), meaning]),
    ),
    ...areas.flatMap((area) => [
      `## ${area}`,
      table(
        ['Code', 'Exit status', 'HTTP', 'JSON-RPC', 'Meaning'],
        codes.filter(([each]) => getArea(each) === area).map(renderRow),
      ),
    ]),
  ])
}

function renderRow([errorCode, meaning]: [ErrorCode, string]): string[] {
  const { exit, http, rpc } = new SkillsError(errorCode, '').outcome
  return [code(errorCode), String(exit), String(http), String(rpc), sentence(meaning)]
}

function getArea(errorCode: string): string {
  return errorCode.slice(0, errorCode.indexOf('/'))
}
