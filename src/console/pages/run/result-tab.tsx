import { toPrintableLines } from '../../../util/printable.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { JsonView } from '../../components/json-view.tsx'
import type { RunTab, RunTabProps } from './run-tab.ts'

/** Arguments and output of a run. */
export const ResultTab: RunTab = ({ record }) => {
  const { request, summary, output, exit } = record
  return (
    <>
      <h2>Arguments</h2>
      <JsonView value={request.args} />
      {request.args_cut.map(({ name, size_bytes }) => (
        <p key={name} class="tone-warning">
          "{name}" is not stored: it has {formatBytes(size_bytes)}.
        </p>
      ))}
      <h2>Result</h2>
      {summary !== null && <p>{toPrintableLines(summary)}</p>}
      {output === null ? (
        <p class="muted">{describeRunEnd(exit)}</p>
      ) : (
        <>
          <p class="muted">
            {formatBytes(output.size_bytes)}, {output.digest}{' '}
            <CopyButton text={() => JSON.stringify(output.value, null, 2)} />
          </p>
          <JsonView value={output.value} />
        </>
      )}
    </>
  )
}

function describeRunEnd(exit: RunTabProps['record']['exit']): string {
  if (exit === null) return 'There is no result.'
  const { code, signal, ended_because } = exit
  if (ended_because !== null) return `There is no result: the run was ended, ${ended_because}.`
  return signal === null
    ? `There is no result; the exit status is ${code}.`
    : `There is no result; signal ${signal} ended the process.`
}
