import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { toPrintableLines } from '../../util/printable.ts'
import { changeSearch } from '../app/location.ts'
import { useShortcuts } from '../app/shortcuts.ts'
import {
  LOG_LEVELS,
  readLevel,
  selectLines,
  type LineLevel,
  type LogLines,
} from '../models/log-lines.ts'
import { WindowedList } from './windowed-list.tsx'

interface LogViewProps {
  log: LogLines
  /** Changes when the log has changed. */
  version: number
  isComplete: boolean
  /** The parameters of the address, with text and level of the filter. */
  search: URLSearchParams
}

const ROW_HEIGHT = 21
/** Longer lines are cut in the list, and shown whole when they are opened. */
const MAX_ROW = 2000
const MAX_OPENED = 200_000

/** Lines of a run: filter by level and text, follow the end, and open one line. */
export function LogView({ log, version, isComplete, search }: LogViewProps) {
  const text = search.get('log') ?? ''
  const level = LOG_LEVELS.find((each) => each === search.get('level')) ?? 'debug'
  const [follows, setFollows] = useState(!isComplete)
  const opened = Number(search.get('line')) || undefined
  const shown = useMemo(() => selectLines(log.lines, { text, level }), [log, version, text, level])
  useShortcuts([
    { keys: 'f', label: 'Follow the end of the logs', run: () => setFollows((on) => !on) },
    { keys: '/', label: 'Search the logs', run: focusSearch },
  ])
  return (
    <>
      <LogFilters {...{ text, level, follows }} onFollow={setFollows}>
        {describeLength(shown.length, log.lines.length)}
        {!isComplete && ' so far'}
      </LogFilters>
      {log.dropped > 0 && (
        <p class="tone-warning">
          {log.dropped} further characters are not shown: "skills runs logs" prints all of them.
        </p>
      )}
      {shown.length === 0 ? (
        <p class="muted">{isComplete ? 'No line.' : 'No line yet.'}</p>
      ) : (
        <WindowedList
          count={shown.length}
          rowHeight={ROW_HEIGHT}
          label="Logs"
          role="log"
          followsEnd={follows}
          onScrollUp={() => setFollows(false)}
          renderRow={(at) => (
            <LogRow
              key={shown[at]}
              number={(shown[at] as number) + 1}
              line={log.lines[shown[at] as number] ?? ''}
              onOpen={(line) => changeSearch({ line: String(line) })}
            />
          )}
        />
      )}
      {opened !== undefined && opened <= log.lines.length && (
        <OpenedLine number={opened} line={log.lines[opened - 1] ?? ''} />
      )}
    </>
  )
}

function describeLength(shown: number, all: number): string {
  return shown === all ? `${all} lines` : `${shown} of ${all} lines`
}

interface LogFiltersProps {
  text: string
  level: LineLevel
  follows: boolean
  onFollow: (follows: boolean) => void
  /** The number of lines. */
  children: ComponentChildren
}

function LogFilters({ text, level, follows, onFollow, children }: LogFiltersProps) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label for="log-search">Search</label>
      <input
        id="log-search"
        type="search"
        value={text}
        aria-keyshortcuts="/"
        onInput={(event) => changeSearch({ log: event.currentTarget.value })}
      />
      <label for="log-level">From level</label>
      <select
        id="log-level"
        value={level}
        onChange={(event) =>
          changeSearch({
            level: event.currentTarget.value === 'debug' ? '' : event.currentTarget.value,
          })
        }
      >
        {LOG_LEVELS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <label>
        <input
          type="checkbox"
          checked={follows}
          onChange={(event) => onFollow(event.currentTarget.checked)}
        />{' '}
        Follow
      </label>
      <span class="muted" role="status">
        {children}
      </span>
    </form>
  )
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('#log-search')?.focus()
}

interface LogRowProps {
  number: number
  line: string
  onOpen: (number: number) => void
}

function LogRow({ number, line, onOpen }: LogRowProps) {
  const level = readLevel(line)
  const isLong = line.length > MAX_ROW
  return (
    <div class={`log-row${level ? ` log-${level}` : ''}`}>
      <span class="log-number">{number}</span>
      <span class="log-text">{toPrintableLines(line.slice(0, MAX_ROW))}</span>
      {isLong && (
        <button type="button" class="quiet" onClick={() => onOpen(number)}>
          … {line.length - MAX_ROW} more characters
        </button>
      )}
    </div>
  )
}

function OpenedLine({ number, line }: { number: number; line: string }) {
  const rest = line.length - MAX_OPENED
  return (
    <section aria-label={`Line ${number}`}>
      <h3>Line {number}</h3>
      <pre class="run-logs" tabIndex={0}>
        {toPrintableLines(line.slice(0, MAX_OPENED))}
      </pre>
      {rest > 0 && <p class="muted">{rest} further characters: "skills runs logs" prints them.</p>}
    </section>
  )
}
