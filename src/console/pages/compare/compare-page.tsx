import { useState } from 'preact/hooks'
import { toPrintableLines } from '../../../util/printable.ts'
import { changeSearch } from '../../app/location.ts'
import { Link } from '../../app/link.tsx'
import type { PageProps } from '../../app/page-props.ts'
import { useRunRecord, type LoadedRun } from '../../app/runs/use-run-record.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { compareValues } from '../../models/compare-records.ts'
import { formatMs } from '../../models/durations.ts'

type Side = 'before' | 'after'

/** Two runs side by side: arguments, result, phases and the rest of their records. */
export function Page({ search }: PageProps) {
  const [before, after] = [search.get('before'), search.get('after')]
  return (
    <section>
      <h1>Compare two runs</h1>
      <div class="filters">
        <RunField side="before" value={before ?? ''} />
        <RunField side="after" value={after ?? ''} />
        <button
          type="button"
          onClick={() => changeSearch({ before: after ?? '', after: before ?? '' })}
        >
          Swap
        </button>
      </div>
      {before && after ? (
        <ComparedRuns key={`${before} ${after}`} before={before} after={after} />
      ) : (
        <EmptyState title="Choose two runs in the list of runs, or enter their ids here.">
          <Link to="/runs">All runs</Link>
        </EmptyState>
      )}
    </section>
  )
}

function RunField({ side, value }: { side: Side; value: string }) {
  return (
    <label>
      Run {side}{' '}
      <input
        class="mono"
        value={value}
        onChange={(event) => changeSearch({ [side]: event.currentTarget.value.trim() })}
      />
    </label>
  )
}

function ComparedRuns({ before, after }: Record<Side, string>) {
  const [first, second] = [useRunRecord(before), useRunRecord(after)]
  return (
    <Loading state={first} label="the run before">
      {(a) => (
        <Loading state={second} label="the run after">
          {(b) => <Comparison before={a} after={b} />}
        </Loading>
      )}
    </Loading>
  )
}

/** Parts of a record, in the order of interest. */
const PARTS = [
  ['Arguments', (record) => record.request.args],
  ['Result', (record) => record.output?.value ?? null],
  ['Error', (record) => record.error],
  ['Skills', (record) => record.skills],
  ['Policy', ({ policy: { audit: _audit, decision: _decision, ...policy } }) => policy],
  ['Isolation', (record) => record.isolation],
  ['Limits', (record) => record.limits],
  ['Use', (record) => record.use ?? null],
] as const satisfies readonly (readonly [
  string,
  (record: NonNullable<LoadedRun['record']>) => unknown,
])[]

function Comparison({ before, after }: Record<Side, LoadedRun>) {
  const [showsSame, setShowsSame] = useState(false)
  if (!before.record || !after.record) return <p class="muted">A run has not started yet.</p>
  const [a, b] = [before.record, after.record]
  return (
    <>
      <ComparedFacts before={a} after={b} />
      <label>
        <input
          type="checkbox"
          checked={showsSame}
          onChange={(event) => setShowsSame(event.currentTarget.checked)}
        />{' '}
        Show what is the same
      </label>
      {PARTS.map(([title, read]) => (
        <ComparedPart
          key={title}
          title={title}
          before={read(a)}
          after={read(b)}
          showsSame={showsSame}
        />
      ))}
    </>
  )
}

type ComparedFacts = NonNullable<LoadedRun['record']>

function ComparedFacts({ before: a, after: b }: Record<Side, ComparedFacts>) {
  return (
    <table>
      <TableHead names={['Fact', 'Before', 'After']} />
      <tbody>
        <tr>
          <th scope="row">Run</th>
          <td>
            <Link to={`/runs/${a.run_id}`}>{a.run_id}</Link>
          </td>
          <td>
            <Link to={`/runs/${b.run_id}`}>{b.run_id}</Link>
          </td>
        </tr>
        <tr>
          <th scope="row">Status</th>
          <td>
            <Status value={a.status} />
          </td>
          <td>
            <Status value={b.status} />
          </td>
        </tr>
        {listDurations(a, b).map(([name, left, right]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{left}</td>
            <td>{right}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// eslint-disable-next-line max-params -- both sides
function listDurations(a: ComparedFacts, b: ComparedFacts): [string, string, string][] {
  const format = (ms: number | null | undefined) =>
    ms === null || ms === undefined ? '' : formatMs(ms)
  const find = ({ phases }: ComparedFacts, name: string) =>
    phases?.find((each) => each.name === name)?.ms
  const names = [...(a.phases ?? []), ...(b.phases ?? [])].map(({ name }) => name)
  return [
    ['Duration', format(a.duration_ms), format(b.duration_ms)],
    ...[...new Set(names)].map((name): [string, string, string] => [
      `Phase ${name}`,
      format(find(a, name)),
      format(find(b, name)),
    ]),
  ]
}

interface ComparedPartProps {
  title: string
  before: unknown
  after: unknown
  showsSame: boolean
}

const MAX_VALUE = 2000

function ComparedPart({ title, before, after, showsSame }: ComparedPartProps) {
  const all = compareValues(before, after)
  const different = all.filter(({ isSame }) => !isSame)
  const shown = showsSame ? all : different
  return (
    <section>
      <h2>{title}</h2>
      {different.length === 0 && <p class="muted">The same in both runs.</p>}
      {shown.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="compared">
            <TableHead names={['Place', 'Before', 'After']} />
            <tbody>
              {shown.map(({ path, before: left, after: right, isSame }) => (
                <tr key={path} class={isSame ? undefined : 'differs'}>
                  <th scope="row">
                    <code>{path === '' ? 'value' : toPrintableLines(path)}</code>
                  </th>
                  <td>
                    <ComparedValue text={left} />
                  </td>
                  <td>
                    <ComparedValue text={right} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function ComparedValue({ text }: { text: string | undefined }) {
  if (text === undefined) return <span class="muted">absent</span>
  const rest = text.length - MAX_VALUE
  return (
    <code>
      {toPrintableLines(text.slice(0, MAX_VALUE))}
      {rest > 0 && ` … ${rest} more characters`}
    </code>
  )
}
