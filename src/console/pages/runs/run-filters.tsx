import { useEffect, useState } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { SPANS } from '../../models/run-filter.ts'
import { formatExactTime } from '../../models/times.ts'
import { RUN_ENTRY_POINTS, RUN_KIND_NAMES, RUN_STATUS_NAMES } from '../../models/run-names.ts'

const DEBOUNCE_MS = 200

const CHOICES: readonly { name: string; label: string; values: readonly string[] }[] = [
  { name: 'status', label: 'Status', values: RUN_STATUS_NAMES },
  { name: 'kind', label: 'Kind', values: RUN_KIND_NAMES },
  { name: 'from', label: 'Entry point', values: RUN_ENTRY_POINTS },
  { name: 'last', label: 'Since', values: Object.keys(SPANS) },
]

/** Filters of the runs; each change is a part of the address. */
export function RunFilters({ search }: { search: URLSearchParams }) {
  useShortcuts([
    {
      keys: '/',
      label: 'Search runs',
      run: () => document.querySelector<HTMLElement>('#run-text')?.focus(),
    },
  ])
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextFilter name="text" label="Search" search={search} hint="Id, skill or arguments" />
      {CHOICES.map(({ name, label, values }) => (
        <label key={name}>
          {label}{' '}
          <select
            value={search.get(name) ?? ''}
            onChange={(event) =>
              changeSearch({
                [name]: event.currentTarget.value,
                ...(name === 'last' && { since: undefined, until: undefined }),
              })
            }
          >
            <option value="">{name === 'last' ? 'ever' : 'all'}</option>
            {values.map((each) => (
              <option key={each} value={each}>
                {name === 'last' ? `the last ${each}` : each}
              </option>
            ))}
          </select>
        </label>
      ))}
      <TextFilter name="skill" label="Skill" search={search} hint="name or name@version" />
      <TextFilter name="caller" label="Caller" search={search} hint="" />
      <SpanFilter search={search} />
    </form>
  )
}

/** The span of a bar of the histogram, which has no field. */
function SpanFilter({ search }: { search: URLSearchParams }) {
  const [since, until] = [search.get('since'), search.get('until')]
  if (since === null && until === null) return null
  return (
    <span>
      {since !== null && `From ${formatExactTime(since)} `}
      {until !== null && `until ${formatExactTime(until)} `}
      <button
        type="button"
        class="quiet"
        onClick={() => changeSearch({ since: undefined, until: undefined })}
      >
        Show all times
      </button>
    </span>
  )
}

interface TextFilterProps {
  name: string
  label: string
  hint: string
  search: URLSearchParams
}

function TextFilter({ name, label, hint, search }: TextFilterProps) {
  const value = search.get(name) ?? ''
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    const timer = setTimeout(() => text !== value && changeSearch({ [name]: text }), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label>
      {label}{' '}
      <input
        id={`run-${name}`}
        type="search"
        value={text}
        placeholder={hint}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}
