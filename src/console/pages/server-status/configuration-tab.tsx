import type { DescribeConfigurationResult } from '../../../core/methods/describe-configuration/definition.ts'
import { reloadChanges } from '../../app/live-events.ts'
import { changeSearch } from '../../app/location.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { rankMatch } from '../../models/match-words.ts'
import { formatBytes, formatDuration } from '../../models/quantities.ts'

type Setting = DescribeConfigurationResult['settings'][number]

/** Every setting with its value and its origin. */
export function ConfigurationTab({ search }: { search: URLSearchParams }) {
  const state = useMethod('describe_configuration', {}, { changes: reloadChanges })
  const query = search.get('q') ?? ''
  const isChanged = search.get('changed') === 'yes'
  return (
    <Loading state={state} label="the configuration">
      {({ files, settings }) => {
        const shown = settings.filter(
          (each) =>
            (!isChanged || each.origin?.layer !== 'default') &&
            rankMatch(`${each.key} ${each.description}`, query.trim()) !== undefined,
        )
        return (
          <>
            <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
              <label for="setting-search">Search</label>
              <input
                id="setting-search"
                type="search"
                value={query}
                placeholder="Words of names and descriptions"
                onInput={(event) => changeSearch({ q: event.currentTarget.value })}
              />
              <label>
                <input
                  type="checkbox"
                  checked={isChanged}
                  onChange={(event) =>
                    changeSearch({ changed: event.currentTarget.checked ? 'yes' : undefined })
                  }
                />{' '}
                Changed settings only
              </label>
            </form>
            <p class="muted" role="status">
              {shown.length} of {settings.length} settings.{' '}
              {files.length === 0 ? 'No configuration file was read.' : `Read ${files.join(', ')}.`}
            </p>
            {shown.length === 0 ? (
              <EmptyState title="No setting matches." command="skills config" />
            ) : (
              <SettingTable settings={shown} />
            )}
          </>
        )
      }}
    </Loading>
  )
}

function SettingTable({ settings }: { settings: readonly Setting[] }) {
  return (
    <table class="settings">
      <TableHead names={['Setting', 'Value', 'Origin']} />
      <tbody>
        {settings.map((setting) => (
          <tr key={setting.key}>
            <th scope="row">
              <code>{setting.key}</code>
              <div class="muted description">{setting.description}</div>
            </th>
            <td>
              <SettingValue setting={setting} />
            </td>
            <td class="muted">{formatOrigins(setting)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function SettingValue({ setting: { value, unit } }: { setting: Setting }) {
  if (value === null || value === undefined) return <span class="muted">not set</span>
  if (typeof value === 'number' && unit !== undefined) {
    return <>{unit === 'bytes' ? formatBytes(value) : formatDuration(value)}</>
  }
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) {
    return (
      <>
        {value.map((each) => (
          <div key={each}>
            <code>{each}</code>
          </div>
        ))}
      </>
    )
  }
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
}

function formatOrigins({ origin, origins = [] }: Setting): string {
  const all = origins.length > 0 ? origins : origin ? [origin] : []
  if (all.length === 0) return 'set by the program'
  return all
    .map(({ layer, place }) => (layer === 'default' ? place : `${layer}: ${place}`))
    .join('; ')
}
